import type { ComponentChildren } from 'preact';

/** A field that filters a list. */
export function FindField({
  label,
  value,
  onValue,
  children,
}: {
  /** The label, such as "Find skills". */
  label: string;
  value: string;
  onValue: (value: string) => void;
  /** The number of findings. */
  children: ComponentChildren;
}) {
  return (
    <div class="find">
      <label>
        <span class="visually-hidden">{label}</span>
        <input
          type="search"
          placeholder={label}
          autocomplete="off"
          spellcheck={false}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      </label>
      <p class="faint" role="status">
        {children}
      </p>
    </div>
  );
}
