import type { RequestOptions } from 'node:http';
import { urlToHttpOptions } from 'node:url';
import { asRecord, parseJson } from '../../../contract/json-record.js';
import { type ExchangeResponse, exchange } from '../../common/http-exchange.js';
import { AnswerReader } from './answer-reader.js';
import { ChatError, refusalError, toChatError } from './chat-error.js';
import {
  type ChatAnswer,
  type ChatLimits,
  type ChatRequest,
  DEFAULT_LIMITS,
  TOKEN_BOUNDS,
  type TokenBound,
  writeRequest,
} from './messages.js';

export interface ChatClientOptions {
  /** The base URL, such as `http://127.0.0.1:11434/v1`, as `readConfig` has checked it. */
  readonly url: string;
  /** Returns what is sent as `Authorization: Bearer …`. If missing or empty, the header is not sent. */
  readonly readKey?: () => string | undefined;
  readonly limits?: Partial<ChatLimits>;
  /** False for a server that takes no form of an answer (`response_format`); it is asked in words alone. */
  readonly takesForms?: boolean;
}

const MAX_REFUSAL_BYTES = 16 * 1024;
const MAX_LIST_BYTES = 1024 * 1024;

/**
 * Asks a chat server that speaks OpenAI's chat completions, such as Ollama, vLLM, llama.cpp's server
 * or OpenAI. It sends the least and reads what servers send differently. It follows no redirect, and
 * asks again only where a server has another name for the bound of tokens, or refuses the form of the answer.
 */
export class ChatClient {
  /** The base URL, without a slash at its end. */
  readonly #base: string;
  readonly #target: RequestOptions;
  readonly #readKey: () => string | undefined;
  readonly #limits: ChatLimits;
  readonly #takesForms: boolean;
  readonly #turns = new PieceTurns();
  /** The models whose bound of tokens has the second name. */
  readonly #renamed = new Set<string>();

  constructor({ url, readKey = () => undefined, limits = {}, takesForms = true }: ChatClientOptions) {
    // bounded: an address of the operator
    this.#base = new URL(url).href.replace(/\/+$/, '');
    this.#readKey = readKey;
    this.#target = { ...this.#locate('/chat/completions'), method: 'POST' };
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#takesForms = takesForms;
  }

