/** Answers of agents in the form of OpenAI's chat completions. */

import type { components } from '../../generated/openapi.js';
import { type Answer, type AnswerStream, waitForAnswer } from '../agents/answer-stream.js';
import { asProblem } from '../api/reply/error-handler.js';
import { writeOpenaiError } from '../api/reply/openai-error.js';
import { DONE, type ServerEvent } from '../api/reply/send.js';
import { storeProblem } from '../store/database/unavailable.js';
import { writeCall } from './messages.js';

type Schemas = components['schemas'];
type Completion = Schemas['ChatCompletion'];
type Chunk = Schemas['ChatCompletionChunk'];
type Choice = Chunk['choices'][number];

/** The members that a completion and each chunk of a stream repeat. */
export interface CompletionFacts {
  readonly id: string;
  /** In seconds since 1970. */
  readonly created: number;
  /** The model as the caller named it. */
  readonly model: string;
}

/**
 * Yields the texts of an answer, each as it is written. What the agent says before it uses a tool is a part of it, so
 * that a stream and a whole answer have the same text.
 */
async function* readTexts<T>(
  stream: AnswerStream,
  write: (text: string) => T,
): AsyncGenerator<T, Answer> {
  let separator = '';
  let hasText = false;
  try {
    for (;;) {
      const { done, value: event } = await stream.next();
      if (done) return event;
      if ('actions' in event && hasText) separator = '\n\n';
      if (!('type' in event) || event.type !== 'delta') continue;
      yield write(separator + event.content);
      separator = '';
      hasText = true;
    }
  } finally {
    await stream.return(NO_ANSWER);
  }
}

/** Ends a stream whose answer nobody reads. */
const NO_ANSWER: Answer = {
  ...{ text: '', toolCalls: [], steps: [], passages: undefined },
  usage: { requests: 0, prompt_tokens: null, completion_tokens: null, total_tokens: null },
};

/** Waits for an answer, and returns it whole. */
export async function writeCompletion(
  stream: AnswerStream,
  facts: CompletionFacts,
): Promise<Completion> {
  let content = '';
  const answer = await waitForAnswer(
    readTexts(stream, (text) => {
      content += text;
    }),
  );
  const tool_calls = answer.toolCalls.map(writeCall);
  const message = {
    ...{ role: 'assistant' as const, content: content || null, refusal: null },
    ...(tool_calls.length > 0 && { tool_calls }),
  };
  const usage = writeUsage(answer);
  return {
    ...{ ...facts, object: 'chat.completion' },
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(answer) }],
    ...(usage && { usage }),
    steps: [...answer.steps],
  };
}

interface ChunkOptions {
  /** True if a last chunk has the tokens. */
  readonly includesUsage: boolean;
  /** Gets the cause of an answer that failed inside the service. */
  readonly logFailure: (cause: unknown) => void;
}

/** Returns the events of a streamed answer. It never throws: a failure is the last event but one. */
export async function* streamChunks(
  stream: AnswerStream,
  facts: CompletionFacts,
  { includesUsage, logFailure }: ChunkOptions,
): AsyncGenerator<ServerEvent, void> {
  const chunk = (delta: Choice['delta'], finish_reason: Choice['finish_reason'] = null): Chunk => ({
    ...{ ...facts, object: 'chat.completion.chunk' },
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  yield chunk({ role: 'assistant', content: '' });
  try {
    const answer = yield* readTexts(stream, (content) => chunk({ content }));
    if (answer.toolCalls.length > 0) {
      const tool_calls = answer.toolCalls.map((call, index) => ({ index, ...writeCall(call) }));
      yield chunk({ tool_calls });
    }
    yield { ...chunk({}, finishReason(answer)), steps: [...answer.steps] };
    const usage = includesUsage && writeUsage(answer);
    if (usage) yield { ...chunk({}), choices: [], usage };
  } catch (error) {
    const problem = asProblem(error, storeProblem);
    if (problem.cause) logFailure(problem.cause);
    const { type, detail } = problem;
    yield { error: writeOpenaiError({ type, detail }) };
  }
  yield DONE;
}

function finishReason({ toolCalls }: Answer): Schemas['FinishReason'] {
  return toolCalls.length > 0 ? 'tool_calls' : 'stop';
}

/** Returns the tokens of an answer; undefined if the chat server did not count them. */
function writeUsage({ usage }: Answer): Schemas['OpenaiUsage'] | undefined {
  const { prompt_tokens, completion_tokens, total_tokens } = usage;
  if (prompt_tokens === null || completion_tokens === null || total_tokens === null) return;
  return { prompt_tokens, completion_tokens, total_tokens };
}
