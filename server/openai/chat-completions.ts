/** Answers of agents in the form of OpenAI's chat completions. */

import type { components } from '../../generated/openapi.js';
import { type Answer, type AnswerStream, waitForAnswer } from '../agents/answer-stream.js';
import { DONE, type ServerEvent } from '../api/reply/send.js';
import { type FailureOptions, readParts, readTokens, writeFailure } from './answer-parts.js';
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

/** Waits for an answer, and returns it whole. */
export async function writeCompletion(stream: AnswerStream, facts: CompletionFacts): Promise<Completion> {
  let content = '';
  const answer = await waitForAnswer(
    readParts(stream, (part) => {
      if ('text' in part) content += part.text;
      return [];
    }),
  );
  const tool_calls = answer.toolCalls.map(writeCall);
  const message = {
    role: 'assistant' as const,
    content: tool_calls.length > 0 ? content || null : content,
    refusal: null,
    ...(tool_calls.length > 0 && { tool_calls }),
  };
  const usage = readTokens(answer);
  return {
    ...facts,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(answer) }],
    ...(usage && { usage }),
    steps: [...answer.steps],
  };
}

interface ChunkOptions extends FailureOptions {
  /** True if a last chunk has the tokens. */
  readonly includesUsage: boolean;
}

/** Returns the events of a streamed answer. It never throws: a failure is the last event but one. */
export async function* streamChunks(
  stream: AnswerStream,
  facts: CompletionFacts,
  { includesUsage, ...failure }: ChunkOptions,
): AsyncGenerator<ServerEvent, void> {
  const chunk = (delta: Choice['delta'], finish_reason: Choice['finish_reason'] = null): Chunk => ({
    ...facts,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  yield chunk({ role: 'assistant', content: '' });
  try {
    const answer = yield* readParts(stream, (part) => ('text' in part ? [chunk({ content: part.text })] : []));
    if (answer.toolCalls.length > 0) {
      const tool_calls = answer.toolCalls.map((call, index) => ({ index, ...writeCall(call) }));
      yield chunk({ tool_calls });
    }
    yield { ...chunk({}, finishReason(answer)), steps: [...answer.steps] };
    const usage = includesUsage && readTokens(answer);
    if (usage) yield { ...chunk({}), choices: [], usage };
  } catch (error) {
    yield { error: writeFailure(error, failure) };
  }
  yield DONE;
}

function finishReason({ toolCalls, isCut }: Answer): Schemas['FinishReason'] {
  if (toolCalls.length > 0) return 'tool_calls';
  return isCut ? 'length' : 'stop';
}
