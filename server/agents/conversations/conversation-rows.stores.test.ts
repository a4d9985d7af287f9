import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { testedStore } from '../../../contract-tests/tested-store.js';
import type { OwnStore } from '../../../testkit/store/own-store.js';
import { ProblemError } from '../../problems/problem.js';
import type { Project } from '../../projects/projects.js';
import { createProject, lockProjectRow } from '../../projects/projects.js';
import { chatbots, createChatbot } from '../../resources/chatbots.js';
import { createSkill, skills } from '../../resources/skills.js';
import { findKeyedMessage } from '../../store/idempotent-replies.js';
import { Store } from '../../store/index.js';
import {
  createConversation,
  findConversationRow,
  findReply,
  messageList,
  removeConversation,
  sweepConversations,
} from './conversation-rows.js';
import {
  askAgain,
  askQuestion,
  type ConversingChatbot,
  findChatbot,
  keepReply,
  type ReplyClaim,
  releaseClaim,
  renewClaims,
} from './replies.js';

const LEASE = 60_000;
const LAPSED = -1000;
const LONG_AGO = '2000-01-01T00:00:00.000Z';
const DEFAULT_LIMITS = { resources: 3, messages: 4, stored: 4000 };

const USAGE = { requests: 1, prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const BUSY = { type: '/problems/conversation-busy' };
const REPLY = { text: 'Yes.', steps: [], usage: USAGE };

describe('the conversations of a store', () => {
  let own: OwnStore;
  let store: Store;
  let project: Project;
  let chatbot: ConversingChatbot;
  let owners = 0;
  let owner: string;
  beforeAll(async () => {
    own = await testedStore();
    store = await Store.open(own.databaseUrl, { limits: DEFAULT_LIMITS });
  });
  afterAll(async () => {
    await store.close();
    await own.remove();
  });
  beforeEach(async () => {
    owners += 1;
    owner = `ann_${owners}`;
    project = await store.transaction((store) => createProject(store, owner, 'shop'));
    await write((store) => createChatbot(store, project.id, { name: 'desk' }));
    chatbot = await findChatbot(store, project, 'desk');
  });

  /** Writes to the project as an operation does. */
  function write<T>(work: (store: Store) => Promise<T>): Promise<T> {
    return store.transaction(async (tx) => {
      await lockProjectRow(tx, owner, 'shop');
      return work(tx);
    });
  }

  /** Begins a conversation, and returns its id. */
  async function begin(greeting?: string): Promise<string> {
    const conversation = { title: null, greeting };
    const { id } = await write((tx) => createConversation(tx, owner, chatbot, conversation));
    return id;
  }

  const ask = (id: string, content = 'Hello?', lease = LEASE) =>
    write((tx) => askQuestion(tx, owner, id, { content }, lease));

  const busy = () => new Error('the conversation is free');

  /** Asks and replies. */
  async function talk(id: string, content?: string) {
    const { question, claim } = await ask(id, content);
    return { question, reply: await write((tx) => keepReply(tx, owner, claim, question.id, REPLY)) };
  }

  /** Returns the bytes that the owner can still store. */
  async function fits(bytes: number): Promise<boolean> {
    const params = { text: 'x'.repeat(bytes - '{"text":""}'.length) };
    const skill = { name: 'large', type: 'notes', params };
    try {
      await write(async (store) => {
        const row = await createSkill(store, project.id, skill);
        await skills.remove(store, row);
      });
      return true;
    } catch (error) {
      if (error instanceof ProblemError) return false;
      throw error;
    }
  }

  /** Sweeps until nothing is left; returns the number of steps. */
  async function sweep(): Promise<number> {
    let steps = 0;
    while (await sweepConversations(store).step()) steps += 1;
    return steps;
  }

  const idsOf = async (id: string) => (await messageList(store, id).listIds({})).map((entry) => entry.id);

  test('answer one message at a time', async () => {
    const id = await begin();
    const { question, claim } = await ask(id);
    await expect(ask(id)).rejects.toMatchObject(BUSY);
    const itself = new Error('it answers this message');
    await expect(write((tx) => askAgain(tx, question, () => itself))).rejects.toBe(itself);
    await releaseClaim(store, claim);
    await ask(id);
  });

  test('are taken over when the lease has run out, and then refuse the late reply', async () => {
    const id = await begin();
    const { question, claim } = await ask(id, 'Hello?', LAPSED);
    const again = await write((tx) => askAgain(tx, question, busy, LEASE));
    const keep = (held: ReplyClaim) => write((tx) => keepReply(tx, owner, held, question.id, REPLY));
    await expect(keep(claim)).rejects.toThrow('The reply was not kept');
    await releaseClaim(store, claim);
    await renewClaims(store, [claim], LAPSED);
    await expect(ask(id)).rejects.toMatchObject(BUSY);
    await keep(again);
    expect(await findReply(store, question.id)).toMatchObject({ content: 'Yes.' });
  });

  test('keep their claim while it is renewed', async () => {
    const id = await begin();
    const { claim } = await ask(id, 'Hello?', LAPSED);
    await renewClaims(store, [claim], LEASE);
    await expect(ask(id)).rejects.toMatchObject(BUSY);
  });

  test('have room for each question and its reply, or refuse the question', async () => {
    const id = await begin('Welcome!');
    await talk(id);
    await expect(ask(id)).rejects.toMatchObject({ detail: expect.stringContaining('holds 4 messages') });
    expect(await idsOf(id)).toHaveLength(3);
  });

  test('refuse a reply that has no room, before it is asked for', async () => {
    const id = await begin();
    const { question, claim } = await ask(id);
    await releaseClaim(store, claim);
    const later = await ask(id);
    await releaseClaim(store, later.claim);
    await talk(id);
    const again = write((tx) => askAgain(tx, question, busy, LEASE));
    await expect(again).rejects.toMatchObject({ type: '/problems/limit-reached' });
  });

  test('are as many as a chatbot may have, and free for others when deleted', async () => {
    const [first = ''] = [await begin(), await begin(), await begin()];
    await expect(begin()).rejects.toMatchObject({ detail: expect.stringContaining('holds 3 conversations') });
    await write((tx) => removeConversation(tx, owner, chatbot.id, first));
    await begin();
  });

  test.each(['conversation', 'chatbot'])('give their bytes back with their %s', async (kind) => {
    const id = await begin('x'.repeat(1500));
    await talk(id, 'x'.repeat(500));
    expect(await fits(2000)).toBe(false);
    await write(async (tx) => {
      const row = await chatbots.find(tx, project.id, 'desk');
      if (kind !== 'chatbot') await removeConversation(tx, owner, chatbot.id, id);
      else if (row) await chatbots.remove(tx, row);
    });
    expect(await fits(3990)).toBe(true);
    expect(await findConversationRow(store, chatbot.id, id)).toBeUndefined();
  });

  test('are refused a message beyond the bytes of their owner', async () => {
    const id = await begin();
    await expect(ask(id, 'x'.repeat(4000))).rejects.toMatchObject({ type: '/problems/limit-reached' });
    expect(await idsOf(id)).toEqual([]);
    await talk(id);
  });

  test('are free again if the owner has no room for the reply', async () => {
    const id = await begin();
    const { question, claim } = await ask(id);
    const large = { ...REPLY, text: 'x'.repeat(4000) };
    const kept = write((tx) => keepReply(tx, owner, claim, question.id, large));
    await expect(kept).rejects.toMatchObject({ type: '/problems/limit-reached' });
    await releaseClaim(store, claim);
    await ask(id);
  });

  test('are swept with their messages after they were deleted, and no others', async () => {
    await sweep();
    const [deleted, kept] = [await begin('One.'), await begin('Two.')];
    await write((tx) => removeConversation(tx, owner, chatbot.id, deleted));
    expect(await sweep()).toBe(2);
    expect(await idsOf(deleted)).toEqual([]);
    expect(await idsOf(kept)).toHaveLength(1);
    expect(await sweep()).toBe(0);
  });

  test('order their messages even if the clock of an instance is behind', async () => {
    const id = await begin();
    const { question, reply } = await talk(id);
    expect(question.id < reply.id).toBe(true);
    const ahead = uuidv7({ msecs: Date.now() + 60_000 });
    const other = await own.connect();
    await other.run(`update messages set id = '${ahead}' where id = '${reply.id}'`);
    await other.close();
    const next = await ask(id);
    expect(await idsOf(id)).toEqual([question.id, ahead, next.question.id]);
  });

  test('know a message by its key until the key expires, and then give the key to another', async () => {
    const id = await begin();
    const key = { text: 'key', fingerprint: 'first' };
    const first = await write((tx) => askQuestion(tx, owner, id, { content: 'a', key }, LAPSED));
    const find = (notBefore: string) => findKeyedMessage(store, owner, 'key', notBefore);
    expect(await find(LONG_AGO)).toMatchObject({ id: first.question.id, fingerprint: 'first' });
    expect(await find('2999-01-01T00:00:00.000Z')).toBeUndefined();
    expect(await findKeyedMessage(store, 'bob', 'key', LONG_AGO)).toBeUndefined();
    const other = { text: 'key', fingerprint: 'other' };
    await write((tx) => askQuestion(tx, owner, id, { content: 'b', key: other }, LEASE));
    expect(await find(LONG_AGO)).toMatchObject({ content: 'b', fingerprint: 'other' });
  });
});
