import { Select } from './select.js';

/** Chooses the class that is looked for. */
export function ChooseClass({
  label,
  names,
  chosen,
  onChoose,
}: {
  label: string;
  names: readonly string[];
  chosen: string;
  onChoose: (name: string) => void;
}) {
  return (
    <label class="choose-class">
      {label}
      <Select value={chosen} options={names} onChoose={onChoose} />
    </label>
  );
}

/** Returns the class of the fewest rows: most often the one that people look for. */
export function rarestClass(classes: readonly { readonly name: string; readonly rows: number }[]): string | undefined {
  return classes.toSorted((one, other) => one.rows - other.rows)[0]?.name;
}
