import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Sets the headers that tell a browser to make nothing of an answer but data (OWASP REST Security
 * Cheat Sheet): it is no page, runs nothing, is framed by nobody and read by no other origin. What
 * is a page after all sets a Content-Security-Policy of its own over this one.
 *
 * That a browser shall come by HTTPS alone (HSTS) is for the proxy with TLS to say: over HTTP, which is all
 * that the service speaks, it must not be sent (RFC 6797, section 7.2).
 */
export function securityHeaders(): RequestHandler {
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
      // They speak of documents and their scripts, of which an answer has none.
      crossOriginEmbedderPolicy: false,
      crossOriginOpenerPolicy: false,
      originAgentCluster: false,
      // No browser in use reads them, or the policies above say it.
      xDnsPrefetchControl: false,
      xDownloadOptions: false,
      xFrameOptions: false,
      xPermittedCrossDomainPolicies: false,
      xXssProtection: false,
      // The app itself does not say it.
      xPoweredBy: false,
    }),
  );
  return (_req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    next();
  };
}

/** They are the same for every answer, and so asked for once. */
function headersOf(set: ReturnType<typeof helmet>): [string, string][] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  set(request, response, () => {});
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]);
}
