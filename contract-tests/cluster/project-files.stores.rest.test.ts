/** Tests projects as files that are large, applied again, at once with other requests, or killed, on both kinds of stores. */
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readProjectFile, writeProjectFile } from '../../server/commands/project-file.js';
import { DatabaseSync } from '../../server/store/database/sqlite-connection.js';
import { anyText } from '../../testkit/any-text.js';
import { slowTable } from '../../testkit/data/diamonds.js';
import { type Connection, connectTo } from '../../testkit/store/own-store.js';
import { checkedFetch } from '../checked-fetch.js';
import { ON_POSTGRES } from '../tested-store.js';
import { listed, type Manifest, ProjectFiles, QUERY, SHOP } from './project-files.js';

/** A thousand resources of all kinds but models. */
const MANY: Manifest = Array.from(
  { length: 320 },
  (_, index): Manifest => [
    { skill: { name: `s${index}`, type: 'retrieval', params: { source: `part ${index}` } } },
    { agent: { name: `a${index}`, skills: [`s${index}`, `s${(index + 1) % 320}`] } },
    { chatbot: { name: `c${index}`, agent_name: `a${index}` } },
  ],
)
  .flat()
  .concat(
    Array.from({ length: 40 }, (_, index) => ({
      document: {
        skill: `s${index}`,
        name: 'text.md',
        media_type: 'text/markdown',
        text: `# Part ${index}\n\n${'Some words of it. '.repeat(20)}\n`,
      },
    })),
  );

const files = new ProjectFiles();

/** Connects to the store, beside the service. */
async function connect(): Promise<Connection> {
  const { DATABASE_URL: url = '' } = files.env;
  if (ON_POSTGRES) return connectTo(url);
  const database = new DatabaseSync(url.replace('file:', ''));
  return { run: async (sql) => database.exec(sql), close: async () => database.close() };
}

test('a forecast of sums is exported with them, and its training depends on them', async () => {
  await files.shop.execute('create table days (day integer, price integer)');
  await files.shop.execute(
    `insert into days values ${Array.from({ length: 80 }, (_, at) => `(${at}, 2), (${at}, ${at % 7})`)}`,
  );
  const source = { database: 'calendar', query: 'select day, price from days' };
  const prices = { name: 'prices', target: 'price', source, order_by: 'day', horizon: 2, aggregate: 'sum' } as const;
  await files.apply([{ model: prices }]);
  await files.untilTrained();
  expect(await files.read()).toEqual([{ model: prices }]);
  expect(await files.apply([{ model: prices }])).toMatchObject({ changes: [], unchanged: 1 });
  expect(listed(await files.apply([{ model: { ...prices, aggregate: 'mean' } }], '?dry_run=true'))).toEqual([
    'train prices',
  ]);
});

test('any project is exported the same after it was applied', async () => {
  const name = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,9}$/);
  const params = fc.dictionary(
    anyText({ maxLength: 8 }).map((text) => text.replaceAll('\0', '')),
    fc.jsonValue({ maxDepth: 3 }),
    { maxKeys: 5 },
  );
  const text = anyText({ maxLength: 60 }).map((any) => any.replaceAll(/\0|\p{Surrogate}/gu, ''));
  const manifests = fc
    .record({
      skills: fc.uniqueArray(name, { maxLength: 5 }),
      agents: fc.uniqueArray(name, { maxLength: 4 }),
      chatbots: fc.uniqueArray(name, { maxLength: 3 }),
      params: fc.array(params, { minLength: 5, maxLength: 5 }),
      texts: fc.array(text, { minLength: 5, maxLength: 5 }),
    })
    .map(
      ({ skills, agents, chatbots, params, texts }): Manifest => [
        ...chatbots.map((one, at) => ({
          chatbot: { name: one, agent_name: agents[at] ?? null, settings: { x: params[at] } },
        })),
        ...agents.map((one, at) => ({
          agent: { name: one, skills: skills.slice(at), settings: params[at] ?? null, provider: null },
        })),
        ...skills.map((one, at) => ({
          skill: {
            name: one,
            type: at % 2 === 0 ? 'retrieval' : 'note',
            params: { ...params[at], source: 'x', description: 'y' },
          },
        })),
        ...skills.flatMap((skill, at) =>
          at % 2 === 0
            ? [{ document: { skill, name: 'd', media_type: 'text/plain' as const, text: texts[at] ?? '' } }]
            : [],
        ),
      ],
    );
  await fc.assert(
    fc.asyncProperty(manifests, async (manifest) => {
      // The second replaces the first.
      await files.apply(manifest, '?prune=true');
      const stored = await files.read();
      const written = writeProjectFile(stored);
      const { value } = readProjectFile(Buffer.from(written).toString(), 'any.yaml');
      expect(value).toEqual(stored);
      expect(stored).toHaveLength(manifest.length);
      expect((await files.apply(stored, '?prune=true')).changes).toEqual([]);
      const copy = await files.newProject();
      await files.apply(stored, '', copy);
      expect(writeProjectFile(await files.read(copy))).toBe(written);
    }),
    { numRuns: 8 },
  );
});

