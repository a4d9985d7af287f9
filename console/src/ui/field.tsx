import type { ComponentChildren, RefObject } from 'preact';
import { useId, useState } from 'preact/hooks';

/** The attributes that tie a control to its label, its hint and its error. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
}

/** The words around a control. The service found the error in it. */
export interface FieldWords {
  label: ComponentChildren;
  isOptional?: boolean | undefined;
  hint?: ComponentChildren;
  error?: string | undefined;
}

/** A control with its label, a hint and an error. */
export function Field({
  label,
  isOptional = false,
  hint,
  error,
  children,
}: FieldWords & { children: (control: ControlProps) => ComponentChildren }) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional && <span class="faint"> optional</span>}
      </label>
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

interface TextFieldProps extends FieldWords {
  value: string;
  onValue: (value: string) => void;
  element?: RefObject<HTMLInputElement | null>;
  readOnly?: boolean;
  spellcheck?: boolean;
}

/** A field for a line of text. */
export function TextField({ value, onValue, element, readOnly = false, spellcheck = false, ...words }: TextFieldProps) {
  return (
    <Field {...words}>
      {(control) => (
        <input
          {...control}
          {...(element && { ref: element })}
          type="text"
          autocomplete="off"
          spellcheck={spellcheck}
          readOnly={readOnly}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface CountFieldProps extends FieldWords {
  value: number;
  max: number;
  /** The number for what is not one. */
  otherwise: number;
  onValue: (value: number) => void;
}

/** A field for a whole number from 1 on. */
export function CountField({ value, max, otherwise, onValue, ...words }: CountFieldProps) {
  const change = (text: string) => {
    const wanted = Math.round(Number(text)) || otherwise;
    onValue(Math.min(max, Math.max(1, wanted)));
  };
  const draft = useDraft(String(value), change);
  return <Field {...words}>{(control) => <input {...control} type="number" min="1" max={max} {...draft} />}</Field>;
}

/**
 * Returns the attributes of an input whose value counts when it is left. Until then the text is a draft, which a
 * render in between, such as that of an answer of the service, does not take back.
 */
export function useDraft(value: string, onValue: (value: string) => void) {
  const [draft, setDraft] = useState<string>();
  return {
    value: draft ?? value,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => setDraft(currentTarget.value),
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
      setDraft(undefined);
      onValue(currentTarget.value);
    },
  };
}

/** Values that the control with `list` of this id proposes. */
export function Proposals({ id, values }: { id: string; values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}
