import type { RefObject } from 'preact';
import { type ControlProps, Field, type FieldWords } from './field.js';

/** A value to choose, which may have its own words. */
type Option<T extends string> = T | readonly [value: T, words: string];

interface Choice<T extends string> {
  value: T;
  options: readonly Option<T>[];
  onChoose: (value: T) => void;
  element?: RefObject<HTMLSelectElement | null>;
  class?: string;
  'aria-label'?: string;
  disabled?: boolean;
}

/** Chooses one of some values, with a label. */
export function SelectField<T extends string>({ label, hint, error, ...choice }: FieldWords & Choice<T>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <Select {...control} {...choice} />}
    </Field>
  );
}

/** Chooses one of some values. */
export function Select<T extends string>({
  value,
  options,
  onChoose,
  element,
  ...attributes
}: Partial<ControlProps> & Choice<T>) {
  const pairs = options.map((option) => (typeof option === 'string' ? ([option, option] as const) : option));
  return (
    <select
      {...attributes}
      {...(element && { ref: element })}
      value={value}
      onChange={({ currentTarget: select }) => {
        const pair = pairs.find(([known]) => known === select.value);
        if (pair) onChoose(pair[0]);
      }}
    >
      {pairs.map(([known, words]) => (
        <option key={known} value={known}>
          {words}
        </option>
      ))}
    </select>
  );
}
