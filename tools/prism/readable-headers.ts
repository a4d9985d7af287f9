import { subscribe } from 'node:diagnostics_channel';
import { IncomingMessage } from 'node:http';
import { asRecord } from '../../contract/json-record.js';
import { mediaType } from '../../server/edge/request.js';

/** A media type without parameters, or a range of them (RFC 9110, sections 8.3.1 and 12.5.1). */
const TYPE = /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+$/;
/** A type that no operation takes or answers: the request gets 415 or 406. */
const NO_TYPE = 'application/x-unreadable';

/**
 * Lets Prism read every request: its server ends with 500 at a Content-Type such as `application/json;`, and at an
 * Accept such as `,`. Node publishes each request before the server gets it.
 */
export function readableHeaders(): void {
  subscribe('http.server.request.start', (message) => {
    const { request } = asRecord(message);
    if (request instanceof IncomingMessage) readable(request);
  });
}

function readable(request: IncomingMessage): void {
  const { headers } = request;
  if (headers['content-type'] !== undefined) {
    const type = mediaType(request);
    headers['content-type'] = TYPE.test(type) ? type : NO_TYPE;
  }
  if (headers.accept !== undefined) {
    const ranges = headers.accept.split(',').map((range) => range.replace(/;\s*$/, '').trim());
    headers.accept = ranges.filter((range) => TYPE.test(range.replace(/;.*$/s, '').trim())).join(', ') || NO_TYPE;
  }
}
