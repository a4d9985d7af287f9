import type { EventSourceMessage } from 'eventsource-parser';
import { asArray, asRecord, type JsonRecord } from '../../../contract/json-record.js';
import { EventReader } from '../../common/event-reader.js';
import { ExchangeError } from '../../common/http-exchange.js';
import { ChatError, refusalError } from './chat-error.js';
import { type ChatAnswer, type ChatLimits, parseObject } from './messages.js';
import { ToolCallAssembler } from './tool-calls.js';

/** JSON escapes make text longer: a quotation mark takes two characters. */
const ESCAPED = 2;

/**
 * Reads an answer from its bytes, however they are split: events (WHATWG HTML, section 9.2), or one
 * JSON document by a server that does not stream.
 */
export class AnswerReader {
  /** True once the server has ended the answer: nothing follows. */
  hasEnded = false;
  readonly #maxLength: number;
  readonly #decoder = new TextDecoder();
  readonly #events: EventReader;
  readonly #toolCalls: ToolCallAssembler;
  readonly #filter = new ReasoningFilter();
  #format: 'unknown' | 'events' | 'document' = 'unknown';
  #document = '';
  /** True if an event was one of an answer. */
  #isAnswer = false;
  #isEnding = false;
  #text = '';
  /** The text that the last bytes brought. */
  #piece = '';
  #bytes = 0;
  #hasDelta = false;
  #hasReasoning = false;
  #usage: ChatAnswer['usage'] = null;
  #finishReason: string | null = null;

  /**
   * @param key the key that must not appear in errors
   * @param isBounded true if the caller bounds the tokens, and takes an answer that is cut before its first word
   */
  constructor(
    private readonly limits: ChatLimits,
    private readonly key: string | undefined,
    private readonly isBounded = false,
  ) {
    this.#maxLength = limits.maxBytes * ESCAPED;
    this.#toolCalls = new ToolCallAssembler(limits.maxToolCalls);
    const { maxEvents } = limits;
    this.#events = new EventReader(
      { maxLength: this.#maxLength, maxEvents },
      {
        onEvent: (event) => this.#onEvent(event),
        createError: (fault) => {
          if (fault === 'too-long') return this.#tooLong();
          return fault === 'too-many' ? tooManyEvents(maxEvents) : unknownAnswer();
        },
      },
    );
  }

  /** True once the answer lacks at most its usage. */
  get isComplete(): boolean {
    return this.hasEnded || this.#finishReason !== null;
  }

  /**
   * Returns the text that these bytes bring.
   * @throws {ChatError} if they are not an answer of a chat server, are an error of it, or get out of bounds
   */
  push(bytes: Uint8Array): string {
    this.#piece = '';
    this.#decode(this.#decoder.decode(bytes, { stream: true }));
    return this.#piece;
  }

  /**
   * Returns the text that was held back, once no bytes follow or the server has ended the answer.
   * @throws {ChatError} as `push`, or if the bytes break off within a document
   */
  end(): string {
    this.#piece = '';
    if (!this.hasEnded) this.#endBytes();
    this.#addText(this.#filter.end());
    return this.#piece;
  }

  /**
   * Returns the whole answer.
   * @throws {ChatError} if it is incomplete or empty
   */
  answer(): ChatAnswer {
    if (!this.isComplete) throw new ExchangeError('connection');
    const isCut = this.isBounded && this.#finishReason === 'length';
    // The calls of an answer that is cut may lack anything.
    const toolCalls = isCut ? [] : this.#toolCalls.calls();
    if (!isCut && this.#text.trim() === '' && toolCalls.length === 0) {
      throw new ChatError(`The model gave no answer: ${this.#whyEmpty()}`);
    }
    return { text: replaceUnstorable(this.#text), toolCalls, usage: this.#usage, finishReason: this.#finishReason };
  }

  #decode(text: string): void {
    if (this.#format === 'unknown') {
      this.#begin(text.trimStart());
    } else if (this.#format === 'document') {
      this.#document += text;
      if (this.#document.length > this.#maxLength) throw this.#tooLong();
    } else {
      this.#events.feed(text);
    }
  }

  /** Recognises the format by the first character, since some servers send the wrong media type. */
  #begin(text: string): void {
    if (text === '') return;
    if (text.startsWith('<')) {
      throw new ChatError(
        'The chat server answered with a web page, as a proxy or a login does. Correct CHAT_URL, which often ends in /v1.',
      );
    }
    this.#format = text.startsWith('{') ? 'document' : 'events';
    this.#decode(text);
  }

  #endBytes(): void {
    this.#isEnding = true;
    this.#decode(this.#decoder.decode());
    if (this.#format === 'document') {
      const document = this.#document.trimEnd();
      if (!document.endsWith('}')) throw new ExchangeError('connection');
      const answer = parseObject(document);
      if (!answer || !('choices' in answer || 'error' in answer)) throw unknownAnswer();
      this.#add(asRecord(answer));
      this.hasEnded = true;
    } else if (this.#format === 'events') {
      this.#events.end();
      if (!this.#isAnswer) throw unknownAnswer();
    }
  }

  /** Other data than JSON objects are words of the server, such as a keep-alive. */
  #onEvent({ event, data }: EventSourceMessage): void {
    const text = data.trim();
    const isObject = text.startsWith('{');
    const chunk = isObject ? parseObject(text) : undefined;
    if (chunk) this.#add(asRecord(event === 'error' && !('error' in chunk) ? { error: chunk } : chunk));
    else if (text === '[DONE]') this.hasEnded = true;
    else if (!isObject && event === 'error') this.#add({ error: text });
    // The last event is cut where the connection ended early. The answer is then incomplete, or was complete before.
    else if (isObject && !this.#isEnding) {
      throw new ChatError(
        'The chat server sent an event that is not JSON. Ask again; if it happens again, update the server.',
      );
    }
    if (isObject || this.hasEnded) this.#isAnswer = true;
  }

