/** Tests projects as files: `roster export` and `roster apply`, on both kinds of stores. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeProjectFile } from '../../server/commands/project-file.js';
import { DatabaseSync } from '../../server/store/database/sqlite-connection.js';
import { slowTable } from '../../testkit/data/diamonds.js';
import { WAIT_MS } from '../../testkit/patience.js';
import { runRoster } from '../../testkit/service/roster-command.js';
import { type Connection, connectTo } from '../../testkit/store/own-store.js';
import { checkedFetch } from '../checked-fetch.js';
import { ON_POSTGRES } from '../tested-store.js';
import { listed, MANY, type Manifest, ProjectFiles, QUERY, SHOP } from './project-files.js';

const files = new ProjectFiles();

/** Connects to the store, beside the service. */
async function connect(): Promise<Connection> {
  const { DATABASE_URL: url = '' } = files.env;
  if (ON_POSTGRES) return connectTo(url);
  // The service may be writing.
  const database = new DatabaseSync(url.replace('file:', ''), { timeout: WAIT_MS });
  return { run: async (sql) => database.exec(sql), close: async () => database.close() };
}

test('an export that is applied elsewhere is exported the same, to the byte', async () => {
  await files.apply(SHOP);
  await files.untilTrained();
  const file = join(files.folder, 'shop.yaml');
  const exported = await files.roster('export', '--project', files.project, '--output', file);
  expect(exported).toMatchObject({ code: 0, stderr: '' });
  const copy = await files.newProject();
  const applied = await files.roster('apply', file, '--project', copy, '--yes');
  expect(applied).toMatchObject({ code: 0, stderr: '' });
  expect(applied.stdout).toContain('+ model prices: a version is trained\n');
  expect(applied.stdout).toContain('Done. 7 created, 0 changed, 0 deleted; 0 stay as they are.');
  const text = await readFile(file, 'utf8');
  expect(text).toMatch(/group: " "\n.*date_order: day-first\n.*validate: group\n.*validate_by: size\n.*effort: fast\n/);
  expect(text).toMatch(/\n.*decimal_point:\s+(?:- )?colour\n/);
  expect(text).toMatch(/\n.*missing:\s+(?:- )?TBD\n.*missing_in:\s+(?:- )?colour=none\n/);
  expect((await files.roster('export', '--project', copy)).stdout).toBe(text);
  const again = await files.roster('apply', file, '--project', copy, '--prune');
  expect(again.stdout).toBe('0 to create, 0 to change, 0 to delete; 7 stay as they are.\n');
  await files.untilTrained(copy);
  expect((await files.roster('export', '--project', copy)).stdout).toBe(text);
});

test('a model that forecasts may adapt, as any other', async () => {
  const query = 'select size, price from sales';
  const forecast = { order_by: 'size', horizon: 2, adapt: true };
  const source = { database: 'sales', query };
  const planned = await files.apply(
    [{ model: { name: 'next', target: 'price', source, ...forecast } }],
    '?dry_run=true',
  );
  expect(listed(planned)).toEqual(['create next']);
});

