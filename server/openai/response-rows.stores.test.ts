import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { testedStore } from '../../contract-tests/tested-store.js';
import { forgetAll } from '../../testkit/store/forget-all.js';
import type { OwnStore } from '../../testkit/store/own-store.js';
import { DAY_MS } from '../store/clock-watch.js';
import { Store } from '../store/index.js';
import { findResponse, keepResponse, RESPONSES, readChain, removeResponse } from './response-rows.js';
import { beginResponse } from './responses.js';

const PROJECT = { id: '019a2f45-8b80-7f00-8c6d-2e5f8a1b4c01', name: 'default' };
const LIMITS = { resources: 4, stored: 40_000 };
const GONE = { type: '/problems/previous-response-not-found' };
const UNKNOWN = { type: '/problems/response-not-found' };

describe('the responses of a store', () => {
  let own: OwnStore;
  let store: Store;
  let owner: string;
  let owners = 0;
  let made = 0;
  beforeAll(async () => {
    own = await testedStore();
    store = await Store.open(own.databaseUrl, { limits: LIMITS });
    const created_at = new Date().toISOString();
    const project = { ...PROJECT, owner: 'anyone', created_at };
    await store.work.insertInto('projects').values(project).execute();
  });
  afterAll(async () => {
    await store.close();
    await own.remove();
  });
  beforeEach(() => {
    owners += 1;
    owner = `owner_${owners}`;
  });

  /** Keeps a response to a question, and returns its identifier. */
  async function keep(question: string, previous: string | null = null): Promise<string> {
    const chain = previous ? await readChain(store, owner, PROJECT.id, previous) : { ids: [], items: [] };
    const facts = newResponse(question, previous);
    await keepResponse(store, { ...facts, chain });
    return facts.response.id;
  }

  function newResponse(question: string, previous: string | null) {
    made += 1;
    const id = `resp_${String(made).padStart(32, '0')}`;
    const facts = { id, created_at: 0, model: 'any', previous_response_id: previous };
    const response = beginResponse({
      ...facts,
      instructions: null,
      tools: [],
      tool_choice: 'auto',
      temperature: 1,
      store: true,
      metadata: {},
      max_output_tokens: null,
    });
    return { owner, project: PROJECT, input: [{ role: 'user' as const, content: question }], response };
  }

  const questionsOf = async (id: string) =>
    (await readChain(store, owner, PROJECT.id, id)).items.map(({ content }) => content);

  async function storedBytes(): Promise<number> {
    const row = await store.reads
      .selectFrom('owner_storage')
      .select('bytes')
      .where('owner', '=', owner)
      .executeTakeFirst();
    return Number(row?.bytes ?? 0);
  }

  test('branch, and give way to new ones, those first that nobody continues', async () => {
    const first = await keep('one');
    const idle = await keep('idle');
    const second = await keep('two', first);
    const other = await keep('other', first);
    expect(await questionsOf(second)).toEqual(['one', 'two']);
    expect(await questionsOf(other)).toEqual(['one', 'other']);
    await keep('three', second);
    await expect(findResponse(store, { owner }, idle)).rejects.toMatchObject(UNKNOWN);
    expect(await questionsOf(second)).toEqual(['one', 'two']);
  });

  test('count towards what the owner stores, until they are deleted or too old', async () => {
    const large = await keep('x'.repeat(30_000));
    const full = await storedBytes();
    expect(full).toBeGreaterThan(30_000);
    await expect(keep('x'.repeat(30_000))).rejects.toMatchObject({ type: '/problems/limit-reached' });
    expect(await storedBytes()).toBe(full);
    const next = await keep('next', large);
    await removeResponse(store, { owner }, large);
    await expect(readChain(store, owner, PROJECT.id, next)).rejects.toMatchObject(GONE);
    await expect(removeResponse(store, { owner }, large)).rejects.toMatchObject(UNKNOWN);
    await forgetAll(store, RESPONSES, DAY_MS);
    expect(await storedBytes()).toBeGreaterThan(0);
    await forgetAll(store, RESPONSES, -DAY_MS);
    expect(await storedBytes()).toBe(0);
  });

  test('are continued and deleted at once', async () => {
    const first = await keep('one');
    for (let round = 0; round < 8; round += 1) {
      const second = await keep('two');
      const chain = { ids: [first, second], items: [] };
      await Promise.all([
        keepResponse(store, { ...newResponse('three', second), chain }),
        removeResponse(store, { owner }, second),
      ]);
    }
    expect(await questionsOf(first)).toEqual(['one']);
  });

  test('are no longer continued when they are too large together', async () => {
    const roomy = await Store.open(own.databaseUrl);
    try {
      let id: string | null = null;
      const narrow = store;
      store = roomy;
      for (let turn = 0; turn < 3; turn += 1) id = await keep('x'.repeat(400_000), id);
      await expect(questionsOf(id ?? '')).rejects.toMatchObject({
        type: '/problems/invalid-request',
        members: { errors: [{ pointer: '/body/previous_response_id' }] },
      });
      store = narrow;
    } finally {
      await roomy.close();
    }
  });
});
