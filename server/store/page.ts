import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from './database/schema.js';

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
export function* partsOf<T extends ListEntry>(entries: readonly T[]): Generator<readonly T[]> {
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
