import type { ReferenceExpression, SelectQueryBuilder } from 'kysely';
import type { Database } from './schema.js';

/** A part of a list: at most `limit` resources, those that come after the one with the id `after`. */
export interface Page {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

/** Orders a list by creation and cuts the page out of it. `id` is the column of the resource's id. */
export function inOrder<T extends keyof Database, O>(
  query: SelectQueryBuilder<Database, T, O>,
  id: ReferenceExpression<Database, T>,
  { limit, after }: Page,
): SelectQueryBuilder<Database, T, O> {
  const ordered = query.orderBy(id);
  const begun = after === undefined ? ordered : ordered.where(id, '>', after as never);
  return limit === undefined ? begun : begun.limit(limit);
}
