import type { components } from '../../generated/openapi.js';
import type { AgentEvent } from '../api/handlers.js';
import { translateError } from '../error-translation.js';
import { ProblemError } from '../problems/problem.js';
import {
  type Action,
  type Answer,
  type AnswerEvent,
  type Answering,
  NO_ANSWER,
  type Step,
} from './answer.js';
import { ChatError } from './chat/chat-error.js';

type ChatErrorType = components['schemas']['ChatErrorType'];

/** The options for the events of an answer. */
interface EventOptions {
  /** The question. */
  readonly prompt: string;
  readonly traceId: string;
  /** The identifier of the question, if it is a message of a conversation. */
  readonly messageId?: string;
  /** Keeps the answer before it is sent as a whole; returns the identifier of its message. */
  readonly keep?: (answer: Answer) => Promise<string>;
  /** Gets the cause of an answer that failed inside the service. */
  readonly noteFailure: (cause: unknown) => void;
}

/**
 * Returns the events of a streamed answer: the start, what happens, the answer or an error, and the
 * end. It never throws.
 */
export async function* agentEvents(
  answering: Answering,
  { prompt, traceId, messageId, keep, noteFailure }: EventOptions,
): AsyncGenerator<AgentEvent, void> {
  const trace_id = traceId;
  yield { type: 'start', prompt, ...(messageId && { message_id: messageId }), trace_id };
  try {
    const { text, usage, passages, ...rest } = yield* relay(answering, trace_id);
    const id = await keep?.({ text, usage, passages, ...rest });
    if (passages) yield { type: 'context', content: [...passages], trace_id };
    const output = { output: text, messages: [{ content: text }], usage };
    yield { ...output, ...(id && { message_id: id }), trace_id };
  } catch (error) {
    yield { type: 'error', ...failureOf(error, noteFailure), trace_id };
  }
  yield { type: 'end', trace_id };
}

/** Waits for an answer, and ignores its events. */
export async function waitForAnswer(answering: Answering): Promise<Answer> {
  for (;;) {
    const next = await answering.next();
    if (next.done) return next.value;
  }
}

async function* relay(answering: Answering, trace_id: string): AsyncGenerator<AgentEvent, Answer> {
  let next = await answering.next();
  try {
    while (!next.done) {
      yield { ...eventOf(next.value), trace_id };
      next = await answering.next();
    }
    return next.value;
  } finally {
    // A reader that leaves ends the answer.
    if (!next.done) await answering.return(NO_ANSWER);
  }
}

function eventOf(event: AnswerEvent) {
  switch (event.type) {
    case 'delta':
      return { type: 'delta' as const, content: event.text };
    case 'actions':
      return { actions: event.actions.map(actionOf), messages: [{ content: event.text }] };
    case 'step':
      return { steps: [stepOf(event.step)] };
  }
}

function actionOf({ tool, input }: Action) {
  return { tool, tool_input: input, log: `uses ${tool}` };
}

function stepOf({ tool, input, result, error, milliseconds }: Step) {
  return {
    action: actionOf({ tool, input }),
    observation: result ?? error ?? '',
    error,
    milliseconds,
  };
}

function failureOf(
  error: unknown,
  noteFailure: (cause: unknown) => void,
): { content: string; error_type: ChatErrorType } {
  if (error instanceof ChatError) return { content: error.message, error_type: error.errorType };
  const request = { body: undefined, operationId: undefined, params: {} };
  const known = error instanceof ProblemError ? error : translateError(error, request);
  if (known) return { content: known.detail, error_type: 'general' };
  noteFailure(error);
  const content =
    'Something went wrong inside the service. Its log has the cause under the trace_id.';
  return { content, error_type: 'general' };
}
