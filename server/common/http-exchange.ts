import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';

/** Shorter than servers keep an idle connection, most of them for five seconds, in milliseconds. */
const IDLE_MS = 4000;

const httpAgent = new HttpAgent({ keepAlive: true, timeout: IDLE_MS });
const httpsAgent = new HttpsAgent({ keepAlive: true, timeout: IDLE_MS });

export interface ExchangeLimits {
  /** The longest wait for the first byte of the body, in milliseconds. */
  readonly firstByteMs: number;
  /** The longest silence within the body, in milliseconds. */
  readonly silenceMs: number;
  /** The longest wait for the rest of a body that is complete, in milliseconds. */
  readonly endMs: number;
  /** The size of all that arrives, with the form around each piece, in bytes. */
  readonly maxReceivedBytes: number;
}

export type ExchangeFault = 'connection' | 'no-first-byte' | 'silence' | 'status' | 'compression' | 'too-much';

/** An exchange failed, by the fault of the server or of the way to it. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
  /** The code of Node.js or OpenSSL, such as `ECONNREFUSED`; empty if there is none. */
  readonly code: string;

  constructor(
    readonly fault: ExchangeFault,
    cause?: unknown,
  ) {
    super(`The exchange failed (${fault}).`, { cause });
    this.code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  }
}

/** The statuses of responses without content (RFC 9110, section 6.4.1). */
const WITHOUT_CONTENT: ReadonlySet<number> = new Set([204, 205, 304]);

const MAX_INTERIM = 16;

/** The most bytes that are read after the end of an answer: to connect anew costs less than more. */
const MAX_REST_BYTES = 64 * 1024;

/**
 * Sends a request over `node:http`: a chunk of an answer costs half of the processor time that it
 * costs over the `fetch` of Node.js. It follows no redirect, and asks for no compression.
 * @param target the address with its protocol, the method and headers; with `agent: false`, the request has its
 *   own connection
 * @param body JSON; undefined for a request without a body
 * @param signal cancels the request, and the reading of its response
 * @throws {ExchangeError} if there is no response that HTTP allows, or none in time
 * @throws the reason of `signal` once it is aborted
 */
export function exchange(
  target: RequestOptions,
  body: string | undefined,
  limits: ExchangeLimits,
  signal: AbortSignal,
): Promise<ExchangeResponse> {
  signal.throwIfAborted();
  const firstByteBy = performance.now() + limits.firstByteMs;
  const isSecure = target.protocol === 'https:';
  const options = {
    ...target,
    agent: target.agent ?? (isSecure ? httpsAgent : httpAgent),
    headers: {
      ...target.headers,
      'accept-encoding': 'identity',
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    },
  };
  return new Promise((resolve, reject) => {
    const request = open(options, isSecure);
    // Node's option `signal` costs more: it follows the whole stream.
    const abort = () => request.destroy();
    signal.addEventListener('abort', abort);
    const late = setTimeout(() => request.destroy(new ExchangeError('no-first-byte')), limits.firstByteMs);
    const endWait = () => {
      clearTimeout(late);
      signal.removeEventListener('abort', abort);
    };
    const fail = (error: unknown) => {
      endWait();
      reject(error);
    };
    request.on('error', (cause) => fail(signal.aborted ? signal.reason : toExchangeError(cause)));
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > MAX_INTERIM) request.destroy(new ExchangeError('status'));
    });
    // Without a listener, Node.js closes the connection and says nothing.
    request.once('upgrade', (_message, socket) => {
      socket.destroy();
      fail(new ExchangeError('status'));
    });
    request.once('response', (message) => {
      endWait();
      const fault = findFault(message);
      if (!fault) return resolve(new ExchangeResponse(message, limits, signal, firstByteBy));
      message.destroy();
      reject(fault);
    });
    request.end(body);
  });
}

/** @throws {ExchangeError} if HTTP cannot carry a header */
function open(options: RequestOptions, isSecure: boolean): ClientRequest {
  try {
    return isSecure ? httpsRequest(options) : httpRequest(options);
  } catch (cause) {
    throw toExchangeError(cause);
  }
}

function findFault({ statusCode: status = 0, headers }: IncomingMessage): ExchangeError | undefined {
  if (status < 200 || status > 599) return new ExchangeError('status');
  const { 'content-encoding': coding = 'identity' } = headers;
  return coding === 'identity' ? undefined : new ExchangeError('compression');
}

function toExchangeError(cause: unknown): ExchangeError {
  return cause instanceof ExchangeError ? cause : new ExchangeError('connection', cause);
}

