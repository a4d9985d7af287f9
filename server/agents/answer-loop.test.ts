import { expect, it, onTestFinished, vi } from 'vitest';
import { answerQuestion } from './answer-loop.js';
import { waitForAnswer } from './answer-stream.js';
import type { ChatAnswer, ChatRequest } from './chat/messages.js';
import { ToolRegistry } from './tools/tools.js';

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
    return { text: '', toolCalls, usage: null, finishReason: 'tool_calls' };
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
  expect(watch.onStop).toHaveBeenCalledOnce();
});
