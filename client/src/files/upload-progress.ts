import { findSource } from '../request/body-source.js';

/** The bytes of a body: those that were sent, and all of them. */
export interface UploadProgress {
  readonly loaded: number;
  readonly total: number;
}

/** Statuses whose responses have no body. */
const WITHOUT_BODY = [204, 205, 304];

/**
 * Returns a function to use in place of `fetch` that reports how much of the body was sent. It uses
 * XMLHttpRequest, since `fetch` does not report it.
 */
export function fetchWithProgress(
  onUpload: (progress: UploadProgress) => void,
): (request: Request) => Promise<Response> {
  return async (request) => {
    if (typeof XMLHttpRequest === 'undefined') {
      throw new TypeError('onUpload needs XMLHttpRequest, which browsers have and Node does not');
    }
    const source = findSource(request);
    const body = source instanceof Blob ? source : await request.blob();
    request.signal.throwIfAborted();
    return send(request, body, onUpload);
  };
}

function send(
  { method, url, headers, signal }: Request,
  body: Blob,
  onUpload: (progress: UploadProgress) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = new XMLHttpRequest();
    const abort = () => sent.abort();
    sent.open(method, url);
    for (const [name, value] of headers) sent.setRequestHeader(name, value);
    sent.responseType = 'blob';
    sent.upload.onprogress = ({ loaded, total }) => onUpload({ loaded, total });
    sent.onload = () => resolve(toResponse(sent));
    sent.onerror = () => reject(new TypeError(`${method} ${url} failed: there was no connection`));
    sent.onabort = () => reject(signal.reason);
    sent.onloadend = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    sent.send(body);
  });
}

function toResponse(answered: XMLHttpRequest): Response {
  const { status, statusText } = answered;
  const lines = answered.getAllResponseHeaders().trim().split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const body: unknown = answered.response;
  const hasBody = body instanceof Blob && !WITHOUT_BODY.includes(status);
  return new Response(hasBody ? body : null, { status, statusText, headers });
}