test('only prune deletes, and neither models from tables nor large documents', async () => {
  await files.apply(SHOP);
  const rows = Array.from({ length: 60 }, (_, at) => ({ size: at, price: at % 7 }));
  const sent = await files.send('PUT', `/api/projects/${files.project}/models/sent?target=price`, rows);
  expect(sent.status).toBe(202);
  const large = await checkedFetch(
    new Request(`${files.server.url}/projects/${files.project}/skills/care/documents/large`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${files.key}`, 'Content-Type': 'text/plain' },
      body: '\n'.repeat(500_001),
    }),
  );
  expect(large.status).toBe(201);
  const kept = SHOP.filter(({ skill }) => skill?.name === 'care');
  expect(listed(await files.apply(kept))).toEqual([]);
  expect(listed(await files.apply(kept, '?prune=true&dry_run=true'))).toHaveLength(6);
  expect(await files.read()).toHaveLength(7);
  const pruned = ['orders', 'prices', 'care.md', 'analyst', 'desk', 'prices'];
  expect(listed(await files.apply(kept, '?prune=true'))).toEqual(pruned.map((name) => `delete ${name}`));
  expect(await files.read()).toEqual(kept);
  expect((await files.send('GET', `/api/projects/${files.project}/models/sent`)).status).toBe(200);
  expect((await files.send('GET', `/projects/${files.project}/skills/care/documents/large`)).status).toBe(200);
  expect((await files.send('GET', files.model())).status).toBe(404);
});

test('a model that a skill of the file uses is not pruned, whether the skill changes or not', async () => {
  const used = SHOP.filter(({ skill, model }) => (skill ?? model)?.name === 'prices');
  await files.apply(used);
  for (const description of [undefined, 'of diamonds']) {
    const skill = { name: 'prices', type: 'model', params: { model: 'prices', ...(description && { description }) } };
    const refused = await files.put([{ skill }], '?prune=true');
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({
      type: '/problems/unusable-skill',
      errors: [{ pointer: '/body/0/skill/params/model' }],
    });
  }
  // A skill whose model has gone before stays as it is.
  const deleted = await files.send('DELETE', files.model());
  expect(deleted.status).toBe(204);
  await files.apply([...used.filter(({ skill }) => skill), { skill: { name: 'other', type: 'note' } }]);
  expect(
    listed(
      await files.apply(
        used.filter(({ skill }) => skill),
        '?prune=true',
      ),
    ),
  ).toEqual(['delete other']);
});

test('documents of a skill whose type keeps none are not exported, and stay until it changes back', async () => {
  const care = SHOP.filter(({ skill, document }) => skill?.name === 'care' || document);
  const note: Manifest = [{ skill: { name: 'care', type: 'note', params: { source: 'care of jewels' } } }];
  await files.apply(care);
  const changed = await files.send('PUT', `/projects/${files.project}/skills/care`, { skill: { type: 'note' } });
  expect(changed.status).toBe(200);
  expect(await files.read()).toEqual(note);
  await files.apply(note, '', await files.newProject());
  expect(listed(await files.apply(note, '?prune=true'))).toEqual([]);
  expect(listed(await files.apply(care.filter(({ skill }) => skill)))).toEqual(['update care']);
  expect(await files.read()).toEqual(care);
  // The answer to a manifest that changes the type has the tag of the next export.
  const applied = await files.put(note);
  const exported = await files.send('GET', `/projects/${files.project}/manifest`);
  expect(await exported.json()).toEqual(note);
  expect(applied.headers.get('ETag')).toBe(exported.headers.get('ETag'));
});

test('what was shown is what is done', async () => {
  const shown = await files.put(SHOP, '?dry_run=true');
  const tag = { 'If-Match': `${shown.headers.get('ETag')}` };
  await files.apply([{ skill: { name: 'other', type: 'note' } }]);
  const refused = await files.put(SHOP, '', files.project, tag);
  expect(refused.status).toBe(412);
  expect(await files.read()).toHaveLength(1);
});

// Files are read the same for every store.
const once = ON_POSTGRES ? test.skip : test;

once.each<[string, string[], string?]>([
  ['- skill:\n    name: a\n    type: note\n    colour: red\n', ['4:5: skill/colour is not a known field']],
  [
    '- skill: {name: a, type: x}\n- skill:\n    type: y\n    name: a\n',
    [
      '4:5: skill/name is the name of an earlier skill, FILE:1:3',
      '1:11: skill/name is the name of a later skill, FILE:2:3',
    ],
  ],
  ['- skill:\n    name: a\n    type: sql\n    params: {tables: [t]}\n', ['4:5: skill/params/database is missing']],
  [
    '- skill:\n    name: a\n    type: sql\n    params:\n      tables: [t]\n      database: shop\n',
    ['6:7: skill/params/database must be one of sales'],
  ],
  ['- agent: {name: a, skills: [b,\n    c]}\n', ['1:29: agent/skills/0 there is no skill', '2:5: agent/skills/1']],
  ['- chatbot:\n    name: a\n    agent_name: b\n', ['3:5: chatbot/agent_name there is no agent']],
  ['- document: {skill: s, name: d, media_type: text/plain, text: x}\n', ['1:14: document/skill there is no skill']],
  ['- skill: &s\n    name: a\n    type: x\n    params: {deep: [*s]}\n', ['4:21: *s stands within &s, a cycle']],
  ['- skill: {name: a\n  type: x}\n', ['2:3: ']],
  ['- skill:\n    name: a\n    name: b\n', ['3:5: duplicated mapping key']],
  [
    '- model: {name: m, target: price, horizon: 3, source: {database: sales, query: select 1}}\n',
    ['1:35: model/horizon is for forecasts'],
  ],
  [
    '- model:\n    name: m\n    target: price\n    source: {database: sales, query: select * from gone}\n',
    ['The model "m" (FILE:1:3): '],
    '--yes',
  ],
  [
    '- model:\n    name: m\n    target: price\n    source: {database: sales, query: select * from sales where size < 0}\n',
    ['(FILE:1:3)', 'The table has no rows.'],
    '--yes',
  ],
  ['skills: []\n', ['1:1: must be an array']],
  ['', ['1:1: the file is empty']],
])('the file %j is refused at its lines', async (text, faults, ...more) => {
  const file = join(files.folder, 'faulty.yaml');
  await writeFile(file, text);
  const options = more.flatMap((option) => option ?? []);
  const { code, stderr } = await files.roster('apply', file, '--project', files.project, ...options);
  expect(code).toBe(1);
  for (const line of stderr.trimEnd().split('\n')) expect(line).toMatch(/^error: /);
  for (const fault of faults) expect(stderr).toContain(fault.replaceAll('FILE', file).replace(/^(\d)/, `${file}:$1`));
  expect(await files.read()).toEqual([]);
});

once('a file that cannot be read is named, and why', async () => {
  const latin = join(files.folder, 'latin.yaml');
  await writeFile(latin, Buffer.from([0x2d, 0x20, 0xe9]));
  for (const [file, why] of [
    [join(files.folder, 'missing.yaml'), 'cannot be read: there is no such file or folder'],
    [files.folder, 'cannot be read: it is a folder'],
    [latin, 'is not UTF-8 text; save it in UTF-8'],
  ] as const) {
    const applied = await files.roster('apply', file, '--project', files.project);
    expect(applied).toMatchObject({ code: 1, stderr: `error: ${file} ${why}\n` });
  }
  const exported = await files.roster('export', '--project', files.project, '--output', files.folder);
  expect(exported.stderr).toBe(`error: ${files.folder} cannot be written: it is a folder\n`);
});

test('nobody who was not asked changes anything, and a key is not sent along', async () => {
  const file = join(files.folder, 'asked.yaml');
  await writeFile(file, writeProjectFile(SHOP));
  const { code, stdout, stderr } = await files.roster('apply', file, '--project', files.project);
  expect([code, stderr]).toEqual([1, 'error: nothing was changed; say yes, or send --yes\n']);
  expect(stdout).toContain('+ document care.md of the skill care\n');
  expect(await files.read()).toEqual([]);
  const without = await runRoster(['export', '--url', files.server.url], { ROSTER_KEY: '' });
  expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('has no key') });
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
