/** A project is deleted with everything in it: nothing is left but what has a reason. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asArray, parseJson } from '../../contract/json-record.js';
import { Store } from '../../server/store/index.js';
import { says } from '../../testkit/chat/reply.js';
import { openScriptedChatServer } from '../../testkit/chat/scripted-chat-server.js';
import { readField, readText } from '../../testkit/json.js';
import { operations } from '../../testkit/openapi/document.js';
import { makeTable } from '../../testkit/openapi/example-requests.js';
import { ownServers } from '../../testkit/service/own-servers.js';
import { makeKey } from '../../testkit/store/keys.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';
import { loadExamples } from '../../tools/mock/load-examples.js';
import { OauthService } from '../oauth/oauth-service.js';

const ISSUER = 'https://roster.example.com';
const servers = ownServers();

let postgres: PostgresDatabase;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.remove());

/** The tables that keep traces of deleted projects, and the reason. */
const STAY: Readonly<Record<string, string>> = {
  audit_events: 'the audit log has deletions, too',
  audit_chains: 'its heads',
  api_keys: 'a revoked key is refused, and not unknown: without any key, a service is open',
  key_usage: 'a limit counts on when the key is for nothing any more',
  kept_answers: 'the contract promises the same answer for 24 hours',
  owner_storage: 'the counters of an owner, which go back to zero',
};

test.each([
  ['SQLite', () => `file:${servers.file('roster.db')}`],
  ['PostgreSQL', () => postgres.url],
])('on %s, a project that is deleted after all in it leaves no row behind', async (_, findUrl) => {
  const url = findUrl();
  const store = await Store.open(url);
  const chat = await openScriptedChatServer(() => says('An answer.'));
  try {
    const empty = await countRows(store);
    const limits = { rows: 1000 };
    const key = await makeKey(url, { name: 'own', owner: 'ann' });
    const server = await servers.start({
      env: { DATABASE_URL: url, CHAT_URL: chat.url, CHAT_MODEL: 'scripted', PUBLIC_URL: ISSUER },
    });
    const send = async (method: string, path: string, body?: object, sender = key) => {
      const response = await fetch(server.url + path, {
        method,
        headers: {
          Authorization: `Bearer ${sender}`,
          'Idempotency-Key': path,
          ...(body && { 'Content-Type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: parseJson(await response.text()) };
    };
    const list = async (path: string) => asArray((await send('GET', path)).body);

    const made = await loadExamples(server.url, {
      headers: { Authorization: `Bearer ${key}` },
      completeTable: (lines) => makeTable(lines),
    });
    const conversation = made.find((address) => /\/conversations\/[^/]+$/.test(address));
    await send('POST', `${conversation}/messages`, { message: { content: 'A question?' } });
    const [agent] = await list('/projects/default/agents');
    const answer = await send('POST', '/v1/responses', {
      model: `default/${readText(agent, 'name')}`,
      input: 'A question?',
    });
    expect(answer).toMatchObject({ status: 200, body: { store: true } });
    const response = `/v1/responses/${readText(answer.body, 'id')}`;
    expect((await send('GET', response)).status).toBe(200);
    const model = '/api/projects/default/models/diamond_prices';
    const bound = await send('POST', '/keys', {
      key: { name: 'bound', project: 'default', scopes: ['read', 'predict'], limits },
    });
    const other = readText(bound.body, 'secret');
    const rows = await send('POST', `${model}/predict?remember=true`, [{ carat: 1 }], other);
    const [row] = asArray(rows.body);
    const truth = { __service_row_id: readField(row, '__service_row_id'), price: '1' };
    expect((await send('POST', `${model}/actuals`, [truth])).body).toMatchObject({ matched: 1 });
    const oauth = OauthService.on(server, url, key, ISSUER);
    await oauth.connect((await oauth.register()).body.client_id, { project: 'default' });

    const listUnused = async () => {
      const full = await countRows(store);
      return Object.keys(full).filter((table) => full[table] === empty[table]);
    };
    // The tables of a training are gone soon after it has ended, and the notes of calls with their answers.
    const passing = ['running_calls', 'training_table_parts', 'training_tables'];
    await expect.poll(async () => (await listUnused()).sort()).toEqual(passing);

    for (const project of await list('/projects')) {
      const name = readText(project, 'name');
      for (const { path } of LISTS) {
        const address = path.replace(/\{project_?[nN]ame\}/, name);
        for (const one of await list(address)) {
          await send('DELETE', `${address}/${readText(one, 'name')}`);
        }
      }
      expect((await send('DELETE', `/projects/${name}`)).status).toBe(204);
    }
    for (const one of await list('/keys')) {
      if (!key.includes(readText(one, 'id'))) await send('DELETE', `/keys/${readText(one, 'id')}`);
    }
    for (const method of ['GET', 'DELETE']) {
      expect((await send(method, response)).status).toBe(404);
    }

    const without = (counts: Record<string, number>) =>
      Object.fromEntries(Object.entries(counts).filter(([table]) => !(table in STAY)));
    await expect.poll(async () => without(await countRows(store))).toEqual(without(empty));
    const stored = await store.work
      .selectFrom('owner_storage')
      .select('bytes')
      .where('owner', '=', 'ann')
      .executeTakeFirstOrThrow();
    expect(Number(stored.bytes)).toBe(0);
  } finally {
    await store.close();
    await chat.close();
  }
});

/** The lists of the kinds of resources in a project, those first that others refer to last. */
const LISTS = operations
  .filter(({ method, path }) => method === 'GET' && /\{project_?[nN]ame\}\/\w+$/.test(path))
  .reverse();

/** Counts the rows of each table of the store, but for the parts of the index of SQLite. */
async function countRows({ work }: Store): Promise<Record<string, number>> {
  const tables = await work.introspection.getTables();
  const names = tables.map(({ name }) => name).filter((name) => !/^(kysely|sqlite|passage_terms_)/.test(name));
  const counts: [string, number][] = [];
  for (const name of names) {
    const { rows } = await sql<{ rows: number | string }>`
      select count(*) as rows from ${sql.table(name)}
    `.execute(work);
    counts.push([name, Number(rows[0]?.rows)]);
  }
  return Object.fromEntries(counts);
}
