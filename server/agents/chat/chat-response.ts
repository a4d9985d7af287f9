import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { ChatError, connectionError } from './chat-error.js';

/** Shorter than servers keep an idle connection, most of them for five seconds, in milliseconds. */
const IDLE_MS = 4000;

const httpAgent = new HttpAgent({ keepAlive: true, timeout: IDLE_MS });
const httpsAgent = new HttpsAgent({ keepAlive: true, timeout: IDLE_MS });

/** The statuses of responses without content (RFC 9110, section 6.4.1). */
const WITHOUT_CONTENT: ReadonlySet<number> = new Set([204, 205, 304]);

/** The most interim responses (1xx) before the response. */
const MAX_INTERIM = 16;

/** The most bytes that are read after the end of an answer: to connect anew costs less than more. */
const MAX_REST_BYTES = 64 * 1024;

interface ChatPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The most bytes that are received after the headers of the response, whatever they mean. */
  readonly maxReceivedBytes: number;
}

/**
 * Sends a request over `node:http`: a chunk of an answer costs half of the processor time that it
 * costs over the `fetch` of Node.js. It follows no redirect, and asks for no compression.
 * @param signal cancels the request, and the reading of its response
 * @throws {ChatError} if there is no response that HTTP allows
 * @throws the reason of `signal` once it is aborted
 */
export function post(
  { url, headers, body, maxReceivedBytes }: ChatPost,
  signal: AbortSignal,
): Promise<ChatResponse> {
  signal.throwIfAborted();
  const options = {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'content-length': Buffer.byteLength(body),
    },
    signal,
  };
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:')
      ? httpsRequest(url, { ...options, agent: httpsAgent })
      : httpRequest(url, { ...options, agent: httpAgent });
    request.on('error', (cause) => reject(signal.aborted ? signal.reason : connectionError(cause)));
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > MAX_INTERIM) request.destroy(statusError());
    });
    // Without a listener, Node.js closes the connection and says nothing.
    request.once('upgrade', (_message, socket) => {
      socket.destroy();
      reject(statusError());
    });
    request.once('response', (message) => {
      const fault = findFault(message);
      if (!fault) return resolve(new ChatResponse(message, maxReceivedBytes, signal));
      message.destroy();
      reject(fault);
    });
    request.end(body);
  });
}

function findFault({ statusCode: status = 0, headers }: IncomingMessage): ChatError | undefined {
  if (status < 200 || status > 599) return statusError();
  const { 'content-encoding': coding = 'identity' } = headers;
  if (coding === 'identity') return undefined;
  return new ChatError(
    'The chat server compressed its answer, which was not asked for. Switch that off, there or in the proxy before it.',
    'connection',
  );
}

function statusError(): ChatError {
  return new ChatError(
    'The chat server answered with a status that HTTP does not have, or with too many interim ones. Correct CHAT_URL, or update the server.',
  );
}

/** A response whose body is read on demand, until a signal aborts it. */
export class ChatResponse {
  readonly status: number;
  /** A message that has ended has none any more. */
  readonly #socket: Socket;
  /** The count of the socket at which too much was received. */
  readonly #end: number;
  #bytes = 0;
  #closing: NodeJS.Timeout | undefined;
  #wake = (): void => {};
  readonly #onChange = (): void => this.#wake();

  constructor(
    private readonly message: IncomingMessage,
    maxReceivedBytes: number,
    private readonly signal: AbortSignal,
  ) {
    this.status = message.statusCode ?? 0;
    this.#socket = message.socket;
    this.#end = message.socket.bytesRead + maxReceivedBytes;
    message.on('end', this.#onChange).on('close', this.#onChange);
    // It is read from `errored`.
    message.on('error', () => {});
    // A body that follows all the same is not read.
    if (WITHOUT_CONTENT.has(this.status)) message.destroy();
  }

  /**
   * Returns the wait that the response asks for (`Retry-After`, RFC 9110, section 10.2.3) in whole
   * seconds, a day at most; undefined if it is missing or invalid.
   */
  get retryAfter(): number | undefined {
    const { 'retry-after': text = '', date = '' } = this.message.headers;
    // A date is by the server's clock, if it tells it.
    const now = Date.parse(date);
    const seconds = /^\d+$/.test(text)
      ? Number(text)
      : (Date.parse(text) - (Number.isNaN(now) ? Date.now() : now)) / 1000;
    if (Number.isNaN(seconds)) return undefined;
    return Math.min(Math.max(0, Math.ceil(seconds)), MAX_RETRY_AFTER);
  }

  /**
   * Returns the next bytes; undefined at the end. What arrives between two reads waits in the
   * system, and comes in one piece, which costs little however many chunks it was. The form of the
   * chunks counts to the limit, too: a chunk of one byte may have 16 KiB of extensions.
   * @throws {ChatError} if the connection breaks or too much arrives, unless the rest is optional
   * @throws the reason of the signal once it is aborted
   */
  async read(): Promise<Uint8Array | undefined> {
    const { message, signal } = this;
    for (;;) {
      signal.throwIfAborted();
      if (this.#socket.bytesRead > this.#end) return this.#fail(tooMuchReceived());
      const bytes: Buffer | null = message.read();
      if (bytes !== null) {
        this.#socket.pause();
        this.#bytes += bytes.length;
        return bytes;
      }
      if (message.readableEnded) return undefined;
      if (message.destroyed) return this.#fail(connectionError(message.errored));
      this.#socket.resume();
      // A lasting listener would keep the message reading between two reads.
      message.once('readable', this.#onChange);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      message.off('readable', this.#onChange);
    }
  }

  #fail(error: ChatError): undefined {
    this.message.destroy();
    if (this.#closing === undefined) throw error;
  }

  /** Makes the rest optional: it ends when the connection breaks, and after this many milliseconds. */
  makeOptional(timeoutMs: number): void {
    this.#closing ??= setTimeout(this.cancel, timeoutMs);
  }

  /** Returns the beginning as text, and closes the connection if there is more than `maxBytes`. */
  async readBeginning(maxBytes: number): Promise<string> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for (let bytes = await this.read(); bytes; bytes = await this.read()) {
      chunks.push(bytes);
      length += bytes.length;
      if (length >= maxBytes) break;
    }
    this.cancel();
    return Buffer.concat(chunks).toString('utf8', 0, maxBytes);
  }

  /** Reads a short optional rest to its end, so that the connection can be used again. */
  async release(): Promise<void> {
    const end = this.#bytes + MAX_REST_BYTES;
    try {
      while (this.#bytes <= end && (await this.read()));
    } catch {
      // The caller has gone.
    } finally {
      this.cancel();
    }
  }

  /** Closes the connection, unless the body has been read to its end. */
  readonly cancel = (): void => {
    clearTimeout(this.#closing);
    if (!this.message.readableEnded) this.message.destroy();
  };
}

/** In seconds. */
const MAX_RETRY_AFTER = 24 * 60 * 60;

function tooMuchReceived(): ChatError {
  return new ChatError(
    'The chat server sent too much in one answer, and little of it was text. Update the server, or the proxy before it.',
  );
}
