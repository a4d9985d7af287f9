import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LOCAL_CALLER } from '../../auth/caller.js';
import { findProjectRow } from '../../projects/projects.js';
import { createChatbot } from '../../resources/chatbots.js';
import { Store } from '../../store/index.js';
import type { Question } from '../agent-runner.js';
import { type Answer, type AnswerStream, stepEvent, waitForAnswer } from '../answer-stream.js';
import { createConversation } from './conversation-rows.js';
import { type Asker, askQuestion, findChatbot, keepReply, LEASE_MS, Replies, type TakenQuestion } from './replies.js';

const USAGE = { requests: 1, prompt_tokens: null, completion_tokens: null, total_tokens: null };
const ANSWER: Answer = { toolCalls: [], text: 'Yes.', steps: [], usage: USAGE, passages: undefined, predictions: [] };

let store: Store;
let conversationId: string;
let asker: Asker;
let closing: AbortController;
beforeEach(async () => {
  store = await Store.open(':memory:');
  closing = new AbortController();
  const project = await findProjectRow(store, 'local', 'default');
  if (!project) throw new Error('There is no project');
  const settings = { greeting: 'Welcome!', instructions: 'Be brief.', history: 5 };
  await store.transaction((store) => createChatbot(store, project.id, { name: 'desk', model_name: 'small', settings }));
  const chatbot = await findChatbot(store, project, 'desk');
  const conversation = { title: null, greeting: undefined };
  ({ id: conversationId } = await store.transaction((tx) => createConversation(tx, 'local', chatbot, conversation)));
  const { signal } = closing;
  asker = { caller: LOCAL_CALLER, project, chatbot, requestId: 'request-1', signal };
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
});

/** Sends a message, and claims the conversation. */
function ask(lease = LEASE_MS): Promise<TakenQuestion> {
  const question = { content: 'Hello?' };
  return store.transaction((tx) => askQuestion(tx, 'local', conversationId, question, lease));
}

/** Returns whether the conversation takes another message. Does not send one. */
async function isFree(): Promise<boolean> {
  const undone = new Error('undone');
  try {
    await store.transaction(async (tx) => {
      await askQuestion(tx, 'local', conversationId, { content: 'Next?' });
      throw undone;
    });
    return false;
  } catch (error) {
    if (error === undone) return true;
    expect(error).toMatchObject({ type: '/problems/conversation-busy' });
    return false;
  }
}

async function* answering(): AnswerStream {
  yield { type: 'delta', content: 'Yes.', trace_id: 'request-1' };
  return ANSWER;
}

const answersWith = (prepare: (question: Question) => Promise<AnswerStream>) =>
  new Replies(store, { find: () => Promise.reject(new Error('no agent is expected')), prepare });

test('the agent is asked with the settings of the chatbot', async () => {
  const prepare = vi.fn(async (_: Question) => answering());
  await answersWith(prepare).replyTo(await ask(), asker);
  expect(prepare).toHaveBeenCalledExactlyOnceWith({
    caller: LOCAL_CALLER,
    project: asker.project,
    signal: closing.signal,
    agent: null,
    modelName: 'small',
    instructions: 'Be brief.',
    traceId: 'request-1',
    messages: [{ role: 'user', content: 'Hello?' }],
  });
});

describe('the conversation is free again', () => {
  test('when the reply is stored', async () => {
    const replies = answersWith(async () => answering());
    const stream = await replies.replyTo(await ask(), asker);
    expect(await isFree()).toBe(false);
    await waitForAnswer(stream);
    expect(await isFree()).toBe(true);
  });

  test('when the agent cannot be asked', async () => {
    const failed = new Error('no chat server');
    const replies = answersWith(() => Promise.reject(failed));
    await expect(replies.replyTo(await ask(), asker)).rejects.toBe(failed);
    expect(await isFree()).toBe(true);
  });

  test('when the answer fails, before its failure is reported', async () => {
    // biome-ignore lint/correctness/useYield: it fails before it has anything to report.
    const failing = async function* (): AnswerStream {
      throw new Error('the chat server failed');
    };
    const replies = answersWith(async () => failing());
    const stream = await replies.replyTo(await ask(), asker);
    await expect(stream.next()).rejects.toThrow('the chat server failed');
    expect(await isFree()).toBe(true);
  });

  test('when the reader leaves during the answer', async () => {
    const replies = answersWith(async () => answering());
    const stream = await replies.replyTo(await ask(), asker);
    for await (const _ of stream) break;
    expect(await isFree()).toBe(true);
  });

  test('when the response closes, even if nothing of the answer was read', async () => {
    const replies = answersWith(async () => answering());
    await replies.replyTo(await ask(), asker);
    closing.abort(new Error('gone'));
    await expect.poll(isFree).toBe(true);
  });

  test('when the caller left before the agent was asked', async () => {
    const prepare = vi.fn(async () => answering());
    const taken = await ask();
    closing.abort(new Error('gone'));
    await expect(answersWith(prepare).replyTo(taken, asker)).rejects.toThrow('gone');
    expect(prepare).not.toHaveBeenCalled();
    expect(await isFree()).toBe(true);
  });
});

test('a claim is renewed until its answer ends', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const replies = answersWith(async () => answering());
  const taken = await ask(-1);
  const stream = await replies.replyTo(taken, asker);
  expect(await isFree()).toBe(true);
  vi.advanceTimersByTime(LEASE_MS / 2);
  await expect.poll(isFree).toBe(false);
  await waitForAnswer(stream);
  expect(vi.getTimerCount()).toBe(0);
});

test('a stored reply is given again with its steps, and the agent is not asked', async () => {
  const step = { skill: 'a', tool: 'a', input: {}, result: '1', error: null, milliseconds: 2 };
  const { question, claim } = await ask();
  if (!claim) throw new Error('There is a reply already');
  const kept = { text: 'Yes.', steps: [step], usage: USAGE };
  const reply = await store.transaction((tx) => keepReply(tx, 'local', claim, question.id, kept));
  const replies = answersWith(() => Promise.reject(new Error('asked')));
  const again = await replies.replyTo({ question, reply }, asker);
  expect(await again.next()).toEqual({ done: false, value: stepEvent(step, 'request-1') });
  const { value } = await again.next();
  expect(value).toEqual({ ...ANSWER, steps: [step], message: reply });
});
