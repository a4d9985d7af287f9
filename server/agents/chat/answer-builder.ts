import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import type { ChatEvent } from './answer-decoder.js';
import { ChatError, connectionError, refusalError } from './chat-error.js';
import type { ChatAnswer, ChatLimits } from './messages.js';
import { ToolCallAssembler } from './tool-call-assembler.js';

/** Builds an answer from the chunks of a stream, or from the one of a server that does not stream. */
export class AnswerBuilder {
  readonly #toolCalls: ToolCallAssembler;
  readonly #filter = new ReasoningFilter();
  /** True once the server has ended the answer: nothing follows. */
  hasEnded = false;
  #text = '';
  #bytes = 0;
  #hasDelta = false;
  #hasReasoning = false;
  #usage: ChatAnswer['usage'] = null;
  #finishReason: string | null = null;

  /** @param key the key that must not appear in errors */
  constructor(
    private readonly limits: ChatLimits,
    private readonly key: string | undefined,
  ) {
    this.#toolCalls = new ToolCallAssembler(limits.maxToolCalls);
  }

  /** True once the answer lacks at most its usage. */
  get isComplete(): boolean {
    return this.hasEnded || this.#finishReason !== null;
  }

  /**
   * Adds an event and returns the text that it brings.
   * @throws {ChatError} if the event is an error of the server, or the answer gets too large
   */
  add(event: ChatEvent): string {
    if (event === 'end') {
      this.hasEnded = true;
      return '';
    }
    const { error, usage, choices } = event;
    if (error !== undefined && error !== null) {
      throw refusalError({ error }, this.key);
    }
    this.#usage = readUsage(asRecord(usage)) ?? this.#usage;
    const choice = firstChoice(choices);
    const { delta, message, finish_reason: reason } = choice;
    // Some servers repeat the whole message in the last chunk.
    const text = this.#addDelta(asRecord(delta ?? (this.#hasDelta ? undefined : message)));
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
    if (!this.isComplete) throw connectionError();
    const toolCalls = this.#toolCalls.calls();
    if (this.#text.trim() === '' && toolCalls.length === 0) {
      throw new ChatError(`The model gave no answer: ${this.#whyEmpty()}`);
    }
    return {
      text: replaceUnstorable(this.#text),
      toolCalls,
      usage: this.#usage,
      finishReason: this.#finishReason,
    };
  }

  #addDelta(delta: JsonRecord): string {
    const { content, refusal, reasoning, reasoning_content: deepseek, tool_calls: calls } = delta;
    const written = readText(content) || readText(refusal);
    const thought = readText(reasoning) || readText(deepseek) || readReasoning(content);
    this.#count(Buffer.byteLength(written) + Buffer.byteLength(thought));
    if (thought !== '') this.#hasReasoning = true;
    for (const call of asArray(calls)) this.#count(this.#toolCalls.add(call));
    if (written !== '' || asArray(calls).length > 0) this.#hasDelta = true;
    const text = this.#filter.push(written);
    this.#text += text;
    return text;
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

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
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

  /** Returns the rest of the text. */
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
