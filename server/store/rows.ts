import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { BYTE } from 'roster-prediction/text';
import { v7 as uuidv7 } from 'uuid';
import { invalidRequest } from '../problems/problem.js';
import type { Database } from './database/schema.js';

export function newResource() {
  const now = new Date().toISOString();
  return { id: uuidv7(), created_at: now, updated_at: now };
}

/** Writes a time in milliseconds since 1970 as rows have it: ISO 8601, UTC. */
export function writeMoment(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export interface Key {
  readonly column: 'id' | 'name';
  readonly value: string;
}

/** Returns the key of a resource given by name or id: no name has the form of an id. */
export function key(nameOrId: string): Key {
  const lower = nameOrId.toLowerCase();
  return UUID.test(lower) ? { column: 'id', value: lower } : { column: 'name', value: nameOrId };
}

/** A part of a list: at most `limit` resources, after the one with the id `after`. */
export interface Page {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

/**
 * Orders a list by creation, and selects the page.
 * @param id the column of the resource's id, such as `chatbots.id`
 */
export function paginate<T extends keyof Database, O>(
  query: SelectQueryBuilder<Database, T, O>,
  id: string,
  { limit, after }: Page,
): SelectQueryBuilder<Database, T, O> {
  const column = sql.ref(id);
  const ordered = query.orderBy(column);
  const begun = after === undefined ? ordered : ordered.where(sql<SqlBool>`${column} > ${after}`);
  return limit === undefined ? begun : begun.limit(limit);
}

/** A resource of a list: its id, and the approximate size of its JSON in bytes. */
export interface ListEntry {
  readonly id: string;
  readonly bytes: number;
}

/** The amount that is read from the store at once. */
const PART = { bytes: 256 * 1024, rows: 128 };

/** Splits a list into parts that are read at once: a few large resources, or many small ones. */
export function* chunksBySize<T extends Pick<ListEntry, 'bytes'>>(entries: Iterable<T>): Generator<readonly T[]> {
  let part: T[] = [];
  let bytes = 0;
  for (const entry of entries) {
    if (part.length === PART.rows || (part.length > 0 && bytes + entry.bytes > PART.bytes)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(entry);
    bytes += entry.bytes;
  }
  if (part.length > 0) yield part;
}

/** The most values per query, well below the limit of each database. */
const MAX_VALUES = 1024;

/** Looks up the rows that belong to some ids, in queries of limited size. */
export async function lookup<T>(
  ids: readonly string[],
  query: (batch: readonly string[]) => Promise<T[]>,
): Promise<T[]> {
  const rows: T[] = [];
  for (let begin = 0; begin < ids.length; begin += MAX_VALUES) {
    const batch = padToPowerOfTwo(ids.slice(begin, begin + MAX_VALUES));
    for (const row of await query(batch)) rows.push(row);
  }
  return rows;
}

/** Keeps what is made for a length of a list: `lookup` and `chunks` have few of them. */
export function keepByLength<T>(make: (length: number) => T): (length: number) => T {
  const made = new Map<number, T>();
  return (length) => {
    const kept = made.get(length) ?? make(length);
    made.set(length, kept);
    return kept;
  };
}

/** Repeats the last id up to the next power of two, since each length would be its own statement. */
export function padToPowerOfTwo(ids: readonly string[]): readonly string[] {
  const length = 2 ** Math.ceil(Math.log2(ids.length));
  return Array.from({ length }, (_, index) => ids[Math.min(index, ids.length - 1)] ?? '');
}

/** Splits rows into parts of few lengths, powers of two, for the same reason. */
export function* chunks<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let begin = 0; begin < rows.length; ) {
    const length = Math.min(MAX_VALUES, 2 ** Math.floor(Math.log2(rows.length - begin)));
    yield rows.slice(begin, begin + length);
    begin += length;
  }
}

/** The JSON of a resource, in pieces that may be large in total. */
export type JsonChunks = readonly string[];

/**
 * Where each member of a resource's JSON comes from: a `value` from the column of its name, or
 * stored JSON from a column, as `JSON.stringify` wrote it. A required field of the contract without
 * a member, or a member without a column of its type, does not compile.
 */
export type JsonMembers<T, Row> = {
  readonly [K in keyof T]-?: K extends keyof Row
    ? Row[K] extends T[K]
      ? 'value'
      : StoredJson<T[K], Row>
    : StoredJson<T[K], Row>;
};

type StoredJson<T, Row> = [T] extends [object | null] ? { readonly json: JsonColumn<Row> } : never;

/** The columns that may hold JSON; JSON in chunks may be large. */
type JsonColumn<Row> = {
  [C in keyof Row]: Row[C] extends string | JsonChunks | null ? C & string : never;
}[keyof Row];

/**
 * Returns a function that writes rows as `JSON.stringify` would write the resource `T`. Stored JSON
 * is inserted unchanged.
 */
export function jsonWriter<T, Row extends Readonly<Record<string, unknown>>>(
  members: JsonMembers<T, Row>,
): (row: Row) => JsonChunks {
  const sources: readonly [string, 'value' | { readonly json: string }][] = Object.entries(members);
  const parts = sources.map(([name, source], index) => ({
    opening: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    column: source === 'value' ? name : source.json,
    isJson: source !== 'value',
  }));
  return (row) => {
    const chunks: string[] = [];
    let text = '';
    for (const { opening, column, isJson } of parts) {
      const value = row[column];
      text += opening;
      if (!isJson) text += JSON.stringify(value);
      else if (typeof value === 'string') text += value;
      else if (Array.isArray(value)) {
        chunks.push(text, ...value);
        text = '';
      } else text += 'null';
    }
    chunks.push(`${text}}`);
    return chunks;
  };
}

/** An open object without members, as it is stored. */
export const EMPTY_OBJECT = '{}';

const MAX_KEYS = 1000;
const MAX_BYTES = 1024 * 1024;

/** The place of a field in the body of a write. */
export interface BodyField {
  readonly noun: 'skill' | 'agent' | 'chatbot';
  readonly field: string;
}

/**
 * Merges an open object into the stored one, one level deep: a sent key replaces the stored one, `null` removes it, and
 * other keys stay.
 * @param stored JSON that the store wrote. Its values are not parsed: they may be a mebibyte of small objects
 * @returns JSON as `JSON.stringify` writes the merged object
 * @throws {ProblemError} if it has more keys or bytes than the contract allows
 */
export function mergeJson(stored: string, sent: Readonly<Record<string, unknown>>, at: BodyField): string {
  const merged = new Map(jsonMembers(stored));
  for (const [key, value] of Object.entries(sent)) merged.set(key, JSON.stringify(value));
  for (const [key, value] of merged) if (value === 'null') merged.delete(key);
  if (merged.size > MAX_KEYS) throw tooLarge(at, `${MAX_KEYS} keys`);
  const members: string[] = [];
  // An object gives the key order of JSON.stringify: integer keys come first.
  for (const [key, value] of Object.entries(Object.fromEntries(merged)))
    members.push(`${JSON.stringify(key)}:${value}`);
  const text = `{${members.join()}}`;
  if (Buffer.byteLength(text) > MAX_BYTES) throw tooLarge(at, '1 MiB of JSON');
  return text;
}

/** Open settings as they are sent: `params` is the older name of `settings`. */
export interface SentSettings {
  readonly settings?: Readonly<Record<string, unknown>> | null;
  readonly params?: Readonly<Record<string, unknown>> | null;
}

/** Merges the settings that a write sends into the stored ones. */
export function mergeSettings(
  noun: BodyField['noun'],
  stored: { readonly settings: string },
  sent: SentSettings,
): string {
  const field = Object.hasOwn(sent, 'settings') ? 'settings' : 'params';
  return mergeJson(stored.settings, sent.settings ?? sent.params ?? {}, { noun, field });
}

/**
 * Returns the problem of a stored value that would become larger than the contract allows.
 * @param limit such as "1000 keys"
 */
export function tooLarge({ noun, field }: BodyField, limit: string) {
  const message = `would make the ${noun} hold more than ${limit}; send less, or remove some first`;
  return invalidRequest([{ pointer: `/body/${noun}/${field}`, message }]);
}

/**
 * Returns the members of a JSON object, each with its key and its value as unparsed JSON.
 * @param json an object as `JSON.stringify` writes it, without white space
 */
export function jsonMembers(json: string): [key: string, value: string][] {
  const members: [string, string][] = [];
  for (let at = 1; at < json.length - 1; ) {
    const colon = endOfString(json, at);
    const end = endOfValue(json, colon + 1);
    members.push([JSON.parse(json.slice(at, colon)), json.slice(colon + 1, end)]);
    at = end + 1;
  }
  return members;
}

/** Returns the end of a value: the comma after it, or the end of the surrounding object. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  for (let at = start; ; at++) {
    const code = json.charCodeAt(at);
    if (code === BYTE.quote) at = endOfString(json, at) - 1;
    else if (code === BYTE.openObject || code === BYTE.openArray) depth++;
    else if (depth === 0 && (code === BYTE.comma || code === BYTE.closeObject)) return at;
    else if (code === BYTE.closeObject || code === BYTE.closeArray) depth--;
  }
}

/**
 * Returns the end of the string that begins at `start`, after its closing quote. A search for the quote in the text is
 * many times as fast as a scan of its bytes, which a long text would first be encoded for.
 */
function endOfString(json: string, start: number): number {
  let quote = json.indexOf('"', start + 1);
  while (isEscaped(json, quote)) quote = json.indexOf('"', quote + 1);
  return quote + 1;
}

function isEscaped(json: string, at: number): boolean {
  let backslash = at - 1;
  while (json[backslash] === '\\') backslash--;
  return (at - backslash) % 2 === 0;
}
