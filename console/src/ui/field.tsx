import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** The attributes that tie a control to its label, its hint and its error. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
}

/** The words around a control. The service found the error in it. */
export interface FieldWords {
  label: ComponentChildren;
  hint?: ComponentChildren;
  error?: string | undefined;
}

/** A control with its label, a hint and an error. */
export function Field({
  label,
  hint,
  error,
  children,
}: FieldWords & { children: (control: ControlProps) => ComponentChildren }) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': Boolean(error) })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