test('what is as the manifest says keeps its entity tag and its version', async () => {
  await files.apply(SHOP);
  await files.untilTrained();
  const tags = async () => {
    const of = ['skills/care', 'skills/orders', 'agents/analyst', 'chatbots/desk'];
    const answers = of.map((path) => files.send('GET', `/projects/${files.project}/${path}`));
    return (await Promise.all(answers)).map(({ headers }) => headers.get('ETag'));
  };
  const before = await tags();
  const changed = SHOP.map((entry): Manifest[number] =>
    entry.chatbot ? { chatbot: { name: 'desk', agent_name: 'analyst', settings: { x: 1 } } } : entry,
  );
  const { changes, unchanged } = await files.apply(changed);
  expect([changes, unchanged]).toEqual([
    [{ action: 'update', kind: 'chatbot', name: 'desk', skill: null, fields: ['/settings/greeting', '/settings/x'] }],
    6,
  ]);
  const after = await tags();
  expect(after.slice(0, 3)).toEqual(before.slice(0, 3));
  expect(after[3]).not.toBe(before[3]);
  expect(await (await files.send('GET', files.model())).json()).toMatchObject({ version: 1, promotion: 'manual' });
});

test('a model is trained again if its query or a choice differs, and only then', async () => {
  await files.apply(SHOP);
  await files.untilTrained();
  const change = (fields: object, query = '') => {
    const changed = SHOP.map((entry): Manifest[number] => {
      return entry.model ? { model: { ...entry.model, ...fields } } : entry;
    });
    return files.apply(changed, query);
  };
  expect(listed(await change({ promotion: 'always', task: 'regression' }))).toEqual(['update prices']);
  expect(listed(await change({ source: { database: 'sales', query: `${QUERY} ` } }))).toEqual(['train prices']);
  const training = await files.put(SHOP);
  // Either it still trains, or it is done and is trained a third time.
  expect([200, 409]).toContain(training.status);
  await files.untilTrained();
  const others = [
    { group: "'" },
    { date_order: 'month-first' },
    { decimal_point: [] },
    { validate: 'last' },
    { effort: 'best' },
  ];
  for (const fields of others) {
    expect(listed(await change(fields, '?dry_run=true'))).toEqual(['train prices']);
  }
  const words = { missing: ['TBD', 'k.A.'], missing_in: ['size=0'] };
  expect(listed(await change({ ...words, as_category: [] }))).toEqual(['train prices']);
  await files.untilTrained();
  expect(listed(await change({ ...words, missing: ['k.A. ', 'TBD'], as_category: [] }))).toEqual([]);
});

test('a model that cannot be trained leaves all as it was', async () => {
  const source = (query: string) => ({ database: 'sales', query });
  const refusal = async (query: string) => {
    const fields = { name: 'prices', target: 'price', source: source(query) };
    const refused = await files.put([{ skill: { name: 'new', type: 'note' } }, { model: fields }]);
    expect((await files.send('GET', `/projects/${files.project}/skills/new`)).status).toBe(404);
    return { status: refused.status, ...JSON.parse(await refused.text()) };
  };
  const at = 'The model "prices" (/body/1/model): ';
  expect(await refusal('select * from customers')).toMatchObject({
    status: 422,
    type: '/problems/query-failed',
    detail: expect.stringContaining(at),
  });
  expect(await refusal(`${QUERY} where size < 0`)).toMatchObject({
    status: 422,
    type: '/problems/unusable-table',
    detail: expect.stringContaining(at),
  });
  const begun = await checkedFetch(
    new Request(`${files.server.url}${files.model('?target=price')}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${files.key}`, 'Content-Type': 'text/csv' },
      body: slowTable(),
    }),
  );
  expect(begun.status).toBe(202);
  expect(await refusal(QUERY)).toMatchObject({ status: 409, type: '/problems/training-in-progress' });
  expect((await files.send('DELETE', files.model())).status).toBe(204);
});

