/** An answer as clients of OpenAI's API get it, in either form. */

import type { components } from '../../generated/openapi.js';
import type { Answer, AnswerStream } from '../agents/answer-stream.js';
import { asProblem } from '../api/reply/error-handler.js';
import { writeOpenaiError } from '../api/reply/openai-error.js';
import type { AgentEvent } from '../api/reply/send.js';
import { storeProblem } from '../store/database/unavailable.js';

type OpenaiError = components['schemas']['OpenaiError'];

/** A piece of the text, tools that the agent is about to use, or their results. */
export type AnswerPart = { readonly text: string } | Extract<AgentEvent, { actions: unknown } | { steps: unknown }>;

/**
 * Yields what `write` makes of each part of an answer. Text that the agent writes before it uses a tool is part of the answer,
 * so that a stream and a whole answer have the same.
 */
export async function* readParts<T>(
  stream: AnswerStream,
  write: (part: AnswerPart) => Iterable<T>,
): AsyncGenerator<T, Answer> {
  let separator = '';
  let hasText = false;
  try {
    for (;;) {
      const { done, value: event } = await stream.next();
      if (done) return event;
      if ('actions' in event || 'steps' in event) {
        if (hasText && 'actions' in event) separator = '\n\n';
        yield* write(event);
      } else if ('type' in event && event.type === 'delta') {
        yield* write({ text: separator + event.content });
        separator = '';
        hasText = true;
      }
    }
  } finally {
    await stream.return(NO_ANSWER);
  }
}

/** Ends a stream whose answer nobody reads. */
const NO_ANSWER: Answer = {
  text: '',
  toolCalls: [],
  steps: [],
  passages: undefined,
  predictions: [],
  usage: { requests: 0, prompt_tokens: null, completion_tokens: null, total_tokens: null },
};

/** The event in which a stream reports a failed answer. */
export interface FailureOptions {
  readonly requestId: string;
  /** Gets the cause of an answer that failed inside the service. */
  readonly logFailure: (cause: unknown, requestId: string) => void;
}

/** Writes why a stream failed. Its head was sent long before, so the error names the request. */
export function writeFailure(thrown: unknown, { requestId, logFailure }: FailureOptions): OpenaiError {
  const { type, detail, cause } = asProblem(thrown, storeProblem);
  if (cause) logFailure(cause, requestId);
  return { ...writeOpenaiError({ type, detail }), request_id: requestId };
}

/** Returns the tokens of an answer; undefined if the chat server did not count them. */
export function readTokens({ usage }: Answer): components['schemas']['OpenaiUsage'] | undefined {
  const { prompt_tokens, completion_tokens, total_tokens } = usage;
  if (prompt_tokens === null || completion_tokens === null || total_tokens === null) return;
  return { prompt_tokens, completion_tokens, total_tokens };
}
