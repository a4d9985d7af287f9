import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listProjects, lockProjectRow } from '../projects/projects.js';
import { createSkill, skills, updateSkill } from '../resources/skills.js';
import { DatabaseSync } from './database/sqlite-connection.js';
import { Store } from './index.js';
import { migrations } from './migrations/index.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-store-'));
  file = join(folder, 'roster.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('migrations are listed in the order in which they run', () => {
  expect(Object.keys(migrations)).toEqual(Object.keys(migrations).toSorted());
});

test('an empty file becomes a store with one project', async () => {
  execute('pragma user_version = 0');
  const store = await Store.open(`file:${file}`);
  expect(await listProjects(store, { owner: 'local' }, {})).toMatchObject([{ name: 'default' }]);
  await store.close();
});

test('a store of a later release is refused, and left unchanged', async () => {
  await (await Store.open(`file:${file}`)).close();
  execute("insert into kysely_migration values ('9999-later', '2999-01-01')");
  const before = readFileSync(file);
  await expect(Store.open(`file:${file}`)).rejects.toThrow('written by a later release');
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('an interrupted migration leaves the file unchanged', async () => {
  execute('create table model_artifacts (bytes blob)');
  const before = everything();
  await expect(Store.open(`file:${file}`)).rejects.toThrow('model_artifacts');
  expect(everything()).toEqual(before);

  execute('drop table model_artifacts');
  const store = await Store.open(`file:${file}`);
  expect(await listProjects(store, { owner: 'local' }, {})).toHaveLength(1);
  await store.close();
});

test('the migrations of an existing store are reported, and those of a new one are not', async () => {
  const reported: (readonly string[])[] = [];
  const open = async (name: string) =>
    (await Store.open(`file:${join(folder, name)}`, { noteMigrations: (names) => reported.push(names) })).close();
  await open('new.db');
  await open('new.db');
  expect(reported).toEqual([]);
  const earlier = new URL('../../contract-tests/releases/0.2.0/sqlite.db.gz', import.meta.url);
  writeFileSync(join(folder, 'earlier.db'), gunzipSync(readFileSync(earlier)));
  await open('earlier.db');
  await open('earlier.db');
  expect(reported).toEqual([expect.arrayContaining(['0019-responses-of-projects', '0034-rare-events'])]);
});

test('a project above today’s limits can still be reduced', async () => {
  const write = async (limits: object, work: (store: Store, id: string) => Promise<unknown>) => {
    const store = await Store.open(`file:${file}`, { limits });
    try {
      return await store.transaction(async (store) => {
        const project = await lockProjectRow(store, 'local', 'default');
        return work(store, project?.id ?? '');
      });
    } finally {
      await store.close();
    }
  };
  const change = (params: Record<string, unknown>) => async (store: Store, id: string) => {
    const row = await skills.find(store, id, 'sales');
    if (row) await updateSkill(store, row, { params });
  };
  await write({}, (store, id) => createSkill(store, id, { name: 'sales', type: 'sql', params: { database: 'sales' } }));
  await expect(write({ bytes: 1 }, change({ database: 'of the sales' }))).rejects.toMatchObject({
    type: '/problems/limit-reached',
  });
  await write({ bytes: 1 }, change({ database: 'x' }));
});

/** Returns every row and the definition of every table, except the migrations table. */
function everything(): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare("select type, name, sql from sqlite_master where tbl_name not like 'kysely_%'").all();
  const names = database
    .prepare("select name from sqlite_master where type = 'table' and name not like 'kysely_%'")
    .all();
  const rows = names.map(({ name }) => database.prepare(`select * from "${name}"`).all());
  database.close();
  return [tables, rows];
}

function execute(sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}
