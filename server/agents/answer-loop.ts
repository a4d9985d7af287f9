import type { AgentEvent } from '../api/reply/send.js';
import {
  type Answer,
  type AnswerStream,
  type AnswerWatch,
  type Step,
  stepEvent,
  toAction,
  type Usage,
} from './answer-stream.js';
import type { ChatClient } from './chat/chat-client.js';
import { ChatError } from './chat/chat-error.js';
import type { ChatAnswer, ChatMessage, ChatRequest } from './chat/messages.js';
import { CUT_OFF, NO_MORE_TOOLS } from './prompt.js';
import type { Passage } from './tools/tool.js';
import { describeCall, type ToolRegistry, type ToolUse } from './tools/tools.js';

const LIMITS = {
  /** Requests to the chat server that may ask for tools. */
  rounds: 10,
  toolCalls: 32,
  /** Tokens, as the chat server counts them, after which no tool is offered. */
  tokens: 200_000,
  /** Bytes of all results of tools, after which no tool is offered. */
  resultBytes: 256 * 1024,
  textBytes: 64 * 1024,
  milliseconds: 120_000,
} as const;

export interface PreparedAnswer {
  readonly chat: Pick<ChatClient, 'stream'>;
  readonly model: string;
  readonly temperature: number | undefined;
  /** The system prompt, the history and the question. */
  readonly messages: readonly ChatMessage[];
  readonly tools: ToolRegistry;
  /** The steps of skills that cannot be used. */
  readonly firstSteps: readonly Step[];
  readonly returnsContext: boolean;
  readonly traceId: string;
}

/**
 * Asks a language model, uses the tools that it asks for, and asks again, until it answers in words.
 * When a bound is reached, it is asked for the last time, without tools.
 */
