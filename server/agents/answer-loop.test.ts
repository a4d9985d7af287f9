import { expect, it, onTestFinished, vi } from 'vitest';
import { answerQuestion } from './answer-loop.js';
import { waitForAnswer } from './answer-stream.js';
import type { ChatAnswer, ChatRequest } from './chat/messages.js';
import { ToolRegistry } from './tools/tools.js';

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
    ...{ chat: { stream }, model: 'llama3.2', temperature: undefined, returnsContext: false },
    ...{ messages: [], tools: new ToolRegistry([]), firstSteps: [], traceId: 'trace' },
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
