import type { RequestHandler, Response } from 'express';
import type { Operation } from '../contract/document.js';
import { asRecord } from '../contract/json-record.js';
import { earlier, type Sunset, sunsetHeaders } from '../contract/sunset.js';

/**
 * Adds `Deprecation` and `Sunset` to the answer. A request that uses several deprecated things gets the
 * earliest dates.
 */
export function announceSunset(res: Response, sunset: Sunset): void {
  const { locals } = res;
  locals.sunset = locals.sunset ? earlier(locals.sunset, sunset) : sunset;
  res.set(sunsetHeaders(locals.sunset));
}

/**
 * Returns the middleware that announces the end of a deprecated operation, and of deprecated parameters that
 * a request has; empty if the operation has none.
 */
export function announceParameters({ deprecations }: Operation): RequestHandler[] {
  const { operation, query, headers } = deprecations;
  if (!operation && query.size === 0 && headers.size === 0) return [];
  return [
    (req, res, next) => {
      if (operation) announceSunset(res, operation);
      for (const [name, sunset] of query) {
        if (req.query[name] !== undefined) announceSunset(res, sunset);
      }
      for (const [name, sunset] of headers) {
        if (req.headers[name] !== undefined) announceSunset(res, sunset);
      }
      next();
    },
  ];
}

/**
 * Returns the middleware that announces the end of deprecated fields that a parsed body has; empty if the
 * operation has none. A field that is null counts as not sent.
 */
export function announceFields({ deprecations: { fields } }: Operation): RequestHandler[] {
  if (fields.length === 0) return [];
  return [
    ({ body }, res, next) => {
      for (const { path, sunset } of fields) {
        if (isSent(body, path)) announceSunset(res, sunset);
      }
      next();
    },
  ];
}

function isSent(body: unknown, path: readonly string[]): boolean {
  const value = path.reduce(
    (part, name) => (Object.hasOwn(asRecord(part), name) ? asRecord(part)[name] : undefined),
    body,
  );
  return value !== undefined && value !== null;
}
