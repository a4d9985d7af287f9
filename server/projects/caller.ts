import type { Handlers } from '../api/handlers.js';

/** The configured limits that a caller is told. */
export interface CallerLimits {
  readonly maxBody: number;
  readonly maxTable: number;
  /** Requests a minute; 0 for no limit. */
  readonly rateLimit: number;
}

/** Returns the operation that shows the caller: the owner, the key, the scopes and the limits. */
export function callerOperations({
  maxBody,
  maxTable,
  rateLimit,
}: CallerLimits): Pick<Handlers, 'getCaller'> {
  return {
    getCaller: ({ caller: { owner, key, scopes }, reply }) => {
      // Only keys have a rate limit, and 0 stands for none.
      const rate_limit = key && rateLimit > 0 ? rateLimit : null;
      const limits = { max_body: maxBody, max_table: maxTable, rate_limit };
      return reply({ status: 200, body: { owner, key, scopes: [...scopes], limits } });
    },
  };
}
