import type { RequestHandler } from 'express';
import helmet from 'helmet';

const YEAR = 365 * 24 * 60 * 60;

/**
 * Sets the headers that tell a browser to make nothing of an answer but data (OWASP REST Security
 * Cheat Sheet): it is no page, runs nothing, is framed by nobody and read by no other origin. What
 * is a page after all sets a Content-Security-Policy of its own over this one.
 *
 * A browser is told to come back by HTTPS alone (HSTS) only if it came by HTTPS, as the app's
 * `trust proxy` says: over HTTP it must not be sent (RFC 6797, section 7.2). Subdomains are left
 * out; they may be somebody else's.
 */
export function securityHeaders(): RequestHandler {
  const overHttp = headers(false);
  const overHttps = headers({ maxAge: YEAR, includeSubDomains: false });
  return (req, res, next) => (req.secure ? overHttps : overHttp)(req, res, next);
}

function headers(strictTransportSecurity: false | { maxAge: number; includeSubDomains: boolean }) {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    referrerPolicy: { policy: 'no-referrer' },
    xContentTypeOptions: true,
    strictTransportSecurity,
    // They speak of documents and their scripts, of which an answer has none.
    crossOriginEmbedderPolicy: false,
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    // No browser that is in use heeds them, or the policies above say it.
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    // The app itself does not say it.
    xPoweredBy: false,
  });
}