/** A response whose body is read on demand, until a signal aborts it. */
export class ExchangeResponse {
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
   * @param firstByteBy the time by which the body has to begin, in the time of `performance.now()`
   */
  constructor(
    private readonly message: IncomingMessage,
    private readonly limits: ExchangeLimits,
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

  get headers(): IncomingHttpHeaders {
    return this.message.headers;
  }

  /**
   * Returns the wait that the response asks for (`Retry-After`, RFC 9110, section 10.2.3) in whole
   * seconds, a day at most; undefined if it is missing or invalid.
   */
  get retryAfter(): number | undefined {
    const { 'retry-after': text = '', date = '' } = this.message.headers;
    // A date is by the server's clock, if it sends one.
    const now = Date.parse(date);
    const seconds = /^\d+$/.test(text)
      ? Number(text)
      : (Date.parse(text) - (Number.isNaN(now) ? Date.now() : now)) / 1000;
    if (Number.isNaN(seconds)) return undefined;
    return Math.min(Math.max(0, Math.ceil(seconds)), MAX_RETRY_AFTER);
  }

  /**
   * Returns the next bytes; undefined at the end. Bytes that arrive between two reads wait in the
   * system, and comes in one piece, which costs little however many chunks it was. The form of the
   * chunks counts to the limit, too: a chunk of one byte may have 16 KiB of extensions.
   * @throws {ExchangeError} if the connection breaks or too much arrives, unless the rest is optional
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
      if (this.#socket.bytesRead > this.#end) return this.#fail(new ExchangeError('too-much'));
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
      if (message.destroyed) return this.#fail(toExchangeError(message.errored));
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
    this.message.destroy(new ExchangeError(this.#bytes === 0 ? 'no-first-byte' : 'silence'));
  };

  #fail(error: ExchangeError): undefined {
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

/** In seconds. */
const MAX_RETRY_AFTER = 24 * 60 * 60;

/** The words for a server, in the messages of its failures. */
export interface ServerWords {
  /** The server as the subject of a sentence, such as `The chat server`. */
  readonly server: string;
  /** The setting of its address, such as `CHAT_URL`. */
  readonly setting: string;
  /** Advice where the first byte does not come in time. */
  readonly patience: string;
}

type Explain = (words: ServerWords) => string;

/** Failures by the error codes of Node.js and OpenSSL. */
const CONNECTION_FAULTS: readonly (readonly [codes: RegExp, explain: Explain])[] = [
  [/^ECONNREFUSED$/, ({ server, setting }) => `${server} refused the connection. Start it, or correct ${setting}.`],
  [
    /^(ENOTFOUND|EAI_\w+)$/,
    ({ server, setting }) =>
      `The host of ${inSentence(server)} is unknown. Correct ${setting}, or check the name service.`,
  ],
  [
    /^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/,
    ({ server, setting }) => `${server} could not be reached. Check ${setting} and the network between.`,
  ],
  [
    // bounded: an error code of Node.js
    /^(ERR_TLS_\w+|ERR_SSL_\w+|EPROTO|CERT_\w+|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_\w+)$/,
    ({ server, setting }) =>
      `The TLS connection to ${inSentence(server)} failed. Check https in ${setting} and the certificate of the server.`,
  ],
  [
    /^ERR_INVALID_CHAR$/,
    ({ server }) => `${server} was not asked: HTTP does not allow a character in a header, such as that of its key.`,
  ],
  [/^HPE_\w+$/, ({ server, setting }) => `${server} did not answer in HTTP. Correct the port in ${setting}.`],
];

const BROKEN: Explain = ({ server }) =>
  `The connection to ${inSentence(server)} broke before the answer was complete. Ask again.`;

/** Returns why an exchange failed, and what to do, without an address. */
export function explainExchange(
  { fault, code }: ExchangeError,
  { firstByteMs, silenceMs }: Pick<ExchangeLimits, 'firstByteMs' | 'silenceMs'>,
  words: ServerWords,
): string {
  const { server, setting, patience } = words;
  switch (fault) {
    case 'connection': {
      const [, explain = BROKEN] = CONNECTION_FAULTS.find(([codes]) => codes.test(code)) ?? [];
      return explain(words);
    }
    case 'no-first-byte':
      return `${server} sent nothing for ${firstByteMs / 1000} s. ${patience}`;
    case 'silence':
      return `${server} sent nothing for ${silenceMs / 1000} s. It may be overloaded: try again later.`;
    case 'status':
      return `${server} answered with a status that HTTP does not have, or with too many interim ones. Correct ${setting}, or update the server.`;
    case 'compression':
      return `${server} compressed its answer, which was not asked for. Switch that off, there or in the proxy before it.`;
    case 'too-much':
      return `${server} sent too much in one answer, and little of it was text. Update the server, or the proxy before it.`;
  }
}

function inSentence(server: string): string {
  return `${server.charAt(0).toLowerCase()}${server.slice(1)}`;
}
