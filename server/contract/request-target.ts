import type { RequestHandler } from 'express';
import { problem } from './problems.js';

/**
 * Takes the request's target in the forms that RFC 9112 has for it: one that begins with a scheme and a
 * host means the same as without them (section 3.2.2), and HTTP/1.1 wants a Host (section 3.2).
 */
export const readTarget: RequestHandler = (req, _res, next) => {
  if (!req.url.startsWith('/')) req.url = req.url.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
  if (req.headers.host === undefined && req.httpVersion === '1.1') {
    throw problem(
      '/problems/unreadable-request',
      'The request cannot be read: it has no Host header. Use an HTTP client.',
    );
  }
  next();
};

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
