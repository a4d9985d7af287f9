import type { Form, FormField } from 'virtual:contract-forms';
import { useState } from 'preact/hooks';
import { type ControlProps, Field } from '../../ui/field.js';
import type { MemberControls } from '../kind.js';
import { isSame, parseContent, type Values, writeLabel } from './draft.js';
import { Prose } from './prose.js';

/** Fields for the known members of a JSON object. They edit its text, which stands beneath. */
export function MemberFields({
  form,
  name,
  json,
  project,
  controls,
  isBusy,
  onChange,
}: {
  form: Form;
  name: string;
  json: string;
  project: string;
  controls: MemberControls;
  isBusy: boolean;
  onChange: (json: string) => void;
}) {
  const object = objectIn(json);
  if (!object) return <p class="hint">The fields of this type appear when the JSON beneath is valid.</p>;
  const change = (changes: Values) => {
    const next = { ...object, ...changes };
    const members = Object.entries(next).filter(([, value]) => value !== undefined);
    onChange(members.length > 0 ? JSON.stringify(Object.fromEntries(members), null, 2) : '');
  };
  return (
    <>
      {Object.entries(form.fields).map(([member, field]) => {
        const Control = controls[`${name}.${member}`];
        const value = object[member];
        return (
          <Field
            key={member}
            label={writeLabel(member, field)}
            isOptional={!form.required.includes(member)}
            hint={<Prose text={field.hint ?? ''} />}
          >
            {(control) =>
              Control ? (
                <Control
                  control={control}
                  project={project}
                  value={value}
                  object={object}
                  isBusy={isBusy}
                  onChange={change}
                />
              ) : (
                <TextControl
                  control={control}
                  field={field}
                  value={value}
                  isBusy={isBusy}
                  onValue={(next) => change({ [member]: next })}
                />
              )
            }
          </Field>
        );
      })}
    </>
  );
}

/** A text that may be longer than this gets several lines. */
const MAX_LINE_LENGTH = 1000;

/** A control for a text, a number, or a list of texts with commas between them. */
function TextControl({
  control,
  field,
  value,
  isBusy,
  onValue,
}: {
  control: ControlProps;
  field: FormField;
  value: unknown;
  isBusy: boolean;
  onValue: (value: unknown) => void;
}) {
  // A comma at the end of a list is not part of its value, but must stay while one types.
  const [typed, setTyped] = useState('');
  const text = isSame(parsedText(typed, field), value) ? typed : writeText(value);
  const common = {
    ...control,
    readOnly: isBusy,
    value: text,
    onInput: (event: { currentTarget: { value: string } }) => {
      setTyped(event.currentTarget.value);
      onValue(parsedText(event.currentTarget.value, field));
    },
  };
  if ((field.maxLength ?? 0) > MAX_LINE_LENGTH) return <textarea {...common} rows={2} spellcheck />;
  return <input {...common} type="text" autocomplete="off" />;
}

/** Returns what a text means for a field: undefined if it is empty. */
function parsedText(text: string, field: FormField): unknown {
  if (text === '') return undefined;
  const types = [field.type ?? []].flat();
  if (types.includes('array')) {
    const names = text.split(',').map((name) => name.trim());
    return names.filter((name) => name !== '');
  }
  // Other text is sent as it is, and the service refuses it.
  if (types.includes('integer') && /^\d{1,15}$/.test(text)) return Number(text);
  return text;
}

function writeText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(writeText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Returns the object of a JSON text, an empty one if it is blank, or undefined if it is not one. */
function objectIn(json: string): Values | undefined {
  try {
    const value = parseContent(json, { type: 'object' });
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return undefined;
  }
}
