import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { ChatError, connectionError } from './chat-error.js';
import type { ChatLimits } from './messages.js';

/** Shorter than servers keep an idle connection, most of them for five seconds, in milliseconds. */
const IDLE_MS = 4000;

const httpAgent = new HttpAgent({ keepAlive: true, timeout: IDLE_MS });
const httpsAgent = new HttpsAgent({ keepAlive: true, timeout: IDLE_MS });

/** The statuses of responses without content (RFC 9110, section 6.4.1). */
const WITHOUT_CONTENT: ReadonlySet<number> = new Set([204, 205, 304]);

const MAX_INTERIM = 16;

/** The most bytes that are read after the end of an answer: to connect anew costs less than more. */
const MAX_REST_BYTES = 64 * 1024;

/**
 * Sends a request over `node:http`: a chunk of an answer costs half of the processor time that it
 * costs over the `fetch` of Node.js. It follows no redirect, and asks for no compression.
 * @param target the address with its protocol, and headers
 * @param signal cancels the request, and the reading of its response
 * @throws {ChatError} if there is no response that HTTP allows, or none in time
 * @throws the reason of `signal` once it is aborted
 */
export function post(
  target: RequestOptions,
  body: string,
  limits: ChatLimits,
  signal: AbortSignal,
): Promise<ChatResponse> {
  signal.throwIfAborted();
  const firstByteBy = performance.now() + limits.firstByteMs;
  const isSecure = target.protocol === 'https:';
  const options = {
    ...target,
    agent: isSecure ? httpsAgent : httpAgent,
    method: 'POST',
    headers: {
      ...target.headers,
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'content-length': Buffer.byteLength(body),
    },
  };
  return new Promise((resolve, reject) => {
    const request = isSecure ? httpsRequest(options) : httpRequest(options);
    // Node's option `signal` costs more: it follows the whole stream.
    const abort = () => request.destroy();
    signal.addEventListener('abort', abort);
    const late = setTimeout(() => request.destroy(noFirstByte(limits)), limits.firstByteMs);
    const endWait = () => {
      clearTimeout(late);
      signal.removeEventListener('abort', abort);
    };
    const fail = (error: unknown) => {
      endWait();
      reject(error);
    };
    request.on('error', (cause) => fail(signal.aborted ? signal.reason : connectionError(cause)));
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > MAX_INTERIM) request.destroy(statusError());
    });
    // Without a listener, Node.js closes the connection and says nothing.
    request.once('upgrade', (_message, socket) => {
      socket.destroy();
      fail(statusError());
    });
    request.once('response', (message) => {
      endWait();
      const fault = findFault(message);
      if (!fault) return resolve(new ChatResponse(message, limits, signal, firstByteBy));
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
  #isReading = false;
  /** Ends the wait for the first byte, and then for the next ones. */
  #silence: NodeJS.Timeout;
  #closing: NodeJS.Timeout | undefined;
  #wake = (): void => {};
  readonly #onChange = (): void => this.#wake();
  readonly #abort = (): void => {
    this.message.destroy();
  };

  /**
   * @param signal undefined once the answer is complete
   * @param firstByteBy the time by which the body has to begin, as `performance.now()` tells it
   */
  constructor(
    private readonly message: IncomingMessage,
    private readonly limits: ChatLimits,
    private signal: AbortSignal | undefined,
    firstByteBy: number,
  ) {
    this.status = message.statusCode ?? 0;
    this.#socket = message.socket;
    this.#end = message.socket.bytesRead + limits.maxReceivedBytes;
    this.#silence = setTimeout(this.#onSilence, Math.max(firstByteBy - performance.now(), 1));
    signal?.addEventListener('abort', this.#abort);
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
    // The time between two reads is not the server's.
    this.#isReading = true;
    if (this.#bytes > 0) this.#silence.refresh();
    try {
      return await this.#readNext();
    } finally {
      this.#isReading = false;
    }
  }

  async #readNext(): Promise<Uint8Array | undefined> {
    const { message } = this;
    for (;;) {
      this.signal?.throwIfAborted();
      if (this.#socket.bytesRead > this.#end) return this.#fail(tooMuchReceived());
      const bytes: Buffer | null = message.read();
      if (bytes !== null) {
        this.#socket.pause();
        if (this.#bytes === 0) {
          clearTimeout(this.#silence);
          this.#silence = setTimeout(this.#onSilence, this.limits.silenceMs);
        }
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

  readonly #onSilence = (): void => {
    if (!this.#isReading) return;
    const { silenceMs } = this.limits;
    this.message.destroy(
      this.#bytes === 0
        ? noFirstByte(this.limits)
        : sentNothing(silenceMs, 'It may be overloaded: try again later.'),
    );
  };

  #fail(error: ChatError): undefined {
    this.message.destroy();
    if (this.#closing === undefined) throw error;
  }

  /** Makes the rest optional: it ends when the connection breaks, and after `endMs`. */
  makeOptional(): void {
    this.#closing ??= setTimeout(this.cancel, this.limits.endMs);
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
    this.makeOptional();
    this.signal?.removeEventListener('abort', this.#abort);
    this.signal = undefined;
    const end = this.#bytes + MAX_REST_BYTES;
    while (this.#bytes <= end && (await this.read()));
    this.cancel();
  }

  /** Closes the connection, unless the body has been read to its end. */
  readonly cancel = (): void => {
    clearTimeout(this.#closing);
    clearTimeout(this.#silence);
    this.signal?.removeEventListener('abort', this.#abort);
    if (!this.message.readableEnded) this.message.destroy();
  };
}

function sentNothing(milliseconds: number, advice: string): ChatError {
  const message = `The chat server sent nothing for ${milliseconds / 1000} s. ${advice}`;
  return new ChatError(message, 'timeout');
}

function noFirstByte({ firstByteMs }: ChatLimits): ChatError {
  return sentNothing(firstByteMs, 'It may still be loading the model: try again in a minute.');
}

/** In seconds. */
const MAX_RETRY_AFTER = 24 * 60 * 60;

function tooMuchReceived(): ChatError {
  return new ChatError(
    'The chat server sent too much in one answer, and little of it was text. Update the server, or the proxy before it.',
  );
}
