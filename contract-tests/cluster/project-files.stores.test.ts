/** Tests projects as files: `roster export` and `roster apply`, on both kinds of stores. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import type { components } from 'roster-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readProjectFile, writeProjectFile } from '../../server/commands/project-file.js';
import { DatabaseSync } from '../../server/store/database/sqlite-connection.js';
import { anyText } from '../../testkit/any-text.js';
import { slowTable } from '../../testkit/data/diamonds.js';
import type { Shop } from '../../testkit/databases/shop.js';
import { runRoster } from '../../testkit/service/roster-command.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import { makeKey } from '../../testkit/store/keys.js';
import { type Connection, connectTo } from '../../testkit/store/own-store.js';
import { checkedFetch } from '../checked-fetch.js';
import { ON_POSTGRES, testedShop } from '../tested-store.js';

type Manifest = components['schemas']['Manifest'];
type Changes = components['schemas']['ManifestChanges'];

const QUERY = 'select size, colour, price from sales';

const SHOP: Manifest = [
  { skill: { name: 'care', type: 'knowledge_base', params: { source: 'care of jewels' } } },
  { skill: { name: 'orders', type: 'sql', params: { database: 'sales', tables: ['orders'] } } },
  { skill: { name: 'prices', type: 'model', params: { model: 'prices' } } },
  { document: { skill: 'care', name: 'care.md', media_type: 'text/markdown', text: '# Cleaning\n\nWarm water.\n' } },
  {
    agent: {
      name: 'analyst',
      model_name: 'llama-3',
      prompt_template: 'Be brief.\n{{question}}',
      skills: ['prices', 'orders', 'care'],
      settings: { temperature: 0.2, top: [1, null] },
    },
  },
  { chatbot: { name: 'desk', agent_name: 'analyst', settings: { greeting: 'Hello!' } } },
  {
    model: {
      name: 'prices',
      target: 'price',
      source: { database: 'sales', query: QUERY },
      as_category: ['size'],
      group: ' ',
      date_order: 'day-first',
      decimal_point: ['colour'],
      validate: 'group',
      validate_by: 'size',
      effort: 'fast',
      missing: ['TBD'],
      missing_in: ['colour=none'],
      promotion: 'manual',
    },
  },
];

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

describe('projects as files', () => {
  let folder: string;
  let shop: Shop;
  let env: Record<string, string>;
  let server: ServerProcess;
  let key: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'roster-project-'));
    shop = await testedShop();
    await shop.execute('create table sales (size integer, colour text, price integer)');
    const rows = Array.from({ length: 80 }, (_, at) => `(${at % 13}, 'c${at % 3}', ${at % 13})`);
    await shop.execute(`insert into sales values ${rows.join()}`);
    const store = ON_POSTGRES ? shop.url : `file:${join(folder, 'roster.db')}`;
    const databases = {
      sales: { url: shop.url, training: ['sales'] },
      calendar: { url: shop.url, training: ['days'] },
    };
    env = { DATABASE_URL: store, DATABASES: JSON.stringify(databases) };
    key = await makeKey(store, { name: 'own' });
    server = await startServer({ env });
  });
  afterAll(async () => {
    await server?.kill();
    await shop.remove();
    await rm(folder, { recursive: true });
  });

  /** Connects to the store, beside the service. */
  async function connect(): Promise<Connection> {
    const { DATABASE_URL: url = '' } = env;
    if (ON_POSTGRES) return connectTo(url);
    const database = new DatabaseSync(url.replace('file:', ''));
    return { run: async (sql) => database.exec(sql), close: async () => database.close() };
  }

  let project: string;
  let projects = 0;
  beforeEach(async () => {
    project = await newProject();
  });

  async function newProject(): Promise<string> {
    projects += 1;
    const name = `p${projects}`;
    expect((await send('POST', '/projects', { project: { name } })).status).toBe(201);
    return name;
  }

  function send(method: string, path: string, body?: unknown, headers: object = {}) {
    return checkedFetch(
      new Request(server.url + path, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
  }

  const put = (manifest: unknown, query = '', name = project, headers = {}) =>
    send('PUT', `/projects/${name}/manifest${query}`, manifest, headers);

  async function apply(manifest: Manifest, query = '', name = project): Promise<Changes> {
    const answer = await put(manifest, query, name);
    expect(answer.status, await answer.clone().text()).toBe(200);
    return JSON.parse(await answer.text());
  }

  async function read(name = project): Promise<Manifest> {
    return JSON.parse(await (await send('GET', `/projects/${name}/manifest`)).text());
  }

  const listed = ({ changes }: Changes) => changes.map(({ action, name }) => `${action} ${name}`);

  const model = (more = '', name = project) => `/api/projects/${name}/models/prices${more}`;

  const untilTrained = (name = project) =>
    untilReadyAt(server.url + model('', name), { Authorization: `Bearer ${key}` });

  const roster = (...args: string[]) => runRoster([...args, '--url', server.url], { ROSTER_KEY: key });

  test('an export that is applied elsewhere is exported the same, to the byte', async () => {
    await apply(SHOP);
    await untilTrained();
    const file = join(folder, 'shop.yaml');
    const exported = await roster('export', '--project', project, '--output', file);
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    const copy = await newProject();
    const applied = await roster('apply', file, '--project', copy, '--yes');
    expect(applied).toMatchObject({ code: 0, stderr: '' });
    expect(applied.stdout).toContain('+ model prices: a version is trained\n');
    expect(applied.stdout).toContain('Done. 7 created, 0 changed, 0 deleted; 0 stay as they are.');
    const text = await readFile(file, 'utf8');
    expect(text).toMatch(
      /group: " "\n.*date_order: day-first\n.*validate: group\n.*validate_by: size\n.*effort: fast\n/,
    );
    expect(text).toMatch(/\n.*decimal_point:\s+(?:- )?colour\n/);
    expect(text).toMatch(/\n.*missing:\s+(?:- )?TBD\n.*missing_in:\s+(?:- )?colour=none\n/);
    expect((await roster('export', '--project', copy)).stdout).toBe(text);
    const again = await roster('apply', file, '--project', copy, '--prune');
    expect(again.stdout).toBe('0 to create, 0 to change, 0 to delete; 7 stay as they are.\n');
    await untilTrained(copy);
    expect((await roster('export', '--project', copy)).stdout).toBe(text);
  });

  test('a model that forecasts may adapt, as any other', async () => {
    const query = 'select size, price from sales';
    const forecast = { order_by: 'size', horizon: 2, adapt: true };
    const source = { database: 'sales', query };
    const planned = await apply([{ model: { name: 'next', target: 'price', source, ...forecast } }], '?dry_run=true');
    expect(listed(planned)).toEqual(['create next']);
  });

  test('a forecast of sums is exported with them, and its training depends on them', async () => {
    await shop.execute('create table days (day integer, price integer)');
    await shop.execute(
      `insert into days values ${Array.from({ length: 80 }, (_, at) => `(${at}, 2), (${at}, ${at % 7})`)}`,
    );
    const source = { database: 'calendar', query: 'select day, price from days' };
    const prices = { name: 'prices', target: 'price', source, order_by: 'day', horizon: 2, aggregate: 'sum' } as const;
    await apply([{ model: prices }]);
    await untilTrained();
    expect(await read()).toEqual([{ model: prices }]);
    expect(await apply([{ model: prices }])).toMatchObject({ changes: [], unchanged: 1 });
    expect(listed(await apply([{ model: { ...prices, aggregate: 'mean' } }], '?dry_run=true'))).toEqual([
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
        await apply(manifest, '?prune=true');
        const stored = await read();
        const written = writeProjectFile(stored);
        const { value } = readProjectFile(Buffer.from(written).toString(), 'any.yaml');
        expect(value).toEqual(stored);
        expect(stored).toHaveLength(manifest.length);
        expect((await apply(stored, '?prune=true')).changes).toEqual([]);
        const copy = await newProject();
        await apply(stored, '', copy);
        expect(writeProjectFile(await read(copy))).toBe(written);
      }),
      { numRuns: 8 },
    );
  });

  test('what is as the manifest says keeps its entity tag and its version', async () => {
    await apply(SHOP);
    await untilTrained();
    const tags = async () => {
      const of = ['skills/care', 'skills/orders', 'agents/analyst', 'chatbots/desk'];
      const answers = of.map((path) => send('GET', `/projects/${project}/${path}`));
      return (await Promise.all(answers)).map(({ headers }) => headers.get('ETag'));
    };
    const before = await tags();
    const changed = SHOP.map((entry): Manifest[number] =>
      entry.chatbot ? { chatbot: { name: 'desk', agent_name: 'analyst', settings: { x: 1 } } } : entry,
    );
    const { changes, unchanged } = await apply(changed);
    expect([changes, unchanged]).toEqual([
      [{ action: 'update', kind: 'chatbot', name: 'desk', skill: null, fields: ['/settings/greeting', '/settings/x'] }],
      6,
    ]);
    const after = await tags();
    expect(after.slice(0, 3)).toEqual(before.slice(0, 3));
    expect(after[3]).not.toBe(before[3]);
    expect(await (await send('GET', model())).json()).toMatchObject({ version: 1, promotion: 'manual' });
  });

  test('a model is trained again if its query or a choice differs, and only then', async () => {
    await apply(SHOP);
    await untilTrained();
    const change = (fields: object, query = '') => {
      const changed = SHOP.map((entry): Manifest[number] => {
        return entry.model ? { model: { ...entry.model, ...fields } } : entry;
      });
      return apply(changed, query);
    };
    expect(listed(await change({ promotion: 'always', task: 'regression' }))).toEqual(['update prices']);
    expect(listed(await change({ source: { database: 'sales', query: `${QUERY} ` } }))).toEqual(['train prices']);
    const training = await put(SHOP);
    // Either it still trains, or it is done and is trained a third time.
    expect([200, 409]).toContain(training.status);
    await untilTrained();
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
    await untilTrained();
    expect(listed(await change({ ...words, missing: ['k.A. ', 'TBD'], as_category: [] }))).toEqual([]);
  });

  test('a model that cannot be trained leaves all as it was', async () => {
    const source = (query: string) => ({ database: 'sales', query });
    const refusal = async (query: string) => {
      const fields = { name: 'prices', target: 'price', source: source(query) };
      const refused = await put([{ skill: { name: 'new', type: 'note' } }, { model: fields }]);
      expect((await send('GET', `/projects/${project}/skills/new`)).status).toBe(404);
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
      new Request(`${server.url}${model('?target=price')}`, {
        method: 'PUT',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv' },
        body: slowTable(),
      }),
    );
    expect(begun.status).toBe(202);
    expect(await refusal(QUERY)).toMatchObject({ status: 409, type: '/problems/training-in-progress' });
    expect((await send('DELETE', model())).status).toBe(204);
  });

  test('only prune deletes, and neither models from tables nor large documents', async () => {
    await apply(SHOP);
    const rows = Array.from({ length: 60 }, (_, at) => ({ size: at, price: at % 7 }));
    const sent = await send('PUT', `/api/projects/${project}/models/sent?target=price`, rows);
    expect(sent.status).toBe(202);
    const large = await checkedFetch(
      new Request(`${server.url}/projects/${project}/skills/care/documents/large`, {
        method: 'PUT',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/plain' },
        body: '\n'.repeat(500_001),
      }),
    );
    expect(large.status).toBe(201);
    const kept = SHOP.filter(({ skill }) => skill?.name === 'care');
    expect(listed(await apply(kept))).toEqual([]);
    expect(listed(await apply(kept, '?prune=true&dry_run=true'))).toHaveLength(6);
    expect(await read()).toHaveLength(7);
    const pruned = ['orders', 'prices', 'care.md', 'analyst', 'desk', 'prices'];
    expect(listed(await apply(kept, '?prune=true'))).toEqual(pruned.map((name) => `delete ${name}`));
    expect(await read()).toEqual(kept);
    expect((await send('GET', `/api/projects/${project}/models/sent`)).status).toBe(200);
    expect((await send('GET', `/projects/${project}/skills/care/documents/large`)).status).toBe(200);
    expect((await send('GET', model())).status).toBe(404);
  });

  test('what was shown is what is done', async () => {
    const shown = await put(SHOP, '?dry_run=true');
    const tag = { 'If-Match': `${shown.headers.get('ETag')}` };
    await apply([{ skill: { name: 'other', type: 'note' } }]);
    const refused = await put(SHOP, '', project, tag);
    expect(refused.status).toBe(412);
    expect(await read()).toHaveLength(1);
  });

  test('a dry run and an export do not wait for writes', async () => {
    await apply([{ skill: { name: 'care', type: 'note' } }]);
    const other = await connect();
    try {
      await other.run(ON_POSTGRES ? 'begin; lock table projects in exclusive mode' : 'begin immediate');
      const shown = await apply(MANY, '?dry_run=true&prune=true');
      expect(shown.changes).toHaveLength(MANY.length + 1);
      expect(await read()).toHaveLength(1);
      // This lock blocks other writes.
      expect((await put(MANY)).status).toBe(503);
    } finally {
      await other.run('rollback');
      await other.close();
    }
    expect((await apply(MANY)).changes).toHaveLength(MANY.length);
  });

  test('the answer to an apply has the tag of the project that it made', async () => {
    for (const [manifest, query] of [
      [SHOP, ''],
      [MANY, ''],
      [SHOP, '?prune=true'],
    ] as const) {
      const applied = await put(manifest, query);
      const exported = await send('GET', `/projects/${project}/manifest`);
      expect(applied.headers.get('ETag')).toBe(exported.headers.get('ETag'));
      await untilTrained();
    }
  });

  test('of two manifests at once, the project is as one of them says', async () => {
    const [one, other] = ['x', 'y'].map(
      (text): Manifest =>
        MANY.map((entry) => (entry.skill ? { skill: { ...entry.skill, params: { source: text } } } : entry)),
    );
    const answers = await Promise.all([put(one, '?prune=true'), put(other, '?prune=true')]);
    // The texts of the second are those of skills that the first has made.
    expect([200, 503]).toContain(answers[1]?.status);
    const sources = new Set((await read()).flatMap(({ skill }) => skill?.params?.['source'] ?? []));
    expect(sources.size).toBe(1);
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
    const file = join(folder, 'faulty.yaml');
    await writeFile(file, text);
    const options = more.flatMap((option) => option ?? []);
    const { code, stderr } = await roster('apply', file, '--project', project, ...options);
    expect(code).toBe(1);
    for (const line of stderr.trimEnd().split('\n')) expect(line).toMatch(/^error: /);
    for (const fault of faults) expect(stderr).toContain(fault.replaceAll('FILE', file).replace(/^(\d)/, `${file}:$1`));
    expect(await read()).toEqual([]);
  });

  once('a file that cannot be read is named, and why', async () => {
    const latin = join(folder, 'latin.yaml');
    await writeFile(latin, Buffer.from([0x2d, 0x20, 0xe9]));
    for (const [file, why] of [
      [join(folder, 'missing.yaml'), 'cannot be read: there is no such file or folder'],
      [folder, 'cannot be read: it is a folder'],
      [latin, 'is not UTF-8 text; save it in UTF-8'],
    ] as const) {
      const applied = await roster('apply', file, '--project', project);
      expect(applied).toMatchObject({ code: 1, stderr: `error: ${file} ${why}\n` });
    }
    const exported = await roster('export', '--project', project, '--output', folder);
    expect(exported.stderr).toBe(`error: ${folder} cannot be written: it is a folder\n`);
  });

  test('nobody who was not asked changes anything, and a key is not sent along', async () => {
    const file = join(folder, 'asked.yaml');
    await writeFile(file, writeProjectFile(SHOP));
    const { code, stdout, stderr } = await roster('apply', file, '--project', project);
    expect([code, stderr]).toEqual([1, 'error: nothing was changed; say yes, or send --yes\n']);
    expect(stdout).toContain('+ document care.md of the skill care\n');
    expect(await read()).toEqual([]);
    const without = await runRoster(['export', '--url', server.url], { ROSTER_KEY: '' });
    expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('has no key') });
  });

  test('a project that holds more than a manifest may is reported', async () => {
    await apply([{ skill: { name: 'care', type: 'retrieval', params: { source: 'x' } } }]);
    const text = '\n'.repeat(490_000);
    const putDocument = (name: string) =>
      checkedFetch(
        new Request(`${server.url}/projects/${project}/skills/care/documents/${name}`, {
          method: 'PUT',
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/plain' },
          body: text,
        }),
      );
    for (let at = 0; at < 17; at += 1) await putDocument(`d${at}`);
    const refusal = { type: '/problems/limit-reached', detail: expect.stringContaining('16 MiB') };
    const document = { skill: 'care', name: 'last', media_type: 'text/plain' as const, text };
    // A change that would make it so is refused, and so is the same as a dry run.
    for (const query of ['?dry_run=true', '']) {
      const refused = await put([{ document }], query);
      const detail = expect.stringContaining('would hold more than 16 MiB');
      expect(await refused.json()).toMatchObject({ status: 409, ...refusal, detail });
    }
    expect(await read()).toHaveLength(18);
    await putDocument('last');
    const refused = await send('GET', `/projects/${project}/manifest`);
    expect(await refused.json()).toMatchObject({ status: 409, ...refusal });
  });

  test('an apply of a thousand resources that is killed is done as a whole, or not at all', async () => {
    await apply([{ skill: { name: 'before', type: 'note' } }]);
    const begin = performance.now();
    await apply(MANY, '', await newProject());
    const time = performance.now() - begin;
    for (const share of [0.5, 0.8, 0.95]) {
      const target = await newProject();
      await apply([{ skill: { name: 'before', type: 'note' } }], '', target);
      const applied = put(MANY, '?prune=true', target).then(
        ({ status }) => status,
        () => 'broken',
      );
      await pause(time * share);
      await server.kill();
      const status = await applied;
      server = await startServer({ env });
      const names = (await read(target)).map(({ skill }) => skill?.name);
      if (names.length === 1) expect(names).toEqual(['before']);
      else expect(names).toHaveLength(MANY.length);
      if (status === 200) expect(names).toHaveLength(MANY.length);
      // It can be done again.
      if (share === 0.95) expect((await apply(MANY, '?prune=true', target)).unchanged).toBeDefined();
    }
    expect(await read()).toHaveLength(1);
  });
});
