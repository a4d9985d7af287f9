import { setTimeout as delay } from 'node:timers/promises';
import createClient, { type Client, type Middleware } from 'openapi-fetch';
import type { paths } from '../../../generated/chat-server.js';
import { AnswerBuilder } from './answer/answer-builder.js';
import { AnswerDecoder } from './answer/answer-decoder.js';
import { type ChatLimits, DEFAULT_LIMITS } from './chat-limits.js';
import { httpFetch } from './http-fetch.js';
import type { ChatAnswer, ChatRequest } from './messages.js';
import { brokenConnection, networkError } from './network-error.js';
import { refusalError } from './refusal.js';
import { requestBody, serializeBody } from './request-body.js';
import { RequestClock } from './request-clock.js';
import { ResponseBody } from './response-body.js';
import { retryAfterSeconds } from './retry-after.js';

/** The address of a chat server and the options for requests to it. */
export interface ChatClientOptions {
  /** The base URL, such as `http://127.0.0.1:11434/v1`, with or without a trailing slash. */
  readonly url: string;
  /** Sent as `Authorization: Bearer …`. If missing or empty, the header is not sent. */
  readonly key?: string | undefined;
  readonly limits?: Partial<ChatLimits>;
}

/** The most bytes that are read of a refusal. */
const MAX_REFUSAL_BYTES = 16 * 1024;
/** A shorter wait costs more than it saves, in milliseconds. */
const MIN_WAIT_MS = 5;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/**
 * Asks a chat server that speaks OpenAI's chat completions, such as Ollama, vLLM, llama.cpp's server
 * or OpenAI. It sends the least and reads what servers send differently. It never retries, and
 * follows no redirect.
 */
export class ChatClient {
  readonly #client: Client<paths>;
  readonly #key: string | undefined;
  readonly #limits: ChatLimits;
  /** The number of answers that are read. */
  #inProgress = 0;

  /** @throws {TypeError} if the URL or the key cannot be used; the message has neither of them */
  constructor({ url, key, limits = {} }: ChatClientOptions) {
    this.#key = key || undefined;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#client = createClient<paths>({
      baseUrl: checkedUrl(url),
      fetch: (request) => httpFetch(request, this.#limits.maxReceivedBytes),
      bodySerializer: serializeBody,
      headers: {
        Accept: 'text/event-stream, application/json',
        ...(key && { Authorization: `Bearer ${checkedKey(key)}` }),
      },
    });
  }

  /**
   * Asks for the next message of a chat. Yields its text as it arrives, without reasoning, and
   * returns the whole answer. Leaving the loop early closes the connection.
   * @param signal cancels the request at once
   * @throws the reason of `signal` once it is aborted
   * @throws {ChatError} if the server fails, or the answer is empty or out of bounds
   */
  async *stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<string, ChatAnswer> {
    const clock = new RequestClock(this.#limits, signal);
    let body: ResponseBody | undefined;
    let isAnswered = false;
    this.#inProgress += 1;
    try {
      body = await this.#ask(request, clock);
      const answer = yield* this.#read(body, clock);
      isAnswered = true;
      return answer;
    } catch (error) {
      throw clock.signal.aborted ? clock.signal.reason : networkError(error);
    } finally {
      this.#inProgress -= 1;
      clock.stop();
      if (isAnswered) void body?.release();
      else body?.cancel();
    }
  }

  async #ask(request: ChatRequest, clock: RequestClock): Promise<ResponseBody> {
    const { data } = await this.#client.POST('/chat/completions', {
      body: requestBody(request),
      parseAs: 'stream',
      signal: clock.signal,
      middleware: [this.#refuseFailures(clock)],
    });
    if (!data) throw brokenConnection();
    return new ResponseBody(data, clock.signal);
  }

  async *#read(body: ResponseBody, clock: RequestClock): AsyncGenerator<string, ChatAnswer> {
    const decoder = new AnswerDecoder(this.#limits);
    const builder = new AnswerBuilder(this.#limits, this.#key);
    let isOpen = true;
    while (isOpen && !builder.hasEnded) {
      const bytes = await body.read();
      clock.pause();
      isOpen = bytes !== undefined;
      const events = bytes ? decoder.push(bytes) : decoder.end();
      const text = events.map((event) => builder.add(event)).join('');
      if (text !== '') {
        const next = performance.now() + this.#limits.pieceMs * this.#inProgress;
        yield text;
        // Text that arrives meanwhile is read in one piece.
        const wait = next - performance.now();
        if (wait >= MIN_WAIT_MS && isOpen && !builder.hasEnded) await delay(wait);
      }
      clock.signal.throwIfAborted();
      if (builder.isComplete) body.makeOptional(this.#limits.endMs);
      else clock.awaitBytes();
    }
    const rest = builder.end();
    if (rest !== '') yield rest;
    return builder.answer();
  }

  /** Throws for each response that is not a success, before openapi-fetch reads all of it. */
  #refuseFailures(clock: RequestClock): Middleware {
    return {
      onResponse: async ({ response }) => {
        if (response.ok) return;
        const { status, headers } = response;
        const error = await this.#errorOf(response, clock);
        throw refusalError({ status, error, retryAfter: retryAfterSeconds(headers) }, this.#key);
      },
    };
  }

  async #errorOf({ body: stream }: Response, clock: RequestClock): Promise<unknown> {
    if (!stream) return undefined;
    const body = new ResponseBody(stream, clock.signal);
    body.makeOptional(this.#limits.endMs);
    return parsed(await body.beginning(MAX_REFUSAL_BYTES));
  }
}

function checkedUrl(text: string): string {
  const { protocol, username, password, search, hash, href } = parsedUrl(text);
  if (!/^https?:$/.test(protocol)) {
    throw new TypeError(`The URL of the chat server must begin with http:// or https://.`);
  }
  if (username !== '' || password !== '') {
    throw new TypeError('The URL of the chat server must have no user and password. Use a key.');
  }
  if (search !== '' || hash !== '') {
    throw new TypeError('The URL of the chat server must have no query and no fragment.');
  }
  return href.replace(/\/+$/, '');
}

function parsedUrl(text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new TypeError(
    'The URL of the chat server is not valid. Write it as in http://127.0.0.1:11434/v1.',
  );
}

function checkedKey(key: string): string {
  if (VISIBLE_ASCII.test(key)) return key;
  throw new TypeError('The key of the chat server must be visible ASCII, without spaces.');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
