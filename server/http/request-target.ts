import type { RequestHandler } from 'express';
import { problem } from '../problems/problem.js';

/** A request's target without its query. */
export function withoutQuery(target: string): string {
  const query = target.indexOf('?');
  return query < 0 ? target : target.slice(0, query);
}

/** Where every request ends that no route has taken. */
export const refuseUnknownAddress: RequestHandler = (req) => {
  throw problem(
    '/problems/unknown-address',
    `There is no address ${req.path}; compare it with the contract. Addresses are case-sensitive, and those of models begin with /api.`,
  );
};
