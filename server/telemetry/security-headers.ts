import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/**
 * Sets the headers that make a browser treat a response as data only (OWASP REST Security Cheat
 * Sheet): it is not rendered, runs no scripts, and cannot be framed or read by another origin.
 * Pages override the Content-Security-Policy with their own.
 *
 * HSTS is left to the proxy that terminates TLS: it must not be sent over HTTP, which is all that
 * the service speaks (RFC 6797, section 7.2).
 */
export function securityHeaders(): (res: ServerResponse) => void {
  const headers = headersOf(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      },
      crossOriginResourcePolicy: { policy: 'same-origin' },
      referrerPolicy: { policy: 'no-referrer' },
      xContentTypeOptions: true,
      strictTransportSecurity: false,
      // They concern documents and their scripts, of which a response has none.
      crossOriginEmbedderPolicy: false,
      crossOriginOpenerPolicy: false,
      originAgentCluster: false,
      // No current browser reads them, or the policies above cover them.
      xDnsPrefetchControl: false,
      xDownloadOptions: false,
      xFrameOptions: false,
      xPermittedCrossDomainPolicies: false,
      xXssProtection: false,
      // The app already omits it.
      xPoweredBy: false,
    }),
  );
  return (res) => {
    for (const [name, value] of headers) res.setHeader(name, value);
  };
}

/** Computed once, because the headers are the same for every response. */
function headersOf(set: ReturnType<typeof helmet>): [string, string][] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  set(request, response, () => {});
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]);
}
