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
