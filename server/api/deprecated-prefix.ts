import type { Request, Response } from 'express';
import type { Sunset } from '../contract/sunset.js';
import { drainAndClose } from '../edge/request-body.js';
import { announceSunset } from './deprecation.js';

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
  res.set('Content-Length', '0');
  drainAndClose(req, res, '');
}
