import type { AgentEvent } from '../api/reply/send.js';
import { storeProblem } from '../store/database/unavailable.js';
import type { AgentRunner } from './agent-runner.js';
import {
  type Action,
  type Answer,
  type AnswerEvent,
  type AnswerStream,
  NO_ANSWER,
} from './answer-stream.js';
import { ChatError, type ChatErrorType } from './chat/chat-error.js';

interface EventOptions {
  /** The question. */
  readonly prompt: string;
  readonly traceId: string;
  /** The identifier of the question, if it is a message of a conversation. */
  readonly messageId?: string;
  /** Keeps the answer before it is sent as a whole; returns the identifier of its message. */
  readonly keep?: (answer: Answer) => Promise<string>;
}

/**
 * Returns the events of a streamed answer: the start, what happens, the answer or an error, and the
 * end. It never throws. A reader that leaves ends the answer.
 * @param agents gets the cause of an answer that failed inside the service
 */
export async function* agentEvents(
  stream: AnswerStream,
  { prompt, traceId: trace_id, messageId, keep }: EventOptions,
  agents: Pick<AgentRunner, 'logFailure'>,
): AsyncGenerator<AgentEvent, void> {
  yield { type: 'start', prompt, ...(messageId && { message_id: messageId }), trace_id };
  let isOpen = true;
  try {
    let next = await stream.next();
    for (; !next.done; next = await stream.next()) yield toAgentEvent(next.value, trace_id);
    isOpen = false;
    const { text, usage, passages } = next.value;
    const id = await keep?.(next.value);
    if (passages) yield { type: 'context', content: [...passages], trace_id };
    const output = { output: text, messages: [{ content: text }], usage };
    yield { ...output, ...(id && { message_id: id }), trace_id };
  } catch (error) {
    isOpen = false;
    yield { type: 'error', ...describeFailure(error, trace_id, agents), trace_id };
  } finally {
    if (isOpen) await stream.return(NO_ANSWER);
  }
  yield { type: 'end', trace_id };
}

function toAgentEvent(event: AnswerEvent, trace_id: string): AgentEvent {
  switch (event.type) {
    case 'delta':
      return { type: 'delta', content: event.text, trace_id };
    case 'actions': {
      const { text, actions } = event;
      return { actions: actions.map(describeAction), messages: [{ content: text }], trace_id };
    }
    case 'step': {
      const { result, error, milliseconds } = event.step;
      const action = describeAction(event.step);
      const step = { action, observation: result ?? error ?? '', error, milliseconds };
      return { steps: [step], trace_id };
    }
  }
}

function describeAction({ tool, input }: Action) {
  return { tool, tool_input: input, log: `uses ${tool}` };
}

function describeFailure(
  error: unknown,
  traceId: string,
  agents: Pick<AgentRunner, 'logFailure'>,
): { content: string; error_type: ChatErrorType } {
  if (error instanceof ChatError) return { content: error.message, error_type: error.errorType };
  const known = storeProblem(error);
  if (known) return { content: known.detail, error_type: 'general' };
  agents.logFailure(error, traceId);
  const content =
    'Something went wrong inside the service. Its log has the cause under the trace_id.';
  return { content, error_type: 'general' };
}
