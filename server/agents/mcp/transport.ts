import type { IncomingHttpHeaders, OutgoingHttpHeaders, RequestOptions } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { urlToHttpOptions } from 'node:url';
import { asRecord, type JsonRecord } from '../../../contract/json-record.js';
import { EventReader } from '../../common/event-reader.js';
import {
  ExchangeError,
  type ExchangeLimits,
  type ExchangeResponse,
  exchange,
  explainExchange,
} from '../../common/http-exchange.js';
import { parseObject } from '../chat/messages.js';
import { ToolError } from '../tools/tool.js';
import type { McpServerSettings } from './settings.js';

export interface TransportLimits extends ExchangeLimits {
  /** The size of one message, in bytes of UTF-8. */
  readonly maxMessageBytes: number;
  readonly maxEvents: number;
  /** The most times that an answer that breaks off is resumed. */
  readonly maxResumptions: number;
}

const DEFAULT_LIMITS: TransportLimits = {
  firstByteMs: 60_000,
  silenceMs: 60_000,
  endMs: 1_000,
  maxReceivedBytes: 4 * 1024 * 1024,
  maxMessageBytes: 2 * 1024 * 1024,
  maxEvents: 10_000,
  maxResumptions: 20,
};

/** A message of JSON-RPC. One with a method and an id awaits an answer. */
export interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: number | string;
  readonly method?: string;
  readonly [member: string]: unknown;
}

/** A response: its status, and the answer of JSON-RPC in it, if it has one. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly result: JsonRecord | undefined;
  readonly error: JsonRecord | undefined;
}

interface SendOptions {
  readonly signal: AbortSignal;
  readonly headers?: OutgoingHttpHeaders | undefined;
  /**
   * Gets the requests of the server among the events of an answer. Such an answer may also be
   * resumed, up to revision 2025-11-25.
   */
  readonly onRequest?: ((request: JsonRecord) => void) | undefined;
}

/** Why an answer cannot be read. */
type AnswerFault = 'broken' | 'too-long' | 'too-many' | 'no-answer';

/** The shortest and the longest wait before an answer is resumed, in milliseconds. */
const MIN_RETRY_MS = 50;
const MAX_RETRY_MS = 30_000;
const DEFAULT_RETRY_MS = 1_000;

/** The most characters of an event's id that an answer is resumed by. */
const MAX_EVENT_ID = 1000;

const REFUSAL_BYTES = 16 * 1024;

/** The shortest value of a header that is looked for in what a server sends. */
const MIN_SECRET = 12;

/**
 * Sends messages to one MCP server over HTTP, and reads its answers within bounds. It follows no redirect, and sends
 * the headers of the operator alone. Values of these headers that the server repeats are left out of what it sends.
 */
export class McpTransport {
  readonly #target: RequestOptions;
  readonly #limits: TransportLimits;
  readonly #server: string;

  /** @param name the name of the server, for messages */
  constructor(
    name: string,
    private readonly settings: McpServerSettings,
    limits: Partial<TransportLimits> = {},
  ) {
    this.#server = `The MCP server ${JSON.stringify(name)}`;
    this.#target = urlToHttpOptions(new URL(settings.url));
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
  }

