/** The audit log of several instances that are killed: one event for each write, and chains that hold. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Write, Writer } from '../../bench/chaos/writer.js';
import type { AuditEvent } from '../../server/store/audit-trail.js';
import { DatabaseSync } from '../../server/store/database/sqlite-connection.js';
import { Client, NoAnswer } from '../../testkit/http/client.js';
import { ownServers } from '../../testkit/service/own-servers.js';
import { runRoster } from '../../testkit/service/roster-command.js';
import type { ServerProcess } from '../../testkit/service/server-process.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';

const servers = ownServers();

let postgres: PostgresDatabase;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.remove());

const KILLS = 2;
const PROJECT = '/projects/default';

interface TestedStore {
  readonly url: () => string;
  readonly run: (sql: string) => Promise<void>;
}

const STORES: Record<string, TestedStore> = {
  SQLite: {
    url: () => `file:${servers.file('roster.db')}`,
    run: async (sql) => {
      const database = new DatabaseSync(servers.file('roster.db'));
      database.exec(sql);
      database.close();
    },
  },
  PostgreSQL: {
    url: () => postgres.url,
    run: async (sql) => {
      const client = new pg.Client(postgres.url);
      await client.connect();
      await client.query(sql);
      await client.end();
    },
  },
};

describe.each(Object.entries(STORES))('on %s, the audit log', (_, { url, run }) => {
  const audit = (...args: string[]) => runRoster(['audit', ...args], { DATABASE_URL: url() });

  async function exportEvents(...args: string[]): Promise<AuditEvent[]> {
    const { code, stdout, stderr } = await audit('export', ...args);
    expect(code, stderr).toBe(0);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line): AuditEvent => JSON.parse(line));
  }

  test('has one event for each acknowledged write of two instances, also when they are killed', async () => {
    const acknowledged = new Set<string>();
    const sent = new Set<string>();
    const client = new Client({ connections: 8 });
    const start = () => servers.start({ env: { DATABASE_URL: url() } });
    let instances: ServerProcess[] = [];
    const writers = Array.from(
      { length: 6 },
      (_one, number) =>
        new Writer(`w${number}`, async ({ method, path, body }: Write) => {
          const id = randomUUID();
          sent.add(id);
          const { url: origin } = instances[number % 2] ?? { url: '' };
          try {
            const answer = await client.send(method, origin + PROJECT + path, body, {
              'X-Request-Id': id,
            });
            if (answer.status === 503) return undefined;
            if (answer.status < 300) acknowledged.add(id);
            return answer;
          } catch (error) {
            if (error instanceof NoAnswer) return undefined;
            throw error;
          }
        }),
    );
    for (let kill = 1; kill <= KILLS; kill += 1) {
      instances = await Promise.all([start(), start()]);
      const writing = writers.map((writer) => writer.write());
      await expect.poll(() => acknowledged.size, { timeout: 30_000 }).toBeGreaterThan(kill * 20);
      await pause(Math.random() * 50);
      await Promise.all(instances.map((instance) => instance.kill()));
      await Promise.all(writing);
    }
    expect(writers.flatMap(({ unexpected }) => unexpected)).toEqual([]);

    const { code, stdout, stderr } = await audit('verify');
    expect(code, stderr).toBe(0);
    const events = await exportEvents();
    const ids = events.map(({ request_id }) => `${request_id}`);
    expect(new Set(ids).size).toBe(ids.length);
    // A write without an answer may be there; nothing else is.
    expect([...acknowledged].filter((id) => !ids.includes(id))).toEqual([]);
    expect(ids.filter((id) => !sent.has(id))).toEqual([]);
    expect(events.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual(
      events.map((_event, index) => index + 1),
    );
    const last = events.find(({ sequence }) => sequence === events.length);
    expect(JSON.parse(stdout)).toEqual({
      ...{ owner: 'local', sequence: events.length, hash: last?.hash },
    });

    const file = servers.file('events.ndjson');
    await writeFile(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    expect((await audit('verify', '--against', file)).code).toBe(0);
    // One event less at the end, with a head that fits: only who knew it can tell.
    const before = events.find(({ sequence }) => sequence === events.length - 1);
    await run(`delete from audit_events where sequence = ${events.length}`);
    const cut = await audit('verify');
    expect(cut).toMatchObject({ code: 1, stderr: expect.stringContaining('is missing') });
    await run(`update audit_chains set sequence = sequence - 1, hash = '${before?.hash}'`);
    expect((await audit('verify')).code).toBe(0);
    const gone = await audit('verify', '--against', file);
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('is gone') });

    const changed = events.find(({ sequence }) => sequence === 7);
    await run(`update audit_events set resource = resource || 'x' where sequence = 7`);
    const found = await audit('verify');
    expect(found.code).toBe(1);
    expect(found.stderr).toContain(`owner "local": event 7 of ${changed?.at} was changed`);
  });
});
