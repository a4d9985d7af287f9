import type { Form, FormField } from 'virtual:contract-forms';
import { capitalized, whole } from '../../ui/format.js';

/** The content of the fields of a form: text, or chosen names. */
export type Draft = Readonly<Record<string, string | readonly string[]>>;

/** The fields of a body. */
export type Values = Readonly<Record<string, unknown>>;

/** The faults of fields, by their names. */
export type Faults = Readonly<Record<string, string>>;

/** The control of a field: one line, several, one of a few words, names to choose from, or JSON. */
export type ControlKind = 'line' | 'lines' | 'option' | 'names' | 'json';

/** A text that may be longer than this gets several lines. */
const MAX_LINE_LENGTH = 1000;

export function fieldNames(form: Form, leftOut: readonly string[] = []): string[] {
  return Object.keys(form.fields).filter((name) => !leftOut.includes(name));
}

/** Returns how a field is shown. */
export function chooseControl(name: string, field: FormField): ControlKind {
  if (field.enum) return 'option';
  // The one list of names that forms have; another array is written as JSON.
  if (name === 'skills') return 'names';
  if (!listTypes(field).includes('string')) return 'json';
  return (field.maxLength ?? 0) > MAX_LINE_LENGTH ? 'lines' : 'line';
}

/** Returns the label of a field: its own, or its name in words. */
export const writeLabel = (name: string, { label }: FormField) => label ?? capitalized(name.replaceAll('_', ' '));

/** Returns what a form shows of a resource, or of nothing yet. */
export function createDraft(form: Form, resource: object | null): Draft {
  const drafts = Object.entries(form.fields).map(([name, field]) => [
    name,
    shown(chooseControl(name, field), resource && Reflect.get(resource, name)),
  ]);
  return Object.fromEntries(drafts);
}

function shown(control: ControlKind, value: unknown): string | string[] {
  if (control === 'names') return Array.isArray(value) ? value.map(readName) : [];
  if (value === null || value === undefined) return '';
  if (control !== 'json') return String(value);
  return isEmpty(value) ? '' : JSON.stringify(value, null, 2);
}

/** Returns the name of a skill: an agent is read with its skills in full. */
function readName(value: unknown): string {
  const name: unknown = typeof value === 'object' && value ? Reflect.get(value, 'name') : value;
  return String(name);
}

/** Reads the fields for a new resource. Those without content are not sent. */
export function newValues(form: Form, draft: Draft, names: readonly string[]) {
  return readValues(form, draft, names, (name, value) => {
    if (!isEmpty(value)) return value;
    if (form.required.includes(name)) throw new RangeError('must not be empty');
    return undefined;
  });
}

/**
 * Reads the fields that differ from a resource. For objects with the user's own keys, the service
 * merges what it is sent: the changed keys, and null for removed ones. Another field that was
 * emptied is null, which removes it.
 */
export function changedValues(form: Form, draft: Draft, names: readonly string[], base: object) {
  const before = readValues(form, createDraft(form, base), names, (_, value) => value).values;
  return readValues(form, draft, names, (name, value, field) => {
    const old = before[name];
    if (isSame(old, value) || (isEmpty(old) && isEmpty(value))) return undefined;
    if (field.additionalProperties === true && (isObject(value) || isObject(old))) {
      return changedKeys(old, value);
    }
    if (value !== undefined && value !== '') return value;
    if (!listTypes(field).includes('null')) throw new RangeError('must not be empty');
    return null;
  });
}

type Select = (name: string, value: unknown, field: FormField) => unknown;

/** Reads fields, selects what is wanted of them, and collects what is wrong. */
function readValues(form: Form, draft: Draft, names: readonly string[], select: Select) {
  const values: Record<string, unknown> = {};
  const faults: Record<string, string> = {};
  for (const name of names) {
    const field = form.fields[name] ?? {};
    try {
      const value = select(name, readContent(chooseControl(name, field), draft[name] ?? '', field), field);
      if (value !== undefined) values[name] = value;
    } catch (error) {
      faults[name] = error instanceof Error ? error.message : String(error);
    }
  }
  return { values, faults };
}

/** Returns the value of what stands in a field. @throws RangeError or SyntaxError with what is wrong */
function readContent(control: ControlKind, content: Draft[string], field: FormField): unknown {
  if (typeof content !== 'string') return content;
  if (control === 'json') return parseContent(content, field);
  if (content === '') return content;
  const length = [...content].length;
  if (field.maxLength !== undefined && length > field.maxLength)
    throw new RangeError(`must have at most ${whole(field.maxLength)} characters; it has ${whole(length)}`);
  // bounded: what someone types, in a form of the contract, whose patterns are checked, too
  if (field.pattern !== undefined && !new RegExp(field.pattern, 'u').test(content))
    throw new RangeError(field['x-roster-message'] ?? `must match ${field.pattern}`);
  return content;
}

/** Returns the value of a JSON text, or undefined if it is blank. */
export function parseContent(text: string, field: FormField): unknown {
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SyntaxError(`is not valid JSON: ${reason}`);
  }
  if (listTypes(field).includes('object') && !isObject(value))
    throw new RangeError('must be a JSON object, such as {"key": "value"}');
  return value;
}

function changedKeys(before: unknown, after: unknown): Values | undefined {
  const old = new Map(isObject(before) ? Object.entries(before) : []);
  const now = new Map(isObject(after) ? Object.entries(after) : []);
  const changes = [
    ...[...now].filter(([key, value]) => !isSame(old.get(key), value)),
    ...[...old.keys()].filter((key) => !now.has(key)).map((key) => [key, null] as const),
  ];
  return changes.length > 0 ? Object.fromEntries(changes) : undefined;
}

const listTypes = ({ type }: FormField) => [type ?? []].flat();

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (value: unknown) =>
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** Returns whether two drafts or two values are the same. */
export const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