  /**
   * Sends a message, and returns the response to it. One that is not a success has the error of
   * JSON-RPC in its body, if there is one.
   * @throws {ToolError} if there is no answer in the form of the protocol, or it is out of bounds
   * @throws the reason of `signal` once it is aborted
   */
  async send(message: Message, { signal, headers, onRequest }: SendOptions): Promise<Reply> {
    return this.#explained(signal, async () => {
      const response = await this.#exchange('POST', headers, signal, JSON.stringify(message));
      return this.#within(response, async () => {
        if (response.status >= 300) return this.#readRefusal(response);
        const { id, method } = message;
        if (id === undefined || method === undefined) return toReply(response, undefined);
        if (!isEventStream(response)) return this.#readDocument(response, id);
        const answer = await this.#readEvents(response, id, { signal, headers, onRequest });
        return toReply(response, answer);
      });
    });
  }

  /** Ends a session; what the server says to it does not matter. */
  async end(headers: OutgoingHttpHeaders, signal: AbortSignal): Promise<void> {
    (await this.#exchange('DELETE', headers, signal)).cancel();
  }

  #exchange(
    method: string,
    headers: OutgoingHttpHeaders | undefined,
    signal: AbortSignal,
    body?: string,
  ): Promise<ExchangeResponse> {
    const accept = method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream';
    const all = { accept, ...this.settings.readHeaders(), ...headers };
    return exchange({ ...this.#target, method, headers: all }, body, this.#limits, signal);
  }

  /** Leaves the connection open only after a whole answer. */
  async #within<T>(response: ExchangeResponse, read: () => Promise<T>): Promise<T> {
    let isRead = false;
    try {
      const value = await read();
      isRead = true;
      return value;
    } finally {
      if (isRead) void response.release();
      else response.cancel();
    }
  }

  async #explained<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ExchangeError)) throw error;
      const setting = 'its url in MCP_SERVERS';
      const words = { server: this.#server, setting, patience: 'Try again later.' };
      throw new ToolError(explainExchange(error, this.#limits, words));
    }
  }

  async #readRefusal(response: ExchangeResponse): Promise<Reply> {
    response.makeOptional();
    const text = await response.readBeginning(REFUSAL_BYTES);
    return toReply(response, parseObject(this.#redact(text)));
  }

  async #readDocument(response: ExchangeResponse, id: Message['id']): Promise<Reply> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for (let bytes = await response.read(); bytes; bytes = await response.read()) {
      length += bytes.length;
      if (length > this.#limits.maxMessageBytes) throw this.#fault('too-long');
      chunks.push(bytes);
    }
    const answer = this.#parse(Buffer.concat(chunks).toString());
    if (answer?.['id'] !== id) throw this.#fault('no-answer');
    return toReply(response, answer);
  }

  /** Reads events up to the answer, and resumes them where the server closes the connection before. */
  async #readEvents(
    first: ExchangeResponse,
    id: Message['id'],
    { signal, headers, onRequest }: SendOptions,
  ): Promise<JsonRecord> {
    const state: { answer?: JsonRecord; lastId?: string; retryMs: number } = { retryMs: DEFAULT_RETRY_MS };
    const { maxMessageBytes: maxLength, maxEvents, maxResumptions } = this.#limits;
    const createReader = () =>
      new EventReader(
        { maxLength, maxEvents },
        {
          onEvent: ({ data, id: eventId }) => {
            if (eventId !== undefined && canBeSent(eventId)) state.lastId = eventId;
            const message = this.#parse(data);
            if (!message || state.answer) return;
            if ('method' in message) {
              if ('id' in message) onRequest?.(message);
            } else if (message['id'] === id) state.answer = message;
          },
          onRetry: (milliseconds) => {
            state.retryMs = milliseconds;
          },
          createError: (fault) => this.#fault(fault === 'no-events' ? 'no-answer' : fault),
        },
      );
    const readFrom = async (response: ExchangeResponse) => {
      try {
        await readAll(response, createReader(), () => state.answer !== undefined);
      } catch (error) {
        // Then the answer is resumed, or is broken.
        if (!(error instanceof ExchangeError && error.fault === 'connection')) throw error;
      }
    };
    await readFrom(first);
    for (let resumed = 0; !state.answer; resumed += 1) {
      if (!onRequest || !state.lastId || resumed === maxResumptions) throw this.#fault('broken');
      await delay(Math.min(Math.max(state.retryMs, MIN_RETRY_MS), MAX_RETRY_MS), undefined, { signal });
      const lastId = { ...headers, 'Last-Event-ID': Buffer.from(state.lastId).toString('latin1') };
      const response = await this.#exchange('GET', lastId, signal);
      if (response.status !== 200 || !isEventStream(response)) {
        response.cancel();
        throw this.#fault('broken');
      }
      await this.#within(response, () => readFrom(response));
    }
    return state.answer;
  }

  /** Returns the message that a text is; undefined if it is none. */
  #parse(text: string): JsonRecord | undefined {
    const value = parseObject(this.#redact(text));
    return value && asRecord(value);
  }

  #redact(text: string): string {
    return findSecrets(this.settings).reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
  }

  #fault(fault: AnswerFault): ToolError {
    const { maxMessageBytes, maxEvents } = this.#limits;
    switch (fault) {
      case 'broken':
        return new ToolError(`${this.#server} ended its answer before it was complete.`);
      case 'too-long':
        return new ToolError(`${this.#server} sent an answer of more than ${maxMessageBytes} bytes; ask for less.`);
      case 'too-many':
        return new ToolError(`${this.#server} sent more than ${maxEvents} events before its answer; ask for less.`);
      case 'no-answer':
        return new ToolError(
          `${this.#server} did not answer in the form of the protocol; its url in MCP_SERVERS may be wrong.`,
        );
    }
  }
}

/** Returns whether the id of an event can be sent in a header, in UTF-8 as by WHATWG HTML, section 9.2. */
function canBeSent(eventId: string): boolean {
  return eventId.length <= MAX_EVENT_ID && !/\p{Cc}/u.test(eventId);
}

async function readAll(response: ExchangeResponse, reader: EventReader, isEnough: () => boolean): Promise<void> {
  const decoder = new TextDecoder();
  for (let bytes = await response.read(); bytes; bytes = await response.read()) {
    reader.feed(decoder.decode(bytes, { stream: true }));
    if (isEnough()) return;
  }
  reader.end();
}

function isEventStream({ headers }: ExchangeResponse): boolean {
  return /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
}

function toReply({ status, headers }: ExchangeResponse, answer: object | undefined): Reply {
  const { result, error } = asRecord(answer);
  return {
    status,
    headers,
    result: result === undefined ? undefined : asRecord(result),
    error: error === undefined || error === null ? undefined : asRecord(error),
  };
}

/**
 * Returns the secrets that are cut out of the texts of a server, as JSON writes them: the values of headers, their last
 * words, such as the token after `Bearer`, and the values in the query of the address. Short ones are left alone, since
 * they may stand in any text, and so are numbers, which may stand outside of a string.
 */
function findSecrets({ url, readHeaders }: McpServerSettings): string[] {
  return [...Object.values(readHeaders()), ...new URL(url).searchParams.values()]
    .flatMap((value) => [value, value.split(' ').at(-1) ?? ''])
    .filter((value) => value.length >= MIN_SECRET && /[A-Za-z]/.test(value))
    .map((value) => JSON.stringify(value).slice(1, -1));
}
