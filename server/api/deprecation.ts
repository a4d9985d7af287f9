import type { Request, Response } from 'express';
import { type Sunset, sunsetHeaders } from '../../contract/deprecations.js';
import type { Operation } from '../../contract/document.js';
import { asRecord } from '../../contract/json-record.js';
import { Exchange } from '../edge/exchange.js';

/** Adds `Deprecation` and `Sunset` to the answer; of several deprecated things, the earliest dates. */
function announceSunset(res: Response, { deprecated, sunset }: Sunset): void {
  const known = res.locals.sunset ?? { deprecated, sunset };
  const earliest = {
    deprecated: known.deprecated < deprecated ? known.deprecated : deprecated,
    sunset: known.sunset < sunset ? known.sunset : sunset,
  };
  res.locals.sunset = earliest;
  res.set(sunsetHeaders(earliest));
}

/**
 * Announces the end of the deprecated parts that a request has. A field that is null counts as not sent.
 * @param sent the parts of the request that are read by now, as in `Deprecation.in`
 */
export function announceDeprecations(
  { deprecations }: Operation,
  sent: Readonly<Record<string, unknown>>,
  res: Response,
): void {
  for (const { in: place, path, sunset } of deprecations) {
    const value = path.reduce(
      (part, name) => (Object.hasOwn(asRecord(part), name) ? asRecord(part)[name] : undefined),
      sent[place],
    );
    if (value !== undefined && value !== null) announceSunset(res, sunset);
  }
}

/**
 * Redirects a request with a deprecated prefix to the address without it, permanently and with the same method
 * (308). Its body is not read.
 * @param base the base path of the service, or ''
 * @param prefix the base path with the deprecated prefix, which the address begins with
 */
export function redirectFromPrefix(
  req: Request,
  res: Response,
  { base, prefix, sunset }: { base: string; prefix: string; sunset: Sunset },
): void {
  announceSunset(res, sunset);
  res.status(308).location(base + req.url.slice(prefix.length));
  Exchange.of(res).endUnread('');
}
