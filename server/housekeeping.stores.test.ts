import type { RememberedPart } from 'roster-prediction/predicting';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testedStore } from '../contract-tests/tested-store.js';
import type { OwnStore } from '../testkit/store/own-store.js';
import { forgetByAge, listAges } from './housekeeping.js';
import { addPromises, newAnswerId } from './models/record/promise-rows.js';
import { addTablePart, createTable } from './models/training/table-rows.js';
import { keepResponse } from './openai/response-rows.js';
import { beginResponse } from './openai/responses.js';
import { createProject } from './projects/projects.js';
import { storeText } from './resources/documents/documents.js';
import { preparePassages } from './resources/documents/split-text.js';
import { createAct } from './store/audit.js';
import { ClockWatch, DAY_MS } from './store/clock-watch.js';
import { forgetSeeds, insertGrant, type NewGrant } from './store/grants.js';
import { keepAnswer } from './store/idempotent-replies.js';
import { Store } from './store/index.js';
import { takeSlice } from './store/key-usage.js';
import { insertKey } from './store/keys.js';
import { newResource } from './store/rows.js';
import { noteCall } from './store/running-calls.js';

const OWNER = 'ann';
const KEY = { id: 'key', name: 'key', owner: OWNER, scopes: ['read'], hash: 'h', expires_at: null } as const;
const YEAR_MS = 366 * DAY_MS;
const HALF_AN_HOUR_MS = 30 * 60 * 1000;

let database: OwnStore;
beforeAll(async () => {
  database = await testedStore();
});
afterAll(() => database.remove());

test('a clock that jumps ahead deletes nothing for a day, whatever is kept for a time', async () => {
  const store = await Store.open(await database.empty());
  try {
    await keepOneOfEach(store);
    let [jumpedMs, passedMs] = [0, 0];
    const clock = new ClockWatch(() => performance.now() + passedMs - jumpedMs);
    // Rows of a year from now are old already.
    const ages = listAges({ promiseDays: 90, auditDays: 365 });
    const sweeps = forgetByAge(
      store,
      ages.map(([rows]) => [rows, -YEAR_MS]),
      clock,
    );
    const tables = [...ages.map(([{ table }]) => table), ...UPLOADS];
    const count = async () => {
      const counts = tables.map(async (table) => {
        const { rows } = await store.work
          .selectFrom(table)
          .select(({ fn }) => fn.countAll<number | string>().as('rows'))
          .executeTakeFirstOrThrow();
        return [table, Number(rows)] as const;
      });
      return Object.fromEntries(await Promise.all(counts));
    };
    const sweepAll = async () => {
      for (const { step } of sweeps) while (await step());
    };

    const kept = Object.fromEntries(tables.map((table) => [table, 1]));
    expect(await count()).toEqual(kept);
    await clock.read(store.work);
    jumpedMs = YEAR_MS;
    await sweepAll();
    expect(await count()).toEqual(kept);

    for (; passedMs < DAY_MS; passedMs += HALF_AN_HOUR_MS) await clock.read(store.work);
    await sweepAll();
    expect(await count()).toEqual(Object.fromEntries(tables.map((table) => [table, 0])));
    const storage = await store.work
      .selectFrom('owner_storage')
      .select(['bytes', 'answer_bytes'])
      .where('owner', '=', OWNER)
      .executeTakeFirstOrThrow();
    expect(Object.values(storage).map(Number)).toEqual([0, 0]);
  } finally {
    await store.close();
  }
});

test('the seed of a refresh token is forgotten when its races are over', async () => {
  const store = await Store.open(await database.empty());
  try {
    const { work } = store;
    const { id: project_id, created_at } = await createProject(store, OWNER, 'shop');
    await insertKey(store, KEY);
    const now = Date.now();
    for (const [id, refresh_since] of [
      ['past', now - 120_000],
      // An hour from now, however slow the machine is.
      ['new', now + 3_600_000],
    ] as const) {
      const refresh = { refresh_hash: id, refresh_seed: 'seed', refresh_since };
      await insertGrant(store, grantOf(id, { project_id, created_at, ...refresh }));
    }
    const { step } = forgetSeeds(store);
    expect([await step(), await step()]).toEqual([false, false]);
    const rows = await work.selectFrom('oauth_grants').select(['id', 'refresh_seed']).orderBy('id').execute();
    expect(rows).toEqual([
      { id: 'new', refresh_seed: 'seed' },
      { id: 'past', refresh_seed: null },
    ]);
  } finally {
    await store.close();
  }
});

/** Tables that wait for a training, and texts that wait for a document: swept when nothing comes. */
const UPLOADS = ['training_tables', 'document_texts'] as const;

/** Puts a row into each table of what is kept for a time. */
async function keepOneOfEach(store: Store): Promise<void> {
  const { work } = store;
  const project = await createProject(store, OWNER, 'shop');
  const { id: projectId, name } = project;

  const facts = { id: 'resp_1', created_at: 0, model: 'any', previous_response_id: null };
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
  const input = [{ role: 'user' as const, content: 'question' }];
  await keepResponse(store, {
    owner: OWNER,
    project,
    chain: { ids: [], items: [] },
    input,
    response,
    act: createAct(OWNER, 'completeResponse', '/v1/responses'),
  });

  const { id, created_at } = newResource();
  await work.insertInto('models').values({ id, project_id: projectId, name: 'm', created_at }).execute();
  const version = { id: 'v', model_id: id, version: 1 };
  const promise = { id: newAnswerId(), owner: OWNER, project: name, version };
  await addPromises(store, promise, [PROMISE]);

  const headers = { ETag: '"e"', Location: '/projects/shop' };
  await keepAnswer(store, OWNER, 'k', { fingerprint: 'f', headers, body: '{}' });

  await insertKey(store, KEY);
  await noteCall(store, 'a call');
  await insertGrant(store, grantOf('grant', { project_id: projectId, created_at }));
  await takeSlice(store, 'key', 'requests', { wanted: 1, max: 2 });

  await addTablePart(store, await createTable(store, OWNER), 0, Buffer.alloc(8));
  const passages = await preparePassages('text', false);
  await storeText(store, OWNER, 'skill', { bytes: 4, passages });
  // As after an hour, which the clock of the database does not jump here.
  for (const table of UPLOADS) await work.updateTable(table).set({ upload_until: 1 }).execute();
}

function grantOf(id: string, fields: Pick<NewGrant, 'project_id' | 'created_at'> & Partial<NewGrant>): NewGrant {
  return {
    id,
    key_id: KEY.id,
    resource: '/mcp',
    scopes: ['read'],
    client_id: 'c',
    client_name: 'c',
    redirect_uri: 'http://127.0.0.1/',
    challenge: 'c',
    code_hash: id,
    access_hash: null,
    refresh_hash: null,
    access_until: 0,
    valid_until: Date.now() + 60_000,
    ...fields,
  };
}

const PROMISE: RememberedPart = {
  kind: 'promises',
  first: 0,
  rows: 1,
  promises: Buffer.alloc(16),
  ids: null,
  hasNext: false,
};
