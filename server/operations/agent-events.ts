import type { Action, Answer, AnswerEvent, Answering, Step } from '../agents/answer.js';
import type { AgentEvent } from '../pipeline/handlers.js';
import { ProblemError } from '../problems/problem.js';

interface EventOptions {
  /** The question. */
  readonly prompt: string;
  readonly traceId: string;
  /** The id of the question, if it is a message of a conversation. */
  readonly messageId?: string;
  /** Stores the answer before `output` is sent; returns the id of its message. */
  readonly keep?: (answer: Answer) => Promise<string>;
}

/**
 * Returns the events of a streamed answer: start, what happens, output or error, end. Never throws.
 */
export async function* agentEvents(
  answering: Answering,
  { prompt, traceId: trace_id, messageId, keep }: EventOptions,
): AsyncGenerator<AgentEvent> {
  yield { type: 'start', prompt, ...(messageId ? { message_id: messageId } : {}), trace_id };
  try {
    let next = await answering.next();
    while (!next.done) {
      yield eventOf(next.value, trace_id);
      next = await answering.next();
    }
    const { text: output, usage, passages } = next.value;
    const replyId = await keep?.(next.value);
    if (passages) yield { type: 'context', content: [...passages], trace_id };
    const messages = [{ content: output }];
    yield { output, messages, usage, ...(replyId ? { message_id: replyId } : {}), trace_id };
  } catch (error) {
    const content = error instanceof ProblemError ? error.detail : 'The answer failed.';
    yield { type: 'error', content, error_type: 'general', trace_id };
  } finally {
    await answering.return({
      text: '',
      steps: [],
      usage: { requests: 0, prompt_tokens: null, completion_tokens: null, total_tokens: null },
      passages: undefined,
    });
  }
  yield { type: 'end', trace_id };
}

function eventOf(event: AnswerEvent, trace_id: string): AgentEvent {
  if (event.type === 'delta') return { type: 'delta', content: event.text, trace_id };
  if (event.type === 'actions') {
    const messages = [{ content: event.text }];
    return { actions: event.actions.map(actionOf), messages, trace_id };
  }
  return { steps: [stepOf(event.step)], trace_id };
}

function actionOf({ tool, input }: Action) {
  return { tool, tool_input: input, log: tool };
}

function stepOf({ tool, input, result, error, milliseconds }: Step) {
  const observation = result ?? error ?? '';
  return { action: actionOf({ tool, input }), observation, error, milliseconds };
}
