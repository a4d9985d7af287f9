import { asRecord, type JsonRecord } from '../../../contract/json-record.js';
import { ChatError } from '../chat-error.js';
import type { ChatLimits } from '../chat-limits.js';
import type { ChatAnswer, Usage } from '../messages.js';
import { brokenConnection } from '../network-error.js';
import { refusalError } from '../refusal.js';
import { replaceUnstorable } from '../unstorable.js';
import type { AnswerEvent } from './answer-decoder.js';
import { ReasoningFilter } from './reasoning-filter.js';
import { ToolCallAssembler } from './tool-call-assembler.js';

/** Builds an answer from the chunks of a stream, or from the one of a server that does not stream. */
export class AnswerBuilder {
  readonly #limits: ChatLimits;
  readonly #key: string | undefined;
  readonly #toolCalls: ToolCallAssembler;
  readonly #filter = new ReasoningFilter();
  #text = '';
  #bytes = 0;
  #hasDelta = false;
  #hasReasoning = false;
  #hasEnded = false;
  #usage: Usage | null = null;
  #finishReason: string | null = null;

  /** @param key the key that must not appear in errors */
  constructor(limits: ChatLimits, key: string | undefined) {
    this.#limits = limits;
    this.#key = key;
    this.#toolCalls = new ToolCallAssembler(limits.maxToolCalls);
  }

  /** True once the server has ended the answer: nothing follows. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** True once the answer lacks at most its usage. */
  get isComplete(): boolean {
    return this.#hasEnded || this.#finishReason !== null;
  }

  /**
   * Adds an event and returns the text that it brings.
   * @throws {ChatError} if the event is an error of the server, or the answer gets too large
   */
  add(event: AnswerEvent): string {
    if (event === 'end') {
      this.#hasEnded = true;
      return '';
    }
    const { error, usage, choices } = event;
    if (error !== undefined && error !== null) {
      throw refusalError({ status: undefined, error }, this.#key);
    }
    this.#usage = usageOf(asRecord(usage)) ?? this.#usage;
    const choice = firstChoice(choices);
    const text = this.#addDelta(asRecord(this.#deltaOf(choice)));
    const { finish_reason: reason } = choice;
    if (typeof reason === 'string' && reason !== '') this.#finishReason = reason;
    return text;
  }

  /** Returns the text that was held back, once no event follows. */
  end(): string {
    const rest = this.#filter.end();
    this.#text += rest;
    return rest;
  }

  /**
   * Returns the whole answer.
   * @throws {ChatError} if it is incomplete or empty
   */
  answer(): ChatAnswer {
    if (!this.isComplete) throw brokenConnection();
    const toolCalls = this.#toolCalls.calls();
    if (this.#text.trim() === '' && toolCalls.length === 0) throw this.#empty();
    return {
      text: replaceUnstorable(this.#text),
      toolCalls,
      usage: this.#usage,
      finishReason: this.#finishReason,
    };
  }

  /** Some servers repeat the whole message in the last chunk. */
  #deltaOf({ delta, message }: JsonRecord): unknown {
    return delta ?? (this.#hasDelta ? undefined : message);
  }

  #addDelta(delta: JsonRecord): string {
    const { content, refusal, reasoning, reasoning_content: deepseek, tool_calls: calls } = delta;
    const written = textOf(content) || textOf(refusal);
    const thought = textOf(reasoning) || textOf(deepseek) || reasoningOf(content);
    this.#count(Buffer.byteLength(written) + Buffer.byteLength(thought));
    if (thought !== '') this.#hasReasoning = true;
    for (const call of arrayOf(calls)) this.#count(this.#toolCalls.add(call));
    if (written !== '' || arrayOf(calls).length > 0) this.#hasDelta = true;
    const text = this.#filter.push(written);
    this.#text += text;
    return text;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#limits.maxBytes) return;
    throw new ChatError(
      'general',
      `The answer was stopped, because it is longer than ${this.#limits.maxBytes} bytes. Ask for a shorter answer.`,
    );
  }

  #empty(): ChatError {
    return new ChatError('general', `The model gave no answer: ${this.#whyEmpty()}`);
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
}

function firstChoice(choices: unknown): JsonRecord {
  return (
    arrayOf(choices)
      .map(asRecord)
      .find(({ index = 0 }) => index === 0) ?? {}
  );
}

function usageOf(usage: JsonRecord): Usage | undefined {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage;
  if (!isCount(prompt) || !isCount(completion)) return undefined;
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
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return partsOf(content, ({ type = 'text' }) => type === 'text' || type === 'output_text');
}

/** Returns the text of the parts that are not text of the answer. */
function reasoningOf(content: unknown): string {
  return partsOf(content, ({ type }) => type === 'thinking' || type === 'reasoning');
}

function partsOf(content: unknown, isWanted: (part: JsonRecord) => boolean): string {
  return arrayOf(content)
    .map((part) => (typeof part === 'string' ? { text: part } : asRecord(part)))
    .filter(isWanted)
    .map(({ text, thinking }) => (typeof text === 'string' ? text : thoughtOf(thinking)))
    .join('');
}

/** Returns a thought: a text, or parts with texts. Parts within parts are not looked for, however deep they go. */
function thoughtOf(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking;
  return arrayOf(thinking)
    .map((part) => (typeof part === 'string' ? part : asRecord(part)['text']))
    .filter((text) => typeof text === 'string')
    .join('');
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
