import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServer } from '../../contract-tests/targets/server-process.js';
import { LimitReachedError, type Project, Store } from './index.js';
import { migrations } from './migrations/index.js';

const FIXTURES = new URL('./fixtures/', import.meta.url);

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-store-'));
  file = join(folder, 'roster.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

const releases = readdirSync(FIXTURES)
  .filter((name) => name.endsWith('.sql'))
  .map((name) => name.replace('.sql', ''));

test.each(releases)('a store of release %s answers as it did then', async (release) => {
  execute(readFileSync(new URL(`${release}.sql`, FIXTURES), 'utf8'));
  const then: Record<string, unknown> = JSON.parse(
    readFileSync(new URL(`${release}.json`, FIXTURES), 'utf8'),
  );
  const server = await startServer({ databaseFile: file });
  try {
    for (const [address, answer] of Object.entries(then)) {
      const now = await fetch(server.url + address, predicts(address));
      const expected = Array.isArray(answer) ? answer.map(roundedSince) : answer;
      expect(await now.json(), address).toEqual(expected);
    }
  } finally {
    await server.stop();
  }
});

/** Releases up to 0.1.0 told predictions with all the digits of a double. */
function roundedSince(resource: Record<string, unknown>) {
  if (typeof resource['price'] !== 'number') return resource;
  const { price, price_min, price_max } = resource;
  const near = (number: unknown) => expect.closeTo(Number(number), 1);
  return {
    ...resource,
    price: near(price),
    price_min: near(price_min),
    price_max: near(price_max),
    price_explain: expect.any(String),
  };
}

test('migrations are listed in the order in which they run', () => {
  expect(Object.keys(migrations)).toEqual(Object.keys(migrations).toSorted());
});

test('an empty file becomes a store with one project', async () => {
  execute('pragma user_version = 0');
  const store = await Store.open(`file:${file}`);
  expect(await store.projects.list('local', {})).toMatchObject([{ name: 'default' }]);
  await store.close();
});

test('a store of a later release is refused, and left as it is', async () => {
  await (await Store.open(`file:${file}`)).close();
  execute("insert into kysely_migration values ('9999-later', '2999-01-01')");
  const before = readFileSync(file);
  await expect(Store.open(`file:${file}`)).rejects.toThrow('written by a later release');
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('a migration that is broken off leaves the older store whole', async () => {
  execute(readFileSync(new URL('0.1.0.sql', FIXTURES), 'utf8'));
  // What no store has, so that the migration breaks off at its very end.
  execute(`pragma foreign_keys = OFF;
    insert into chatbots (id, project_id, name, settings, created_at, updated_at)
    values ('stray', 'nowhere', 'stray', '{}', '', '')`);
  const before = everything();
  const opening = Store.open(`file:${file}`);
  await expect(opening).rejects.toThrow('a row of chatbots refers to one of projects');
  expect(everything()).toEqual(before);

  execute("delete from chatbots where id = 'stray'");
  const store = await Store.open(`file:${file}`);
  expect(await store.projects.list('local', {})).toHaveLength(2);
  await store.close();
});

test('a project of an older store knows what it holds', async () => {
  execute(readFileSync(new URL('0.1.0.sql', FIXTURES), 'utf8'));
  const store = await Store.open(`file:${file}`);
  const contents = await store.transaction(async ({ projects }) => {
    const project = await projects.hold('local', 'jewellery');
    return project && projects.remove(project);
  });
  expect(contents).toEqual(counted('jewellery'));
  await store.close();
});

test('an owner of an older store knows how much is stored', async () => {
  execute(readFileSync(new URL('0.1.0.sql', FIXTURES), 'utf8'));
  const database = new SqliteDatabase(file, { readonly: true });
  const count = (table: string, columns: string) =>
    Number(
      database
        .prepare(`select coalesce(sum(octet_length(${columns})), 0) from ${table}`)
        .pluck()
        .get(),
    );
  const stored =
    count('skills', 'params') +
    count('agents', 'concat(prompt_template, model, data, settings)') +
    count('chatbots', 'settings') +
    count('model_artifacts', 'bytes');
  database.close();
  const most = { stored };
  const store = await Store.open(`file:${file}`, { most });
  await expect(store.tables.refuseFullOwner('local')).rejects.toMatchObject({ held: stored });
  await store.close();
});

test('a project of an older store knows how much it keeps, and how often its agents use skills', async () => {
  execute(readFileSync(new URL('0.1.0.sql', FIXTURES), 'utf8'));
  const { bytes, uses } = keptBy('jewellery');
  const store = await Store.open(`file:${file}`, { most: { bytes: bytes + 100, uses: uses + 1 } });
  const create = (bytes: number) =>
    inJewellery(store, ({ skills }, { id }) =>
      skills.create(id, { name: 'more', type: 'sql', params: objectOf(bytes) }),
    );
  await expect(create(101)).rejects.toThrow(LimitReachedError);
  await create(100);
  const use = (skill: string) =>
    inJewellery(store, ({ agents }, { id }) =>
      agents.update(id, 'analyst', {}, { add: [skill], remove: [] }),
    );
  await use('more');
  await inJewellery(store, ({ skills }, { id }) =>
    skills.update(id, 'more', { params: objectOf(20) }),
  );
  await inJewellery(store, ({ skills }, { id }) =>
    skills.create(id, { name: 'other', type: 'sql', params: {} }),
  );
  await expect(use('other')).rejects.toThrow(LimitReachedError);
  await store.close();
});

test('a training that an older release began goes on', async () => {
  execute(readFileSync(new URL('0.1.0.sql', FIXTURES), 'utf8'));
  const rowCount = 60;
  const values = Float64Array.from({ length: rowCount }, (_, row) => row % 7);
  const table = serialize({
    ...{ format: 'roster-table/1', target: 'y', rowCount, targetValues: values },
    columns: [{ name: 'x', texts: ['a', 'b'], codes: Uint32Array.from(values, (y) => y % 3) }],
  });
  const database = new SqliteDatabase(file);
  database.exec(`insert into models (id, project_id, name, created_at)
      select 'm', id, 'begun', '2026-01-01T00:00:00.000Z' from projects where name = 'jewellery';
    insert into model_versions (id, model_id, version, status, target, row_count, updated_at)
      values ('v', 'm', 1, 'training', 'y', 60, '2026-01-01T00:00:00.000Z')`);
  database.prepare('insert into training_tables (version_id, bytes) values (?, ?)').run('v', table);
  database.close();
  const server = await startServer({ databaseFile: file });
  try {
    for (;;) {
      const model = await fetch(`${server.url}/api/projects/jewellery/models/begun`);
      const shown: unknown = await model.json();
      if (Object(shown).status === 'training') continue;
      expect(shown).toMatchObject({ status: 'ready', row_count: 60, columns: [{ name: 'x' }] });
      break;
    }
  } finally {
    await server.stop();
  }
});

test('a project of an older store that holds more than may be can still hold less', async () => {
  execute(readFileSync(new URL('0.1.0.sql', FIXTURES), 'utf8'));
  const store = await Store.open(`file:${file}`, { most: { bytes: 1, uses: 1 } });
  const change = (params: object) =>
    inJewellery(store, ({ skills }, { id }) =>
      skills.update(id, 'sales_questions', { params: { ...params } }),
    );
  await expect(change({ database: 'of the sales' })).rejects.toThrow(LimitReachedError);
  const changed = await change({ database: 'x' });
  expect(JSON.parse(changed?.join('') ?? '')).toMatchObject({ params: { database: 'x' } });
  const removed = await inJewellery(store, ({ agents }, { id }) => agents.remove(id, 'analyst'));
  expect(removed).toBe(true);
  await store.close();
});

/** Every row of every table, and how each is made. */
function everything(): unknown[] {
  const database = new SqliteDatabase(file, { readonly: true });
  const tables = database.prepare('select type, name, sql from sqlite_master').all();
  const names = database.prepare("select name from sqlite_master where type = 'table'").pluck();
  const rows = names.all().map((name) => database.prepare(`select * from "${name}"`).all());
  database.close();
  return [tables, rows];
}

/** Writes to the project of the older store. */
function inJewellery<T>(
  store: Store,
  write: (store: Store, project: Project) => Promise<T>,
): Promise<T> {
  return store.transaction(async (store) => {
    const project = await store.projects.hold('local', 'jewellery');
    if (!project) throw new Error('The older store has no such project');
    return write(store, project);
  });
}

/** An object that takes so many bytes as JSON. */
function objectOf(bytes: number) {
  return { k: 'x'.repeat(bytes - '{"k":""}'.length) };
}

/** The bytes of JSON and long text in a project, and the uses of its skills, counted through. */
function keptBy(project: string): { bytes: number; uses: number } {
  const database = new SqliteDatabase(file, { readonly: true });
  const sum = (what: string, tables: string) =>
    Number(
      database
        .prepare(
          `select ${what} from ${tables} where project_id = (select id from projects where name = ?)`,
        )
        .pluck()
        .get(project),
    );
  const bytes = [
    sum('sum(length(params))', 'skills'),
    sum('sum(length(model) + length(settings))', 'agents'),
    sum('sum(length(settings))', 'chatbots'),
  ].reduce((total, part) => total + part);
  const uses = sum('count(*)', 'agent_skills join agents on agents.id = agent_id');
  database.close();
  return { bytes, uses };
}

/** What a project holds, counted through. */
function counted(project: string): unknown {
  const database = new SqliteDatabase(file, { readonly: true });
  const count = (kind: string) =>
    database
      .prepare(
        `select count(*) from ${kind} where project_id = (select id from projects where name = ?)`,
      )
      .pluck()
      .get(project);
  const contents = {
    skills: count('skills'),
    agents: count('agents'),
    chatbots: count('chatbots'),
    models: count('models'),
  };
  database.close();
  return contents;
}

function execute(sql: string): void {
  const database = new SqliteDatabase(file);
  database.exec(sql);
  database.close();
}

function predicts(address: string): RequestInit {
  if (!address.endsWith('/predict')) return {};
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify([{ carat: 0.3, cut: 'Ideal' }, { carat: 1 }]),
  };
}