  #add({ error, usage, choices }: JsonRecord): void {
    if (error !== undefined && error !== null) throw refusalError(error, this.key);
    this.#usage = readUsage(asRecord(usage)) ?? this.#usage;
    const { delta, message, finish_reason: reason } = firstChoice(choices);
    // Some servers repeat the whole message in the last chunk.
    this.#addDelta(asRecord(delta ?? (this.#hasDelta ? undefined : message)));
    if (typeof reason === 'string' && reason !== '') this.#finishReason = reason;
  }

  #addDelta(delta: JsonRecord): void {
    const { content, refusal, reasoning, reasoning_content: deepseek, tool_calls: calls } = delta;
    const written = readText(content) || readText(refusal);
    const thought = readText(reasoning) || readText(deepseek) || readReasoning(content);
    this.#count(Buffer.byteLength(written) + Buffer.byteLength(thought));
    if (thought !== '') this.#hasReasoning = true;
    for (const call of asArray(calls)) this.#count(this.#toolCalls.add(call));
    if (written !== '' || asArray(calls).length > 0) this.#hasDelta = true;
    this.#addText(this.#filter.push(written));
  }

  #addText(text: string): void {
    this.#text += text;
    this.#piece += text;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.limits.maxBytes) return;
    throw new ChatError(
      `The answer was stopped, because it is longer than ${this.limits.maxBytes} bytes. Ask for a shorter answer.`,
    );
  }

  #whyEmpty(): string {
    if (this.#finishReason === 'content_filter') {
      return 'a content filter of the chat server withheld it. Ask in other words.';
    }
    if (this.#finishReason === 'length') {
      return 'it reached its limit of tokens first. Ask for less, or raise that limit on the chat server.';
    }
    if (this.#hasReasoning || this.#filter.hasDropped) {
      return 'it only reasoned. Ask again, or use a model that does not reason.';
    }
    return 'it wrote no text and called no tool. Ask again, or in other words.';
  }

  #tooLong(): ChatError {
    return new ChatError(
      `The chat server sent a piece of an answer that is longer than ${this.#maxLength} characters. Ask for a shorter answer.`,
    );
  }
}

function tooManyEvents(maxEvents: number): ChatError {
  return new ChatError(`The chat server sent more than ${maxEvents} events in one answer. Ask for a shorter answer.`);
}

function unknownAnswer(): ChatError {
  return new ChatError(
    'The chat server did not answer in the form of chat completions. Correct CHAT_URL, which often ends in /v1.',
  );
}

function firstChoice(choices: unknown): JsonRecord {
  return (
    asArray(choices)
      .map(asRecord)
      .find(({ index = 0 }) => index === 0) ?? {}
  );
}

function readUsage(usage: JsonRecord): ChatAnswer['usage'] {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage;
  if (!isCount(prompt) || !isCount(completion)) return null;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: isCount(total) ? total : prompt + completion,
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Returns the text of a content, which some servers send in parts. */
function readText(content: unknown): string {
  if (typeof content === 'string') return content;
  return readParts(content, ({ type = 'text' }) => type === 'text' || type === 'output_text');
}

/** Returns the text of the parts that are not text of the answer. */
function readReasoning(content: unknown): string {
  return readParts(content, ({ type }) => type === 'thinking' || type === 'reasoning');
}

function readParts(content: unknown, isWanted: (part: JsonRecord) => boolean): string {
  return asArray(content)
    .map((part) => (typeof part === 'string' ? { text: part } : asRecord(part)))
    .filter(isWanted)
    .map(({ text, thinking }) => (typeof text === 'string' ? text : readThought(thinking)))
    .join('');
}

/** Returns a thought: a text, or parts with texts. Parts within parts are not looked for, however deep they go. */
function readThought(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking;
  return asArray(thinking)
    .map((part) => (typeof part === 'string' ? part : asRecord(part)['text']))
    .filter((text) => typeof text === 'string')
    .join('');
}

const OPEN = '<think>';
const CLOSE = '</think>';

/**
 * Drops reasoning from text that arrives in pieces: `<think>…</think>` at its start, as several
 * servers send it, and white space before and after. Tags later in the text stay.
 */
class ReasoningFilter {
  hasDropped = false;
  #state: 'start' | 'reasoning' | 'text' = 'start';
  /** Characters that may be the beginning of a tag. */
  #held = '';

  /** Returns the text that is known to be none of the reasoning. */
  push(piece: string): string {
    if (this.#state === 'text') return piece;
    let rest = this.#held + piece;
    // A piece may have any number of thoughts.
    for (;;) {
      if (this.#state === 'reasoning') {
        const end = rest.indexOf(CLOSE);
        this.#held = rest.slice(-(CLOSE.length - 1));
        if (end === -1) return '';
        rest = rest.slice(end + CLOSE.length);
        this.#state = 'start';
      }
      rest = rest.trimStart();
      this.#held = rest;
      if (rest.startsWith(OPEN)) {
        this.#state = 'reasoning';
        this.hasDropped = true;
        rest = rest.slice(OPEN.length);
      } else if (OPEN.startsWith(rest)) {
        return '';
      } else {
        this.#state = 'text';
        return rest;
      }
    }
  }

  end(): string {
    return this.#state === 'start' ? this.#held : '';
  }
}

/** U+0000 and halves of surrogate pairs, which no database keeps. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;

/** Replaces in a text of a language model what no database keeps by U+FFFD. */
export function replaceUnstorable(text: string): string {
  return text.replace(UNSTORABLE, '\u{fffd}');
}
