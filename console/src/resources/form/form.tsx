import { type Form, forms } from 'virtual:contract-forms';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ProblemError } from 'roster-client';
import { ErrorNotice } from '../../ui/error-notice.js';
import { count } from '../../ui/format.js';
import type { Choice, MemberControls } from '../kind.js';
import { chooseControl, type Draft, type Faults, fieldNames } from './draft.js';
import { ResourceField } from './form-field.js';

const NO_REFUSAL: Refusal = { faults: {}, others: [], error: null };

/** The form of a resource. The parent component keeps the draft, and sends it. */
export function ResourceForm({
  name,
  project,
  draft,
  choices = {},
  memberControls = {},
  leftOut = [],
  submitLabel,
  busyLabel,
  onDraft,
  onSubmit,
  notice,
  children,
}: {
  name: 'project' | 'skill' | 'agent' | 'chatbot';
  project: string;
  draft: Draft;
  choices?: Readonly<Record<string, Choice>>;
  memberControls?: MemberControls;
  leftOut?: readonly string[];
  submitLabel: string;
  busyLabel: string;
  onDraft: (draft: Draft) => void;
  /** Sends the draft. @returns the faults that were found before anything was sent */
  onSubmit: () => Promise<Faults>;
  /** Shown above the fields. */
  notice?: ComponentChildren;
  /** Shown beside the button. */
  children?: ComponentChildren;
}) {
  const form = forms[name];
  const names = fieldNames(form, leftOut);
  const element = useRef<HTMLFormElement>(null);
  const isSending = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState(NO_REFUSAL);
  const [refusals, setRefusals] = useState(0);
  useEffect(() => {
    if (refusals > 0) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusals]);

  const submit = async () => {
    // A second click can come before the button is disabled.
    if (isSending.current) return;
    isSending.current = true;
    setBusy(true);
    try {
      setRefusal({ ...NO_REFUSAL, faults: await onSubmit() });
    } catch (error) {
      setRefusal(sortRefusal(error, name, names));
    } finally {
      isSending.current = false;
      setBusy(false);
      setRefusals((last) => last + 1);
    }
  };
  const { faults, others, error } = refusal;
  const extra = names.filter((field) => isExtra(form, field));
  const fieldOf = (field: string) => (
    <ResourceField
      key={field}
      name={field}
      field={form.fields[field] ?? {}}
      isRequired={form.required.includes(field)}
      content={draft[field] ?? ''}
      fault={faults[field]}
      project={project}
      choice={choices[field]}
      type={String(draft['type'])}
      types={field === 'type' ? listTypes(form) : []}
      memberControls={memberControls}
      isBusy={isBusy}
      onChange={(content) => {
        onDraft({ ...draft, [field]: content });
        const { [field]: _, ...rest } = faults;
        if (faults[field]) setRefusal({ ...refusal, faults: rest });
      }}
    />
  );
  return (
    <form ref={element} class="resource" noValidate aria-busy={isBusy} onSubmit={() => void submit()}>
      {notice}
      <Summary faults={faults} others={others} />
      {error !== null && <ErrorNotice error={error} scrollTo />}
      {names.filter((field) => !isExtra(form, field)).map(fieldOf)}
      {extra.length > 0 && (
        <details class="extra" open={extra.some((field) => draft[field] || faults[field])}>
          <summary>For programs</summary>
          {extra.map(fieldOf)}
        </details>
      )}
      <div class="actions">
        {/* Not `disabled`, which would take the focus away. */}
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {isBusy ? busyLabel : submitLabel}
        </button>
        {children}
      </div>
    </form>
  );
}

/** Returns whether a field may stay empty and has only JSON, which people do not write. */
function isExtra({ required, fields }: Form, name: string): boolean {
  const { members, membersOfType, ...field } = fields[name] ?? {};
  if (members || membersOfType || required.includes(name)) return false;
  return chooseControl(name, field) === 'json';
}

/** Returns the types whose members are known, to choose from beside any other. */
const listTypes = (form: Form) =>
  Object.values(form.fields).flatMap(({ membersOfType = {} }) => Object.keys(membersOfType));

/** Says that nothing was saved, and the faults that no field of the form shows. */
function Summary({ faults, others }: Pick<Refusal, 'faults' | 'others'>) {
  const marked = Object.keys(faults).length;
  if (marked + others.length === 0) return null;
  return (
    <div class="notice error" role="alert">
      <p>
        <strong>Not saved.</strong> {marked > 0 && `${count(marked, 'field needs', 'fields need')} a correction.`}
      </p>
      {others.length > 0 && (
        <ul>
          {others.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The faults that a form shows after a refusal: beside its fields, and above them. */
export interface Refusal {
  readonly faults: Faults;
  /** Faults of fields that the form does not show, each with its place. */
  readonly others: readonly string[];
  /** The error, where it is not about fields. */
  readonly error: unknown;
}

/**
 * Finds the fields that an error is about, by its JSON pointers such as `/body/agent/skills/1`.
 * @param names the fields of the form
 */
function sortRefusal(error: unknown, body: string, names: readonly string[]): Refusal {
  if (!(error instanceof ProblemError)) return { faults: {}, others: [], error };
  const { problem } = error;
  if (problem.type === '/problems/name-taken')
    return { faults: { name: problem.detail.replace(/\.$/, '') }, others: [], error: null };
  if (!('errors' in problem)) return { faults: {}, others: [], error };
  const faults: Record<string, string> = {};
  const others: string[] = [];
  for (const place of problem.errors) {
    const pointer = 'pointer' in place ? (place.pointer ?? '') : '';
    const [root, resource, name = '', ...rest] = pointer.split('/').slice(1);
    if (root === 'body' && resource === body && names.includes(name)) {
      // A name that was chosen stands in the message; of JSON, one must know the place.
      const isListed = rest.every((key) => /^\d+$/.test(key));
      const message = isListed ? place.message : `“${rest.join('/')}” ${place.message}`;
      faults[name] = faults[name] ? `${faults[name]}; ${message}` : message;
    } else others.push(`${pointer} ${place.message}`);
  }
  return { faults, others, error: null };
}
