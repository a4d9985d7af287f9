import type { components } from '../../generated/openapi.js';
import type { AgentEvent } from '../api/reply/send.js';
import type { ProblemError } from '../problems/problem.js';
import { storeProblem } from '../store/database/unavailable.js';
import { ChatError, type ChatErrorType } from './chat/chat-error.js';
import type { ToolCall } from './chat/messages.js';
import type { Passage, Prediction } from './tools/tool.js';

export type Step = components['schemas']['Step'];
export type Usage = components['schemas']['Usage'];

export type HistoryMessage = Readonly<components['schemas']['RoleMessage']>;

export interface Answer {
  readonly text: string;
  /** True if it reached its bound of tokens, or that of the chat server, before its end. */
  readonly isCut?: boolean;
  /** The calls of tools that the caller runs; empty unless the answer waits for their results. */
  readonly toolCalls: readonly ToolCall[];
  readonly steps: readonly Step[];
  readonly usage: Usage;
  /** The passages that tools found; undefined unless the agent's settings ask for them. */
  readonly passages: readonly Passage[] | undefined;
  /** The predictions of the agent's models for it, in order. */
  readonly predictions: readonly Prediction[];
}

/** An answer in progress: what happens, and at last the answer. Throws if it fails. */
export type AnswerStream<A = Answer> = AsyncGenerator<AgentEvent, A>;

/** Waits for the end of an answer, and returns it. @param onEvent is called with what happens before */
export async function waitForAnswer<E, A>(stream: AsyncGenerator<E, A>, onEvent?: (event: E) => void): Promise<A> {
  for (;;) {
    const next = await stream.next();
    if (next.done) return next.value;
    onEvent?.(next.value);
  }
}

export interface AnswerFacts {
  /** The name of the agent; null for the language model alone. */
  readonly agent: string | null;
  readonly model: string;
  readonly traceId: string;
  readonly owner: string;
}

/** Follows an answer: counts it, logs it, and makes its spans. */
export interface AnswerWatch {
  onStep(step: Step): void;
  onAnswer(answer: Answer): void;
  /** @param usage that of the requests to the chat server which were answered */
  onFailure(error: unknown, usage: Usage): void;
  /** Nobody waits for the answer any more. */
  onStop(usage: Usage): void;
}

export type AnswerObserver = (facts: AnswerFacts) => AnswerWatch;

interface EventOptions {
  readonly prompt: string;
  readonly traceId: string;
  /** The identifier of the question, if it is a message of a conversation. */
  readonly messageId?: string;
  /** Gets the cause of an answer that failed inside the service. */
  readonly logFailure: (cause: unknown, traceId: string) => void;
}

/**
 * Returns the events of a streamed answer: the start, what happens, the answer or an error, and the
 * end. It never throws. A reader that leaves ends the answer.
 */
export async function* agentEvents(
  stream: AnswerStream<Answer & { readonly message?: { readonly id: string } }>,
  { prompt, traceId: trace_id, messageId, logFailure }: EventOptions,
): AsyncGenerator<AgentEvent, void> {
  yield { type: 'start', prompt, ...(messageId && { message_id: messageId }), trace_id };
  try {
    const { text, usage, passages, message } = yield* stream;
    if (passages) yield { type: 'context', content: [...passages], trace_id };
    const output = { output: text, messages: [{ content: text }], usage };
    yield { ...output, ...(message && { message_id: message.id }), trace_id };
  } catch (error) {
    const known = storeProblem(error);
    if (!known) logFailure(error, trace_id);
    yield {
      type: 'error',
      content: known?.detail ?? 'Something went wrong inside the service. Its log has the cause under the trace_id.',
      error_type: readErrorType(known),
      trace_id,
    };
  }
  yield { type: 'end', trace_id };
}

function readErrorType(known: ProblemError | undefined): ChatErrorType {
  if (known instanceof ChatError) return known.errorType;
  return known?.type === '/problems/too-many-requests' ? 'rate_limit' : 'general';
}

export function stepEvent(step: Step, trace_id: string): AgentEvent {
  const { result, error, milliseconds } = step;
  const observation = result ?? error ?? '';
  return { steps: [{ action: toAction(step), observation, error, milliseconds }], trace_id };
}

export function toAction({ tool, input }: Pick<Step, 'tool' | 'input'>) {
  return { tool, tool_input: input, log: `uses ${tool}` };
}
