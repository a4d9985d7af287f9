import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type RequestListener, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Contract } from '../../contract/document.js';
import { type ProblemError, problem, render } from '../problems/problem.js';
import { CLOSE_DELAY_MS } from './request.js';

/** Connections with a response in progress: anything written there would be read as part of it. */
export const responsesBegun = new WeakSet<Duplex>();

/** Connections that end with the current response: later requests are not answered. */
const endingSockets = new WeakSet<Duplex>();

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
    if (endingSockets.has(req.socket) || isLeftToParser(req)) return;
    const fault = framingFault(req) ?? targetFault(req) ?? hostFault(req);
    if (fault) {
      faults.set(req, fault);
      endingSockets.add(req.socket);
      res.shouldKeepAlive = false;
      req.url = '/';
    } else {
      useOriginForm(req);
    }
    listener(req, res);
  };
}

export function refuseMalformed(req: IncomingMessage): void {
  const fault = faults.get(req);
  if (fault) throw fault;
}

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
  if (codings.toLowerCase() === 'chunked') return undefined;
  return problem(
    '/problems/not-implemented',
    `The service does not decode Transfer-Encoding: ${codings}. Send the body as it is, with a Content-Length or with Transfer-Encoding: chunked.`,
  );
}

/** The scheme and authority at the start of a target in absolute form (RFC 9112, section 3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?]*)/i;

/** Checks the target of a request (RFC 9112, section 3.2). */
function targetFault({ url = '' }: IncomingMessage): ProblemError | undefined {
  if (url.includes('#')) return unreadable('its target has a fragment');
  if (url.startsWith('/') || url === '*') return undefined;
  const authority = ABSOLUTE.exec(url)?.[1];
  if (authority === undefined) return unreadable('its target is neither a path nor an http address');
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
  if (countHosts(rawHeaders) > 1) return unreadable('it has more than one Host header');
  return HOST.test(host) ? undefined : unreadable('its Host header is not a host and a port');
}

/** @param rawHeaders names and values in turn */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
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

/**
 * Returns the listener for input that Node cannot parse as HTTP. There is no request to answer, so
 * the problem is written to the connection, which then ends.
 */
export function answerUnreadableRequest(contract: Contract) {
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (!socket.writable || error.code === 'ECONNRESET' || responsesBegun.has(socket)) {
      socket.destroy();
      return;
    }
    if (endingSockets.has(socket)) return;
    endWith(contract, parserProblem(error.code), socket);
  };
}

/**
 * Returns the listener for CONNECT, the method of proxies (RFC 9110, section 9.3.6). Node hands
 * over the connection, and would close it without a response.
 */
export function refuseTunnel(contract: Contract) {
  return (_req: IncomingMessage, socket: Duplex): void => {
    socket.on('error', () => socket.destroy());
    const refusal = problem(
      '/problems/not-implemented',
      'The service is not a proxy: it has no method CONNECT. Send the request to the service itself.',
    );
    endWith(contract, refusal, socket);
    // Discards what was already sent: closing a connection with unread input may lose the response.
    socket.resume();
  };
}

function endWith(contract: Contract, error: ProblemError, socket: Duplex): void {
  const requestId = randomUUID();
  const document = render(contract, error, { instance: '/', requestId });
  const body = JSON.stringify(document);
  socket.end(
    [
      `HTTP/1.1 ${document.status} ${STATUS_CODES[document.status]}`,
      'Content-Type: application/problem+json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  // A client that neither reads nor closes would otherwise keep its connection and its buffers
  // forever.
  setTimeout(() => socket.destroy(), CLOSE_DELAY_MS).unref();
}

function parserProblem(code: string | undefined) {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return problem(
        '/problems/headers-too-large',
        'The headers of the request have more than 16 KiB; send fewer or shorter ones.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problem('/problems/request-timeout', 'The request took too long to arrive; send it again, all at once.');
    default:
      return unreadable('it is not well-formed HTTP/1.1');
  }
}