  /**
   * Asks for the next message of a chat. Yields its text as it arrives, without reasoning, and
   * returns the whole answer. Leaving the loop early closes the connection.
   * @param signal cancels the request at once
   * @throws the reason of `signal` once it is aborted
   * @throws {ChatError} if the server fails, or the answer is empty or out of bounds
   */
  async *stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<string, ChatAnswer> {
    const key = this.#readKey() || undefined;
    const reader = new AnswerReader(this.#limits, key, request.maxTokens !== undefined);
    let response: ExchangeResponse | undefined;
    let isAnswered = false;
    this.#turns.answers += 1;
    try {
      response = await this.#ask(request, key, signal);
      while (!reader.hasEnded) {
        const bytes = await response.read();
        if (bytes === undefined) break;
        const text = reader.push(bytes);
        if (text !== '') {
          yield text;
          // Text that arrives meanwhile is read in one piece.
          if (!reader.hasEnded) await this.#turns.next();
        }
        signal.throwIfAborted();
        if (reader.isComplete) response.makeOptional();
      }
      const rest = reader.end();
      if (rest !== '') yield rest;
      signal.throwIfAborted();
      const answer = reader.answer();
      isAnswered = true;
      return answer;
    } catch (error) {
      throw signal.aborted ? signal.reason : toChatError(error, this.#limits);
    } finally {
      this.#turns.answers -= 1;
      if (isAnswered) void response?.release();
      else response?.cancel();
    }
  }

  /**
   * Returns the names of the language models that the server lists; undefined if it has no such list.
   * @throws the reason of `signal` once it is aborted
   * @throws {ChatError} if the server fails, or refuses the key
   */
  async listModels(signal: AbortSignal): Promise<string[] | undefined> {
    const key = this.#readKey() || undefined;
    try {
      const response = await this.#send(this.#locate('/models'), undefined, key, signal);
      response.makeOptional();
      const { data } = asRecord(parseJson(await response.readBeginning(MAX_LIST_BYTES)));
      if (!Array.isArray(data)) return undefined;
      return data.map((model) => asRecord(model)['id']).filter((id) => typeof id === 'string');
    } catch (error) {
      if (error instanceof ChatError && [404, 405, 501].includes(error.status ?? 0)) return undefined;
      throw signal.aborted ? signal.reason : toChatError(error, this.#limits);
    }
  }

  #locate(path: string): RequestOptions {
    return urlToHttpOptions(new URL(this.#base + path));
  }

  /**
   * Asks, and again without the form of the answer if the server refuses the request: servers that do not know one say
   * so in any words. A refused request costs nothing, and the next one may have another schema.
   */
  async #ask({ form, ...request }: ChatRequest, key: string | undefined, signal: AbortSignal) {
    if (form === undefined || !this.#takesForms) return this.#askWithin(request, key, signal);
    try {
      return await this.#askWithin({ ...request, form }, key, signal);
    } catch (error) {
      if (!(error instanceof ChatError) || !FORM_REFUSALS.has(error.status)) throw error;
      return this.#askWithin(request, key, signal);
    }
  }

  /** Asks, and again with the other name of the bound of tokens if the server refuses the first one and names it. */
  async #askWithin(request: ChatRequest, key: string | undefined, signal: AbortSignal): Promise<ExchangeResponse> {
    const ask = (bound: TokenBound) => this.#send(this.#target, writeRequest(request, bound), key, signal);
    const { model, maxTokens } = request;
    const [first, second] = TOKEN_BOUNDS;
    if (maxTokens === undefined) return ask(first);
    if (this.#renamed.has(model)) return ask(second);
    try {
      return await ask(first);
    } catch (error) {
      const isRenamed = error instanceof ChatError && error.status === 400 && error.message.includes(second);
      if (!isRenamed) throw error;
      const response = await ask(second);
      this.#renamed.add(model);
      return response;
    }
  }

  /** @throws {ChatError} for each response that is not a success */
  async #send(
    address: RequestOptions,
    body: string | undefined,
    key: string | undefined,
    signal: AbortSignal,
  ): Promise<ExchangeResponse> {
    const headers = {
      accept: 'text/event-stream, application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    };
    const target = { ...address, headers };
    const response = await exchange(target, body, this.#limits, signal);
    if (response.status < 300) return response;
    response.makeOptional();
    const refusal = parseJson(await response.readBeginning(MAX_REFUSAL_BYTES));
    throw refusalError(refusal, key, response);
  }
}

/** The statuses of a request that a server does not take, in its form or for what it cannot do. */
const FORM_REFUSALS: ReadonlySet<number | undefined> = new Set([400, 422, 501]);

/** The most answers that pass on a piece of text in one turn. */
const ANSWERS_A_TURN = 10;

/** So many answers pass on their text as it arrives. */
const PROMPT_ANSWERS = 3;

/** The shortest and the longest time between two turns, in milliseconds. */
const MIN_GAP_MS = 10;
const MAX_GAP_MS = 40;

/** The time between two turns, as a multiple of the time that the last one took. */
const GAP_RATIO = 4;

/**
 * Lets many answers pass on their text in turns, a few at once. A piece costs about the same
 * whatever its length, so the pieces of many answers are fewer and larger, and leave most of the
 * time to other requests, also where the processor is slow or busy.
 */
class PieceTurns {
  answers = 0;
  readonly #waiting: (() => void)[] = [];
  #isRunning = false;

  /** Waits until an answer that has passed on a piece may pass on the next one. */
  async next(): Promise<void> {
    if (this.answers <= PROMPT_ANSWERS) return;
    if (!this.#isRunning) this.#schedule(MIN_GAP_MS);
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #schedule(milliseconds: number): void {
    this.#isRunning = true;
    setTimeout(this.#take, milliseconds);
  }

  readonly #take = (): void => {
    const begun = performance.now();
    for (const resolve of this.#waiting.splice(0, ANSWERS_A_TURN)) resolve();
    // Data that arrived is read after the timers, and written in the immediate after that.
    setImmediate(() => setImmediate(this.#endTurn, begun));
  };

  readonly #endTurn = (begun: number): void => {
    this.#isRunning = this.#waiting.length > 0;
    if (!this.#isRunning) return;
    const gap = (performance.now() - begun) * GAP_RATIO;
    this.#schedule(Math.min(Math.max(gap, MIN_GAP_MS), MAX_GAP_MS));
  };
}
