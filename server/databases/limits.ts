/** The limits of the queries to one database. */
export interface QueryLimits {
  /** The longest time of a query, its wait included, in milliseconds. */
  readonly timeoutMs: number;
  /** The most rows of a result. */
  readonly maxRows: number;
  /** The most bytes of a result, as JSON. */
  readonly maxBytes: number;
  /** The most bytes of a statement. */
  readonly maxSqlBytes: number;
  /** The most queries that run at once. */
  readonly maxAtOnce: number;
  /** The most queries of one owner that wait. */
  readonly maxWaiting: number;
}

export const DEFAULT_LIMITS: QueryLimits = {
  timeoutMs: 5_000,
  maxRows: 200,
  maxBytes: 64 * 1024,
  maxSqlBytes: 16 * 1024,
  maxAtOnce: 4,
  maxWaiting: 512,
};

export type ResultLimits = Pick<QueryLimits, 'maxRows' | 'maxBytes'>;
