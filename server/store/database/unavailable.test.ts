import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PreparedStatement } from './dialect.js';
import { DatabaseSync, type SqliteConnection } from './sqlite-connection.js';
import { errorCode } from './unavailable.js';

let folder: string;
let file: string;
let database: SqliteConnection;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-codes-'));
  file = join(folder, 'some.db');
  database = new DatabaseSync(file);
  database.exec('create table things (name unique)');
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

/** The code of what work throws. */
function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return errorCode(error);
  }
  throw new Error('Nothing was thrown');
}

test.each([
  ['runs', 'insert into things values (1)'],
  ['returns rows', 'insert into things values (1) returning name'],
])('a lock is distinguished from other failures where a statement %s', (_, sql) => {
  const other = new DatabaseSync(file);
  const statement = new PreparedStatement(other, sql);
  database.exec('begin immediate');
  const code = codeOf(() => (statement.reader ? statement.all([]) : statement.run([])));
  other.close();
  expect(code).toBe('SQLITE_BUSY');
});

test('a file that is read only, or cannot be opened, is reported', () => {
  const reader = new DatabaseSync(file, { readOnly: true });
  expect(codeOf(() => reader.exec('delete from things'))).toBe('SQLITE_READONLY');
  reader.close();
  expect(codeOf(() => new DatabaseSync(join(folder, 'nowhere', 'some.db')))).toBe('SQLITE_CANTOPEN');
});

test('a full database is reported', () => {
  database.exec('pragma max_page_count = 3');
  const fill = () => database.exec('insert into things values (randomblob(100000))');
  expect(codeOf(fill)).toBe('SQLITE_FULL');
});

test('other failures have no code: a value that is taken, a file that is not a database', () => {
  database.exec('insert into things values (1)');
  expect(codeOf(() => database.exec('insert into things values (1)'))).toBe('');
  const noDatabase = join(folder, 'none.db');
  writeFileSync(noDatabase, 'this is not a database'.repeat(100));
  const opened = new DatabaseSync(noDatabase);
  expect(codeOf(() => opened.exec('select * from things'))).toBe('');
  opened.close();
});
