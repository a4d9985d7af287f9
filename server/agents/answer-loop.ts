import type { AnswerEvent, Answering, Step, Usage } from './answer.js';
import type { AnswerBounds } from './bounds.js';
import { ChatError } from './chat/chat-error.js';
import {
  type ChatAnswer,
  type ChatMessage,
  type ChatRequest,
  NO_CHAT_ANSWER,
} from './chat/messages.js';
import { CUT_OFF, NO_MORE_TOOLS } from './prompt.js';
import type { Passage } from './tool.js';
import { shownCall, type ToolBox, type ToolUse } from './tool-box.js';

/** The part of a chat client that answers need. */
export interface Chat {
  /** Yields the text as it arrives; returns the whole answer. */
  stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<string, ChatAnswer>;
}

/** An answer that is prepared. */
export interface PreparedAnswer {
  readonly model: string;
  readonly temperature: number | undefined;
  /** The system prompt, the history and the question. */
  readonly messages: readonly ChatMessage[];
  readonly tools: ToolBox;
  /** The steps of skills that cannot be used. */
  readonly firstSteps: readonly Step[];
  readonly returnsContext: boolean;
}

/**
 * Asks a language model, uses the tools that it asks for, and asks again, until it answers in words.
 * When a bound is reached, it is asked for the last time, without tools.
 * @throws {ChatError} if the chat server fails, or never answers in words
 * @throws the reason of `signal`
 */
export async function* answer(
  chat: Chat,
  prepared: PreparedAnswer,
  bounds: AnswerBounds,
  signal: AbortSignal,
): Answering {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(tookTooLong(bounds)), bounds.milliseconds);
  try {
    const both = AbortSignal.any([signal, late.signal]);
    return yield* new AnswerLoop(chat, prepared, bounds, both).run();
  } finally {
    clearTimeout(timer);
  }
}

/** The state of one answer. */
class AnswerLoop {
  readonly #messages: ChatMessage[];
  readonly #steps: Step[];
  readonly #passages: Passage[] = [];
  readonly #usage = { requests: 0, tokens: emptyTokens() };
  #uses = 0;
  #resultBytes = 0;
  #malformed = 0;

  constructor(
    private readonly chat: Chat,
    private readonly prepared: PreparedAnswer,
    private readonly bounds: AnswerBounds,
    private readonly signal: AbortSignal,
  ) {
    this.#messages = [...prepared.messages];
    this.#steps = [...prepared.firstSteps];
  }

  async *run(): Answering {
    for (const step of this.#steps) yield { type: 'step', step };
    for (;;) {
      const isLast = this.#isExhausted();
      const { text, toolCalls, finishReason } = yield* this.#ask(isLast);
      if (toolCalls.length === 0) {
        if (finishReason !== 'length') return this.#answer(text);
        yield { type: 'delta', text: CUT_OFF };
        return this.#answer(text + CUT_OFF);
      }
      if (isLast) throw neverAnswered();
      yield* this.#use(text, toolCalls);
    }
  }

  /** Returns whether the language model may ask for no more tools. */
  #isExhausted(): boolean {
    const { rounds, toolCalls, tokens, allResultBytes } = this.bounds;
    return (
      this.#usage.requests >= rounds ||
      this.#uses >= toolCalls ||
      (this.#usage.tokens.total_tokens ?? 0) >= tokens ||
      this.#resultBytes >= allResultBytes ||
      this.#malformed > 1
    );
  }

  async *#ask(isLast: boolean): AsyncGenerator<AnswerEvent, ChatAnswer> {
    const { model, temperature, tools } = this.prepared;
    const definitions = isLast ? [] : tools.definitions;
    const messages = isLast ? withoutTools(this.#messages) : this.#messages;
    const request = {
      ...{ model, messages, tools: definitions },
      ...(temperature === undefined ? {} : { temperature }),
    };
    const stream = this.chat.stream(request, this.signal);
    let bytes = 0;
    try {
      for (;;) {
        const next = await stream.next();
        if (next.done) {
          this.#count(next.value);
          return next.value;
        }
        bytes += Buffer.byteLength(next.value);
        if (bytes > this.bounds.textBytes) throw tooLong(this.bounds);
        yield { type: 'delta', text: next.value };
      }
    } finally {
      // Closes the connection if the answer is left early.
      await stream.return(NO_CHAT_ANSWER);
    }
  }

  async *#use(text: string, calls: ChatAnswer['toolCalls']): AsyncGenerator<AnswerEvent, void> {
    const room = Math.max(0, this.bounds.toolCalls - this.#uses);
    const used = calls.slice(0, room);
    this.#messages.push({ role: 'assistant', content: text || null, tool_calls: used });
    yield { type: 'actions', text, actions: used.map(shownCall) };
    // One after the other: they share the loop, and a later one may be needless to start.
    for (const call of used) {
      const use = await this.prepared.tools.use(call, this.signal);
      this.#keep(call.id, use);
      yield { type: 'step', step: use.step };
    }
  }

  #keep(id: string, { step, message, passages, wasMalformed }: ToolUse): void {
    this.#messages.push({ role: 'tool', tool_call_id: id, content: message });
    this.#steps.push(step);
    this.#uses += 1;
    this.#passages.push(...passages);
    this.#resultBytes += Buffer.byteLength(message);
    if (wasMalformed) this.#malformed += 1;
  }

  #count({ usage }: ChatAnswer): void {
    this.#usage.requests += 1;
    const { tokens } = this.#usage;
    for (const name of TOKENS) {
      if (usage) tokens[name] = (tokens[name] ?? 0) + usage[name];
    }
  }

  #answer(text: string) {
    const usage: Usage = { requests: this.#usage.requests, ...this.#usage.tokens };
    const passages = this.prepared.returnsContext ? this.#passages : undefined;
    return { text, steps: this.#steps, usage, passages };
  }
}

/** Asks for an answer in the last result: templates of chats refuse a message of a person after it. */
function withoutTools(messages: readonly ChatMessage[]): ChatMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'tool') return [...messages];
  return [...messages.slice(0, -1), { ...last, content: `${last.content}\n\n${NO_MORE_TOOLS}` }];
}

const TOKENS = ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const;

type Tokens = { [T in (typeof TOKENS)[number]]: number | null };

function emptyTokens(): Tokens {
  return { prompt_tokens: null, completion_tokens: null, total_tokens: null };
}

function tookTooLong({ milliseconds }: AnswerBounds): ChatError {
  return new ChatError(
    'timeout',
    `The answer took longer than ${milliseconds / 1000} seconds; ask for less, or try again.`,
  );
}

function tooLong({ textBytes }: AnswerBounds): ChatError {
  return new ChatError(
    'general',
    `The language model wrote more than ${textBytes / 1024} KiB; ask for less.`,
  );
}

function neverAnswered(): ChatError {
  return new ChatError(
    'general',
    'The language model asked for tools until it had used all that one answer may, and never answered in words; ask a narrower question.',
  );
}
