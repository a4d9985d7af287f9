import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Database } from './database/schema.js';

export function newResource() {
  const now = new Date().toISOString();
  return { id: uuidv7(), created_at: now, updated_at: now };
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
export function* chunksBySize<T extends ListEntry>(entries: readonly T[]): Generator<readonly T[]> {
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
  query: (some: readonly string[]) => Promise<T[]>,
): Promise<T[]> {
  const rows: T[] = [];
  for (let begin = 0; begin < ids.length; begin += MAX_VALUES) {
    const some = padToPowerOfTwo(ids.slice(begin, begin + MAX_VALUES));
    for (const row of await query(some)) rows.push(row);
  }
  return rows;
}

/**
 * Repeats the last id up to the next power of two, since each length would be a statement of its
 * own.
 */
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
