import { expect, it, onTestFinished, vi } from 'vitest';
import { answerQuestion } from './answer-loop.js';
import { waitForAnswer } from './answer-stream.js';
import { ChatError } from './chat/chat-error.js';
import type { ChatAnswer, ChatRequest } from './chat/messages.js';
import { ToolRegistry } from './tools/tools.js';

const usage = { requests: 0, prompt_tokens: null, completion_tokens: null, total_tokens: null };
const NO_ANSWER = { text: '', toolCalls: [], steps: [], usage, passages: undefined, predictions: [] };
const COUNTED = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 };
const NO_LIMIT = { require: () => undefined, count: async () => {} };

it('ends an answer that drips for two minutes', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  async function* stream(_: ChatRequest, signal: AbortSignal): AsyncGenerator<string, ChatAnswer> {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      signal.throwIfAborted();
      yield '4';
    }
  }
  const prepared = {
    chat: { stream },
    model: 'llama3.2',
    temperature: undefined,
    returnsContext: false,
    messages: [],
    tools: new ToolRegistry([]),
    firstSteps: [],
    traceId: 'trace',
    tokens: NO_LIMIT,
  };
  const onFailure = vi.fn();
  const watch = { onStep: vi.fn(), onAnswer: vi.fn(), onStop: vi.fn(), onFailure };
  const { signal } = new AbortController();
  const answer = waitForAnswer(answerQuestion(prepared, () => watch, signal));
  const failure = expect(answer).rejects.toThrow('The answer took longer than 120 seconds');
  await vi.advanceTimersByTimeAsync(121_000);
  await failure;
  expect(onFailure).toHaveBeenCalledOnce();
});

it('ends the tool in use when its caller goes, and uses no other', async () => {
  const gone = new AbortController();
  const reason = new Error('The caller has gone.');
  async function* stream(): AsyncGenerator<string, ChatAnswer> {
    yield 'Two questions for it.';
    const toolCalls = ['first', 'second'].map((id) => ({ id, name: 'wait', arguments: '{}' }));
    return { text: '', toolCalls, usage: COUNTED, finishReason: 'tool_calls' };
  }
  const run = vi.fn(async (_input: unknown, signal: AbortSignal) => {
    gone.abort(reason);
    signal.throwIfAborted();
    return { data: { answer: 'It has waited.' } };
  });
  const described = { description: '', parameters: {}, output: {} };
  const tool = { skill: 'waiting', name: 'wait', ...described, run };
  const prepared = {
    chat: { stream },
    model: 'llama3.2',
    temperature: undefined,
    returnsContext: false,
    messages: [],
    tools: new ToolRegistry([tool]),
    firstSteps: [],
    traceId: 'trace',
    tokens: NO_LIMIT,
  };
  const watch = { onStep: vi.fn(), onAnswer: vi.fn(), onStop: vi.fn(), onFailure: vi.fn() };
  const answer = waitForAnswer(answerQuestion(prepared, () => watch, gone.signal));
  await expect(answer).rejects.toBe(reason);
  expect(run).toHaveBeenCalledOnce();
  expect(watch.onStop).toHaveBeenCalledExactlyOnceWith({ requests: 1, ...COUNTED });
});

/** Asks a question of about 250 tokens of a chat server. Returns the answer, and the tokens that are counted. */
function askCounted(
  stream: (request: ChatRequest, signal: AbortSignal) => AsyncGenerator<string, ChatAnswer>,
  cancelled = new AbortController().signal,
) {
  const counted: number[] = [];
  const watch = { onStep: vi.fn(), onAnswer: vi.fn(), onStop: vi.fn(), onFailure: vi.fn() };
  const prepared = {
    chat: { stream },
    model: 'llama3.2',
    temperature: undefined,
    returnsContext: false,
    messages: [{ role: 'user' as const, content: 'x'.repeat(1000) }],
    tools: new ToolRegistry([]),
    firstSteps: [],
    traceId: 'trace',
    tokens: { require: () => undefined, count: async (used: number) => void counted.push(used) },
  };
  return { answer: answerQuestion(prepared, () => watch, cancelled), counted, watch };
}

it('counts the tokens of an answer that its caller leaves', async () => {
  const { answer, counted } = askCounted(async function* () {
    yield '4'.repeat(400);
    yield 'not read';
    return { text: '', toolCalls: [], usage: null, finishReason: 'stop' };
  });
  await answer.next();
  await answer.return(NO_ANSWER);
  expect(counted).toEqual([expect.closeTo(350, -2)]);
});

it('counts the tokens of a question whose caller goes before the first word', async () => {
  const gone = new AbortController();
  const { answer, counted } = askCounted(async function* (_, signal) {
    gone.abort(new Error('The caller has gone.'));
    yield await Promise.reject(signal.reason);
    throw signal.reason;
  }, gone.signal);
  await expect(answer.next()).rejects.toThrow('The caller has gone.');
  expect(counted).toEqual([expect.closeTo(250, -2)]);
});

const BROKEN = new ChatError('The connection broke.', 'connection');

it.each([
  ['breaks off', ['4'.repeat(400)], BROKEN, 350],
  ['is too long', ['4'.repeat(70_000)], BROKEN, 17_750],
  ['takes too long', [], new ChatError('It is silent.', 'timeout'), 250],
])('counts the tokens of an answer that %s', async (_, texts, error, tokens) => {
  const { answer, counted } = askCounted(async function* () {
    yield* texts;
    throw error;
  });
  await expect(waitForAnswer(answer)).rejects.toThrow(ChatError);
  expect(counted).toEqual([expect.closeTo(tokens, -2)]);
});

it.each([
  ['refuses', new ChatError('No such model.', 'not_found', 404)],
  ['cannot be reached', BROKEN],
])('counts nothing if the chat server %s', async (_, error) => {
  // biome-ignore lint/correctness/useYield: it ends before its first word
  const { answer, counted } = askCounted(async function* () {
    throw error;
  });
  await expect(waitForAnswer(answer)).rejects.toBe(error);
  expect(counted).toEqual([]);
});
