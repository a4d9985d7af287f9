import { randomBytes } from 'node:crypto';
import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import type { ChatEvent } from './answer-decoder.js';
import { ChatError, connectionError, refusalError } from './chat-error.js';
import type { ChatAnswer, ChatLimits, ToolCall } from './messages.js';

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
    if (error !== undefined && error !== null) throw refusalError(error, this.key);
    this.#usage = readUsage(asRecord(usage)) ?? this.#usage;
    const { delta, message, finish_reason: reason } = firstChoice(choices);
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

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
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

/** A tool call, or a piece of one, with the fields that the server left out empty. */
interface PartialCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
}
type CallDelta = Readonly<PartialCall>;

/** The longest name, in characters. Tools have names of up to 64. */
const MAX_NAME_LENGTH = 1000;
/** Bytes that make nine hexadecimal digits, with one to spare. */
const ID_BYTES = 5;
/** The only length of identifiers that Mistral's servers accept. */
const ID_LENGTH = 9;

/**
 * Puts tool calls together from the pieces of a stream. Servers differ in what they send beside the
 * arguments: an index, an identifier, the name once or each time, or only a part of these.
 */
class ToolCallAssembler {
  readonly #calls: PartialCall[] = [];

  constructor(private readonly maxCalls: number) {}

  /**
   * Adds a piece of a call.
   * @returns the number of bytes that are kept of it
   * @throws {ChatError} if the answer has too many calls, or one with a long name
   */
  add(value: unknown): number {
    const delta = readDelta(asRecord(value));
    const call = this.#find(delta) ?? this.#append(delta);
    if (call.id === '') call.id = delta.id;
    // Some servers repeat the name, or what they have of it, with each piece.
    call.name = delta.name.startsWith(call.name) ? delta.name : call.name + delta.name;
    if (call.name.length > MAX_NAME_LENGTH) {
      throw new ChatError(
        `The model called a tool by a name of more than ${MAX_NAME_LENGTH} characters. Ask again, or use a model that is made for tools.`,
      );
    }
    call.arguments += delta.arguments;
    return Buffer.byteLength(delta.id + delta.name + delta.arguments);
  }

  /**
   * Returns the calls in order of arrival. A missing or repeated identifier is replaced.
   * @throws {ChatError} if a call has no name
   */
  calls(): ToolCall[] {
    const ids = new Set<string>();
    return this.#calls.filter(isCall).map(({ id, name, arguments: text }) => {
      if (name === '') {
        throw new ChatError(
          'The model called a tool without its name. Ask again, or use a model that is made for tools.',
        );
      }
      const unique = id === '' || ids.has(id) ? freeId(ids) : id;
      ids.add(unique);
      return { id: unique, name, arguments: text };
    });
  }

  /** Returns the call that a piece continues; undefined if it begins a new one. */
  #find(delta: CallDelta): PartialCall | undefined {
    const { index, id } = delta;
    if (index !== undefined) {
      const last = this.#calls.findLast((call) => call.index === index);
      return last && beginsAnother(last, delta) ? undefined : last;
    }
    if (id !== '') return this.#calls.findLast((call) => call.id === id);
    return delta.name === '' ? this.#calls.at(-1) : undefined;
  }

  #append({ index }: CallDelta): PartialCall {
    if (this.#calls.length === this.maxCalls) {
      throw new ChatError(
        `The model called more than ${this.maxCalls} tools at once. Ask for less in one question.`,
      );
    }
    const call = { index, id: '', name: '', arguments: '' };
    this.#calls.push(call);
    return call;
  }
}

/** Some servers give each call the same index. A new identifier alone begins no call: some send one with each piece. */
function beginsAnother(call: PartialCall, { id, name }: CallDelta): boolean {
  if (name === '' || call.name === '') return false;
  if (id !== '' && call.id !== '') return id !== call.id;
  return name !== call.name && call.arguments !== '';
}

/** Placeholders have neither a name nor arguments. */
function isCall(call: PartialCall): boolean {
  return call.name !== '' || call.arguments !== '';
}

function readDelta({ index, id, function: called }: JsonRecord): CallDelta {
  const { name, arguments: given } = asRecord(called);
  return {
    index: typeof index === 'number' ? index : undefined,
    id: asText(id),
    name: asText(name),
    arguments: typeof given === 'object' && given !== null ? writeJson(given) : asText(given),
  };
}

function writeJson(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    throw new ChatError('The arguments of a tool call are nested too deeply. Ask again.');
  }
}

function freeId(taken: ReadonlySet<string>): string {
  for (;;) {
    const id = randomBytes(ID_BYTES).toString('hex').slice(0, ID_LENGTH);
    if (!taken.has(id)) return id;
  }
}
