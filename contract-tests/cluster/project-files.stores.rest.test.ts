/** Tests projects as files that are applied again, at once, or killed, on both kinds of stores. */
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readProjectFile, writeProjectFile } from '../../server/commands/project-file.js';
import { anyText } from '../../testkit/any-text.js';
import { listed, MANY, type Manifest, ProjectFiles, QUERY, SHOP } from './project-files.js';

const files = new ProjectFiles();

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
