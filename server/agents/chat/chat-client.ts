import { setTimeout as delay } from 'node:timers/promises';
import { AnswerBuilder } from './answer-builder.js';
import { AnswerDecoder } from './answer-decoder.js';
import { refusalError } from './chat-error.js';
import { type ChatLimits, DEFAULT_LIMITS, RequestClock } from './chat-limits.js';
import { type ChatResponse, post } from './chat-response.js';
import { type ChatAnswer, type ChatRequest, writeRequest } from './messages.js';

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
  readonly #url: string;
  readonly #key: string | undefined;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #limits: ChatLimits;
  /** The number of answers that are read. */
  #inProgress = 0;

  /** @throws {TypeError} if the URL or the key cannot be used; the message has neither of them */
  constructor({ url, key, limits = {} }: ChatClientOptions) {
    this.#url = `${checkUrl(url)}/chat/completions`;
    this.#key = key || undefined;
    if (key && !VISIBLE_ASCII.test(key)) {
      throw new TypeError('The key of the chat server must be visible ASCII, without spaces.');
    }
    this.#headers = {
      accept: 'text/event-stream, application/json',
      ...(key && { authorization: `Bearer ${key}` }),
    };
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
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
    const decoder = new AnswerDecoder(this.#limits);
    const builder = new AnswerBuilder(this.#limits, this.#key);
    let response: ChatResponse | undefined;
    let isAnswered = false;
    this.#inProgress += 1;
    try {
      response = await this.#ask(request, clock.signal);
      let isOpen = true;
      while (isOpen && !builder.hasEnded) {
        const bytes = await response.read();
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
        if (builder.isComplete) response.makeOptional(this.#limits.endMs);
        else clock.awaitBytes();
      }
      const rest = builder.end();
      if (rest !== '') yield rest;
      const answer = builder.answer();
      isAnswered = true;
      return answer;
    } catch (error) {
      throw clock.signal.aborted ? clock.signal.reason : error;
    } finally {
      this.#inProgress -= 1;
      clock.stop();
      if (isAnswered) void response?.release();
      else response?.cancel();
    }
  }

  /** @throws {ChatError} for each response that is not a success */
  async #ask(request: ChatRequest, signal: AbortSignal): Promise<ChatResponse> {
    const { maxReceivedBytes, endMs } = this.#limits;
    const body = writeRequest(request);
    const asked = { url: this.#url, headers: this.#headers, body, maxReceivedBytes };
    const response = await post(asked, signal);
    const { status, retryAfter } = response;
    if (status < 300) return response;
    response.makeOptional(endMs);
    const error = parseJson(await response.readBeginning(MAX_REFUSAL_BYTES));
    throw refusalError({ status, error, retryAfter }, this.#key);
  }
}

/** Returns a URL without a trailing slash. */
function checkUrl(text: string): string {
  if (!URL.canParse(text)) {
    throw new TypeError(
      'The URL of the chat server is not valid. Write it as in http://127.0.0.1:11434/v1.',
    );
  }
  const { protocol, username, password, search, hash, href } = new URL(text);
  if (!/^https?:$/.test(protocol)) {
    throw new TypeError('The URL of the chat server must begin with http:// or https://.');
  }
  if (username !== '' || password !== '') {
    throw new TypeError('The URL of the chat server must have no user and password. Use a key.');
  }
  if (search !== '' || hash !== '') {
    throw new TypeError('The URL of the chat server must have no query and no fragment.');
  }
  return href.replace(/\/+$/, '');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
