import type { ServerResponse } from 'node:http';

/**
 * The headers that make a browser treat a response as data only (OWASP REST Security Cheat Sheet): it
 * is not rendered, runs no scripts, and cannot be framed or read by another origin. Pages override
 * the Content-Security-Policy with their own.
 *
 * HSTS is left to the proxy that terminates TLS: it must not be sent over HTTP, which is all that
 * the service speaks (RFC 6797, section 7.2).
 */
const HEADERS = [
  ['content-security-policy', "default-src 'none';frame-ancestors 'none'"],
  ['cross-origin-resource-policy', 'same-origin'],
  ['referrer-policy', 'no-referrer'],
  ['x-content-type-options', 'nosniff'],
] as const;

export function setSecurityHeaders(res: ServerResponse): void {
  for (const [name, value] of HEADERS) res.setHeader(name, value);
}
