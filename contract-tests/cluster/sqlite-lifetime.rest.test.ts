/** Tests that statements which are collected, and an exit under load, do not abort the process. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PreparedStatement } from '../../server/store/database/dialect.js';
import { DatabaseSync } from '../../server/store/database/sqlite-connection.js';
import { startServer } from '../../testkit/service/server-process.js';

const DATABASE = new URL('../../dist/server/store/database/', import.meta.url);

/** Leaves statements and connections to the garbage collector, in both orders, and one open until the end. */
const LEAVES_GARBAGE = `
  import { setImmediate } from 'node:timers/promises';
  import { PreparedStatement } from '${DATABASE}dialect.js';
  import { DatabaseSync } from '${DATABASE}sqlite-connection.js';

  const kept = new PreparedStatement(new DatabaseSync(':memory:'), 'select ? as value');
  for (let round = 0; round < 20; round += 1) {
    const connection = new DatabaseSync(':memory:');
    connection.exec('create table numbers (value); insert into numbers values (1), (2)');
    for (let index = 0; index < 50; index += 1) {
      const statement = new PreparedStatement(connection, 'select value + ' + index + ' from numbers');
      statement.all([]);
      statement.iterate([]).next();
    }
    if (round % 2 === 0) connection.close();
    globalThis.gc();
    await setImmediate();
  }
  globalThis.gc();
  await setImmediate();
  console.log(JSON.stringify(kept.all(['still here'])));
`;

test('statements and connections that are collected as garbage end nothing, and one that is kept goes on', async () => {
  const script = ['--expose-gc', '--input-type=module', '--eval', LEAVES_GARBAGE];
  const { stdout } = await promisify(execFile)(process.execPath, script);
  expect(JSON.parse(stdout)).toEqual([{ value: 'still here' }]);
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-lifetime-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('a service that is stopped amid reads and writes ends in order, and has kept what it acknowledged', async () => {
  const databaseFile = join(folder, 'roster.db');
  const acknowledged: string[] = [];
  for (let round = 1; round <= 3; round += 1) {
    const server = await startServer({ databaseFile });
    let isOver = false;
    const write = async (caller: number) => {
      for (let index = 0; !isOver; index += 1) {
        const name = `skill_${round}_${caller}_${index}`;
        if (await isCreated(server.url, name)) acknowledged.push(name);
      }
    };
    const callers = [1, 2, 3, 4].map(write);
    while (acknowledged.length < 20 * round) await delay(10);
    expect(await server.stop()).toBe(0);
    isOver = true;
    await Promise.all(callers);
  }
  const database = new DatabaseSync(databaseFile);
  const kept = new PreparedStatement(database, 'select name from skills').all([]);
  database.close();
  expect(kept).toEqual(expect.arrayContaining(acknowledged.map((name) => ({ name }))));
});

/** Creates a skill; one whose answer does not come may have been created all the same. */
async function isCreated(url: string, name: string): Promise<boolean> {
  try {
    const { status } = await fetch(`${url}/projects/default/skills`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ skill: { name, type: 'lookup', params: {} } }),
    });
    return status === 201;
  } catch {
    await delay(10);
    return false;
  }
}
