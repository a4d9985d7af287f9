import type { IncomingMessage } from 'node:http';

/** The headers in which a browser reports the origin of a request. */
export const ORIGIN_HEADERS = ['origin', 'sec-fetch-site'] as const;

/**
 * Returns whether a request comes from a page of another origin, as far as its browser reports it. A page
 * can set neither of the headers that are read here. Programs send neither.
 * @param allowed the exact origins that count as the service's own; `*` counts for nothing
 */
export function isFromOtherOrigin({ headers }: IncomingMessage, allowed: readonly string[]): boolean {
  const { origin, host } = headers;
  if (origin !== undefined && allowed.includes(origin)) return false;
  // Browsers since 2023 report it themselves (Fetch Metadata, W3C), whatever a proxy makes of the host.
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && !isOwnOrigin(origin, host);
}

/**
 * Returns whether an origin is that of the service's pages. A proxy may end TLS in front of it, so
 * the scheme is the origin's. The origin of a sandboxed page or a file, `null`, is nobody's own.
 */
export function isOwnOrigin(origin: string, host: string | undefined): boolean {
  const scheme = /^https?:/.exec(origin)?.[0];
  const own = `${scheme}//${host}`;
  return scheme !== undefined && URL.canParse(own) && new URL(own).origin === origin;
}