export class AnswerLoop {
  readonly #messages: ChatMessage[];
  readonly #steps: Step[] = [];
  readonly #passages: Passage[] = [];
  #usage: Usage = {
    requests: 0,
    ...{ prompt_tokens: null, completion_tokens: null, total_tokens: null },
  };
  #uses = 0;
  #resultBytes = 0;
  #malformed = 0;

  /** @param observe called when the answer begins */
  constructor(
    private readonly prepared: PreparedAnswer,
    private readonly observe: () => AnswerWatch,
    private readonly signal: AbortSignal,
  ) {
    this.#messages = [...prepared.messages];
  }

  /**
   * Runs the loop, once.
   * @throws {ChatError} if the chat server fails, or never answers in words
   * @throws the reason of the signal
   */
  async *run(): AnswerStream {
    const watch = this.observe();
    const { traceId: trace_id } = this.prepared;
    const over = new AbortController();
    const { signal } = over;
    const stop = () => over.abort(this.signal.reason);
    if (this.signal.aborted) stop();
    this.signal.addEventListener('abort', stop);
    const timer = setTimeout(() => over.abort(tookTooLong()), LIMITS.milliseconds);
    let isOpen = true;
    try {
      for (const step of this.prepared.firstSteps) yield this.#addStep(step, watch);
      for (;;) {
        const isLast = this.#isExhausted();
        const stream = this.prepared.chat.stream(this.#nextRequest(isLast), signal);
        let bytes = 0;
        let next = await stream.next();
        try {
          for (; !next.done; next = await stream.next()) {
            bytes += Buffer.byteLength(next.value);
            if (bytes > LIMITS.textBytes) throw tooLong();
            yield { type: 'delta', content: next.value, trace_id };
          }
        } finally {
          // Closes the connection if the answer is left early.
          if (!next.done) await stream.return(NO_CHAT_ANSWER);
        }
        const { text, toolCalls, usage, finishReason } = next.value;
        this.#usage = addUsage(this.#usage, usage);
        if (toolCalls.length === 0) {
          const isCut = finishReason === 'length';
          if (isCut) yield { type: 'delta', content: CUT_OFF, trace_id };
          const answer = this.#answer(isCut ? text + CUT_OFF : text);
          isOpen = false;
          watch.onAnswer(answer);
          return answer;
        }
        if (isLast) throw neverAnswered();
        const calls = toolCalls.slice(0, LIMITS.toolCalls - this.#uses);
        this.#messages.push({ role: 'assistant', content: text || null, tool_calls: calls });
        const actions = calls.map((call) => toAction(describeCall(call)));
        yield { actions, messages: [{ content: text }], trace_id };
        // One after the other: they share the loop, and a later one may be needless to start.
        for (const call of calls) {
          const use = await this.prepared.tools.use(call, signal);
          this.#keep(call.id, use);
          yield this.#addStep(use.step, watch);
        }
      }
    } catch (error) {
      isOpen = false;
      if (error === this.signal.reason) watch.onStop();
      else watch.onFailure(error);
      throw error;
    } finally {
      clearTimeout(timer);
      this.signal.removeEventListener('abort', stop);
      if (isOpen) watch.onStop();
    }
  }

  /** Returns whether the language model may ask for no more tools. */
  #isExhausted(): boolean {
    return (
      this.#usage.requests >= LIMITS.rounds ||
      this.#uses >= LIMITS.toolCalls ||
      (this.#usage.total_tokens ?? 0) >= LIMITS.tokens ||
      this.#resultBytes >= LIMITS.resultBytes ||
      this.#malformed > 1
    );
  }

  #nextRequest(isLast: boolean): ChatRequest {
    const { model, temperature, tools } = this.prepared;
    return isLast
      ? { model, temperature, messages: askForAnswer(this.#messages), tools: [] }
      : { model, temperature, messages: this.#messages, tools: tools.definitions };
  }

  #keep(id: string, { message, passages, wasMalformed }: ToolUse): void {
    this.#messages.push({ role: 'tool', tool_call_id: id, content: message });
    this.#uses += 1;
    this.#passages.push(...passages);
    this.#resultBytes += Buffer.byteLength(message);
    if (wasMalformed) this.#malformed += 1;
  }

  #addStep(step: Step, watch: AnswerWatch): AgentEvent {
    this.#steps.push(step);
    watch.onStep(step);
    return stepEvent(step, this.prepared.traceId);
  }

  #answer(text: string): Answer {
    const passages = this.prepared.returnsContext ? this.#passages : undefined;
    return { text, steps: this.#steps, usage: this.#usage, passages };
  }
}

/** Ends a stream whose answer nobody reads. */
const NO_CHAT_ANSWER: ChatAnswer = { text: '', toolCalls: [], usage: null, finishReason: null };

/** Counts a request; tokens are null until a server counts them. */
function addUsage({ requests, ...tokens }: Usage, added: ChatAnswer['usage']): Usage {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = tokens;
  return {
    requests: requests + 1,
    ...(added === null
      ? tokens
      : {
          prompt_tokens: (prompt ?? 0) + added.prompt_tokens,
          completion_tokens: (completion ?? 0) + added.completion_tokens,
          total_tokens: (total ?? 0) + added.total_tokens,
        }),
  };
}

/** Asks for an answer in the last result: templates of chats refuse a message of a person after it. */
function askForAnswer(messages: readonly ChatMessage[]): ChatMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'tool') return [...messages];
  return [...messages.slice(0, -1), { ...last, content: `${last.content}\n\n${NO_MORE_TOOLS}` }];
}

function tookTooLong(): ChatError {
  return new ChatError(
    `The answer took longer than ${LIMITS.milliseconds / 1000} seconds; ask for less, or try again.`,
    'timeout',
  );
}

function tooLong(): ChatError {
  return new ChatError(
    `The language model wrote more than ${LIMITS.textBytes / 1024} KiB; ask for less.`,
  );
}

function neverAnswered(): ChatError {
  return new ChatError(
    'The language model asked for tools until it had used all that one answer may, and never answered in words; ask a narrower question.',
  );
}
