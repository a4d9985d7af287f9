import type { FormField } from 'virtual:contract-forms';
import { useState } from 'preact/hooks';
import { type ControlProps, Field, Proposals } from '../../ui/field.js';
import { capitalized } from '../../ui/format.js';
import type { Choice, MemberControls } from '../kind.js';
import { Choose } from './choose.js';
import { chooseControl, type Draft, parseContent, writeLabel } from './draft.js';
import { MemberFields } from './member-fields.js';
import { Prose } from './prose.js';

/** A field of a resource, as its schema in the contract describes it. */
export function ResourceField({
  name,
  field,
  isRequired,
  content,
  fault,
  project,
  choice,
  type,
  types,
  memberControls,
  isBusy,
  onChange,
}: {
  name: string;
  field: FormField;
  isRequired: boolean;
  content: Draft[string];
  fault: string | undefined;
  project: string;
  choice: Choice | undefined;
  /** The content of the resource's field `type`. */
  type: string;
  /** Contents to propose. */
  types: readonly string[];
  memberControls: MemberControls;
  /** True if the form is being sent. Nothing can be typed then, because the answer replaces it. */
  isBusy: boolean;
  onChange: (content: Draft[string]) => void;
}) {
  const [leftWith, setLeftWith] = useState<string>();
  const kind = chooseControl(name, field);
  // While one types, JSON is not complete.
  const syntaxFault = kind === 'json' && leftWith === content ? findFault(leftWith, field) : undefined;
  const shownFault = fault ?? syntaxFault;
  const members = field.members ?? field.membersOfType?.[type];
  const whole = (
    <Field
      label={choice?.label ?? writeLabel(name, field)}
      isOptional={!isRequired}
      hint={choice ? undefined : <Prose text={writeHint(field)} />}
      error={shownFault && sentence(shownFault)}
    >
      {(control) =>
        choice ? (
          <Choose
            control={control}
            project={project}
            choice={choice}
            chosen={[content].flat().filter(Boolean)}
            isMany={kind === 'names'}
            mayBeNone={!isRequired}
            isBusy={isBusy}
            onChange={(chosen) => onChange(kind === 'names' ? chosen : (chosen[0] ?? ''))}
          />
        ) : (
          <Control
            control={control}
            kind={kind}
            field={field}
            isRequired={isRequired}
            isBusy={isBusy}
            text={String(content)}
            proposals={types}
            onInput={onChange}
            onLeave={() => setLeftWith(String(content))}
          />
        )
      }
    </Field>
  );
  if (!members) return whole;
  return (
    <>
      <MemberFields
        key={type}
        form={members}
        name={name}
        json={String(content)}
        project={project}
        controls={memberControls}
        isBusy={isBusy}
        onChange={onChange}
      />
      {whole}
    </>
  );
}

function Control({
  control,
  kind,
  field,
  isRequired,
  isBusy,
  text,
  proposals,
  onInput,
  onLeave,
}: {
  control: ControlProps;
  kind: string;
  field: FormField;
  isRequired: boolean;
  isBusy: boolean;
  text: string;
  proposals: readonly string[];
  onInput: (text: string) => void;
  onLeave: () => void;
}) {
  const common = {
    ...control,
    value: text,
    'aria-required': isRequired,
    onBlur: ({ relatedTarget }: FocusEvent) => {
      // A message would move a button or a link away from the pointer that presses it.
      if (!(relatedTarget instanceof Element && relatedTarget.matches('button, a'))) onLeave();
    },
    onInput: (event: { currentTarget: { value: string } }) => onInput(event.currentTarget.value),
  };
  if (kind === 'option')
    return (
      <select {...common} disabled={isBusy}>
        {!isRequired && <option value="">–</option>}
        {field.enum?.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    );
  if (kind === 'line') {
    const list = proposals.length > 0 ? `${control.id}-proposals` : undefined;
    return (
      <>
        <input {...common} readOnly={isBusy} type="text" autocomplete="off" list={list} />
        {list && <Proposals id={list} values={proposals} />}
      </>
    );
  }
  return <textarea {...common} readOnly={isBusy} rows={4} spellcheck={kind === 'lines'} />;
}

/** Describes a field; of a JSON object with its own keys, it names them, too. */
function writeHint({ hint = '', keys }: FormField): string {
  if (!keys) return hint;
  return `${hint} JSON with the keys ${keys.map((key) => `\`${key}\``).join(', ')}.`;
}

function findFault(text: string, field: FormField): string | undefined {
  try {
    parseContent(text, field);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Writes a fault as a sentence: the service begins faults in lower case. */
const sentence = (fault: string) => `${capitalized(fault)}.`;
