import { apiKey, createRosterClient, idempotencyKeys, type RosterClient, retry } from 'roster-client';
import { ConnectionError, noteAnswer, noteFailure } from './connection.js';
import { key, keyRefusal } from './key.js';

/** The address of the service: the page's own, without the fragment. */
export const baseUrl = new URL('.', location.href).href.replace(/\/$/, '');

/** The client that all views use. */
export const roster = clientWith((request) => fetch(request));
roster.use(retry({ attempts: 3, within: 10_000 }));

/**
 * Returns a client that reports how much of a body has been sent, and sends it once: a table can be
 * too large to send it again without asking.
 * @param onProgress called with the sent share, from 0 to 1
 */
export function uploadClient(body: Blob, onProgress: (share: number) => void): RosterClient {
  return clientWith((request) => sendWithProgress(request, body, onProgress));
}

function clientWith(send: (request: Request) => Promise<Response>): RosterClient {
  const client = createRosterClient({ baseUrl, fetch: watched(send) });
  client.use(
    apiKey(() => key.get()),
    idempotencyKeys(),
  );
  return client;
}

/** Notifies the rest of the page of a lost connection and of a refused key. */
function watched(send: (request: Request) => Promise<Response>) {
  return async (request: Request): Promise<Response> => {
    let response: Response;
    try {
      response = await send(request);
    } catch (error) {
      if (request.signal.aborted) throw error;
      void noteFailure(`${baseUrl}/health/live`);
      throw new ConnectionError('The connection to the service broke off.', { cause: error });
    }
    noteAnswer(response);
    if (response.status === 401) keyRefusal.set(await readDetail(response.clone()));
    return response;
  };
}

async function readDetail(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null);
  const detail = typeof body === 'object' && body !== null ? Reflect.get(body, 'detail') : undefined;
  return typeof detail === 'string' ? detail : 'The service needs a valid key.';
}

/**
 * Sends a request with `XMLHttpRequest`, because fetch does not report the progress of an upload.
 *
 * @param body the body of the request; the request's own is a stream, which would be read into memory
 * @param onProgress called with the sent share, from 0 to 1
 * @throws TypeError if no answer arrives, as fetch does
 * @throws DOMException `AbortError` if the request's signal is aborted
 */
function sendWithProgress(request: Request, body: Blob, onProgress: (share: number) => void): Promise<Response> {
  return new Promise((resolve, reject) => {
    // A signal that is already aborted has no further event.
    request.signal.throwIfAborted();
    const xhr = new XMLHttpRequest();
    xhr.open(request.method, request.url);
    xhr.responseType = 'text';
    for (const [name, value] of request.headers) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    xhr.onload = () => resolve(toResponse(xhr));
    xhr.onerror = () => reject(new TypeError('The connection to the service broke off.'));
    xhr.onabort = () => reject(new DOMException('The upload was cancelled.', 'AbortError'));
    request.signal.addEventListener('abort', () => xhr.abort(), { once: true });
    xhr.send(body);
  });
}

function toResponse(xhr: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of xhr.getAllResponseHeaders().trim().split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return new Response(xhr.responseText, { status: xhr.status, statusText: xhr.statusText, headers });
}
