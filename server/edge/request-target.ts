import type { RequestHandler } from 'express';
import { problem } from '../problems/problem.js';

/** Returns the target of a request without its query. */
export function withoutQuery(target: string): string {
  const query = target.indexOf('?');
  return query < 0 ? target : target.slice(0, query);
}

/** Refuses every request that no route has taken. */
export const refuseUnknownAddress: RequestHandler = (req) => {
  throw problem(
    '/problems/unknown-address',
    `There is no address ${req.path}; compare it with the contract. Addresses are case-sensitive, and those of models begin with /api.`,
  );
};