test('a dry run and an export do not wait for writes', async () => {
  await files.apply([{ skill: { name: 'care', type: 'note' } }]);
  const other = await connect();
  try {
    await other.run(ON_POSTGRES ? 'begin; lock table projects in exclusive mode' : 'begin immediate');
    const shown = await files.apply(MANY, '?dry_run=true&prune=true');
    expect(shown.changes).toHaveLength(MANY.length + 1);
    expect(await files.read()).toHaveLength(1);
    // This lock blocks other writes.
    expect((await files.put(MANY)).status).toBe(503);
  } finally {
    await other.run('rollback');
    await other.close();
  }
  expect((await files.apply(MANY)).changes).toHaveLength(MANY.length);
});

test('the answer to an apply has the tag of the project that it made', async () => {
  for (const [manifest, query] of [
    [SHOP, ''],
    [MANY, ''],
    [SHOP, '?prune=true'],
  ] as const) {
    const applied = await files.put(manifest, query);
    const exported = await files.send('GET', `/projects/${files.project}/manifest`);
    expect(applied.headers.get('ETag')).toBe(exported.headers.get('ETag'));
    await files.untilTrained();
  }
});

test('of two manifests at once, the project is as one of them says', async () => {
  const [one, other] = ['x', 'y'].map(
    (text): Manifest =>
      MANY.map((entry) => (entry.skill ? { skill: { ...entry.skill, params: { source: text } } } : entry)),
  );
  const answers = await Promise.all([files.put(one, '?prune=true'), files.put(other, '?prune=true')]);
  // The texts of the second are those of skills that the first has made.
  expect([200, 503]).toContain(answers[1]?.status);
  const sources = new Set((await files.read()).flatMap(({ skill }) => skill?.params?.['source'] ?? []));
  expect(sources.size).toBe(1);
});

test('a project that holds more than a manifest may is reported', async () => {
  await files.apply([{ skill: { name: 'care', type: 'retrieval', params: { source: 'x' } } }]);
  const text = '\n'.repeat(490_000);
  const putDocument = (name: string) =>
    checkedFetch(
      new Request(`${files.server.url}/projects/${files.project}/skills/care/documents/${name}`, {
        method: 'PUT',
        headers: { Authorization: `Bearer ${files.key}`, 'Content-Type': 'text/plain' },
        body: text,
      }),
    );
  for (let at = 0; at < 17; at += 1) await putDocument(`d${at}`);
  const refusal = { type: '/problems/limit-reached', detail: expect.stringContaining('16 MiB') };
  const document = { skill: 'care', name: 'last', media_type: 'text/plain' as const, text };
  // A change that would make it so is refused, and so is the same as a dry run.
  for (const query of ['?dry_run=true', '']) {
    const refused = await files.put([{ document }], query);
    const detail = expect.stringContaining('would hold more than 16 MiB');
    expect(await refused.json()).toMatchObject({ status: 409, ...refusal, detail });
  }
  expect(await files.read()).toHaveLength(18);
  await putDocument('last');
  const refused = await files.send('GET', `/projects/${files.project}/manifest`);
  expect(await refused.json()).toMatchObject({ status: 409, ...refusal });
});

test('an apply of a thousand resources that is killed is done as a whole, or not at all', async () => {
  await files.apply([{ skill: { name: 'before', type: 'note' } }]);
  const begin = performance.now();
  await files.apply(MANY, '', await files.newProject());
  const time = performance.now() - begin;
  for (const share of [0.5, 0.8, 0.95]) {
    const target = await files.newProject();
    await files.apply([{ skill: { name: 'before', type: 'note' } }], '', target);
    const applied = files.put(MANY, '?prune=true', target).then(
      ({ status }) => status,
      () => 'broken',
    );
    await pause(time * share);
    const status = await files.restart(applied);
    const names = (await files.read(target)).map(({ skill }) => skill?.name);
    if (names.length === 1) expect(names).toEqual(['before']);
    else expect(names).toHaveLength(MANY.length);
    if (status === 200) expect(names).toHaveLength(MANY.length);
    // It can be done again.
    if (share === 0.95) expect((await files.apply(MANY, '?prune=true', target)).unchanged).toBeDefined();
  }
  expect(await files.read()).toHaveLength(1);
});
