import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServer } from '../../contract-tests/targets/server-process.js';
import { Store } from './index.js';
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
      expect(await now.json(), address).toEqual(answer);
    }
  } finally {
    await server.stop();
  }
});

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
