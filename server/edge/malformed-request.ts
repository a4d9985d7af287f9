import type { IncomingMessage, RequestListener } from 'node:http';
import type { RequestHandler } from 'express';
import { type ProblemError, problem } from '../problems/problem.js';
import { endingWithAnswer } from './client-error.js';

/** Problems that are found before Express sees the request, and thrown inside it. */
const faults = new WeakMap<IncomingMessage, ProblemError>();

/**
 * Checks requests against the parts of RFC 9112 that Node's parser does not enforce, and converts a
 * target in absolute form to origin form. Runs before Express, which answers some targets with a
 * page of its own. A refused request is the last of its connection: its end may be uncertain, so
 * nothing after it is parsed.
 * @param listener throws the problem of a refused request by {@link refuseMalformed}
 */
export function checkRequests(listener: RequestListener): RequestListener {
  return (req, res) => {
    if (endingWithAnswer.has(req.socket) || isLeftToParser(req)) return;
    const fault = framingFault(req) ?? targetFault(req) ?? hostFault(req);
    if (fault) {
      faults.set(req, fault);
      endingWithAnswer.add(req.socket);
      res.shouldKeepAlive = false;
      req.url = '/';
    } else {
      useOriginForm(req);
    }
    listener(req, res);
  };
}

/** Throws the problem that {@link checkRequests} found. */
export const refuseMalformed: RequestHandler = (req, _res, next) => {
  const fault = faults.get(req);
  if (fault) throw fault;
  next();
};

/**
 * Returns whether the parser will refuse the request after handing it over: if chunked is not the
 * last transfer coding, the end of the body is unknown (RFC 9112, section 6.3).
 */
function isLeftToParser({ headers }: IncomingMessage): boolean {
  const codings = headers['transfer-encoding'];
  return codings !== undefined && !/(^|,)[ \t]*chunked$/i.test(codings);
}

/** Checks the framing of a request (RFC 9112, sections 2.3 and 6.1). */
function framingFault(req: IncomingMessage): ProblemError | undefined {
  const { httpVersion, httpVersionMajor, headers } = req;
  if (httpVersionMajor !== 1) return unreadable(`it is in HTTP/${httpVersion}`);
  const codings = headers['transfer-encoding'];
  if (codings === undefined) return undefined;
  if (httpVersion === '1.0') return unreadable('HTTP/1.0 has no Transfer-Encoding');
  return codings.toLowerCase() === 'chunked' ? undefined : unknownCoding(codings);
}

/** The scheme and authority at the start of a target in absolute form (RFC 9112, section 3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?]*)/i;

/** Checks the target of a request (RFC 9112, section 3.2). */
function targetFault({ url = '' }: IncomingMessage): ProblemError | undefined {
  if (url.includes('#')) return unreadable('its target has a fragment');
  if (url.startsWith('/') || url === '*') return undefined;
  const authority = ABSOLUTE.exec(url)?.[1];
  if (authority === undefined)
    return unreadable('its target is neither a path nor an http address');
  return authority !== '' && HOST.test(authority)
    ? undefined
    : unreadable('the address that is its target has no valid host');
}

/** `uri-host [ ":" port ]` (RFC 9110, section 7.2, and RFC 3986, section 3.2.2). */
const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/** Checks the Host header (RFC 9112, section 3.2). */
function hostFault({ httpVersion, headers, rawHeaders }: IncomingMessage) {
  const { host } = headers;
  if (host === undefined) {
    return httpVersion === '1.0' ? undefined : unreadable('it has no Host header');
  }
  // If the header is sent more than once, Node shows only the first.
  if (rawHeaders.filter(isHost).length > 1) return unreadable('it has more than one Host header');
  return HOST.test(host) ? undefined : unreadable('its Host header is not a host and a port');
}

/**
 * Returns whether the item is the name of this header; `rawHeaders` alternates names and values.
 */
function isHost(text: string, index: number): boolean {
  return index % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host';
}

/**
 * Converts an absolute target to origin form. Its host replaces the Host header (RFC 9112, section
 * 3.2.2).
 */
function useOriginForm(req: IncomingMessage): void {
  const { url = '' } = req;
  const [start, authority] = ABSOLUTE.exec(url) ?? [];
  if (start === undefined) return;
  const rest = url.slice(start.length);
  req.url = rest.startsWith('/') ? rest : `/${rest}`;
  req.headers.host = authority;
}

function unreadable(why: string): ProblemError {
  return problem(
    '/problems/unreadable-request',
    `The request cannot be read: ${why}. Use an HTTP client, and look at proxies on the way.`,
  );
}

function unknownCoding(codings: string): ProblemError {
  return problem(
    '/problems/not-implemented',
    `The service does not decode Transfer-Encoding: ${codings}. Send the body as it is, with a Content-Length or with Transfer-Encoding: chunked.`,
  );
}
