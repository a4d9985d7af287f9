/** Tests of the guarantees to a caller, whichever of two instances answers. */
import { createRosterClient, type RosterClient } from 'roster-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runRoster } from '../../testkit/service/roster-command.js';
import { makeKey } from '../../testkit/store/keys.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';
import { checkedFetch } from '../checked-fetch.js';
import { type Instance, startTwo } from './instance.js';

const SKILLS = '/projects/{project_name}/skills';
const SKILL = '/projects/{project_name}/skills/{skill_name}';
const project = { project_name: 'default' };

let database: PostgresDatabase;
let both: [Instance, Instance];
let clients: RosterClient[];

beforeAll(async () => {
  database = await startPostgres();
  both = await startTwo({ env: { DATABASE_URL: database.url, RATE_LIMIT: '0' } });
  clients = asCaller(await makeKey(database.url, { name: 'own' }));
});
afterAll(async () => {
  await Promise.all(both.map((instance) => instance.kill()));
  await database.remove();
});

/** Returns a client of each instance, all with the same key. */
function asCaller(apiKey: string): RosterClient[] {
  return both.map(({ url }) => createRosterClient({ baseUrl: url, apiKey, fetch: checkedFetch }));
}

describe('a key', () => {
  test('is valid on both instances as soon as it is created, and on neither soon after it is revoked', async () => {
    const key = await makeKey(database.url, { name: 'short-lived' });
    const callers = asCaller(key);
    const statuses = () =>
      Promise.all(callers.map(async (caller) => (await caller.GET('/projects')).response.status));
    expect(await statuses()).toEqual([200, 200]);
    await runRoster(['keys', 'revoke', `${key.split('_')[1]}`], { DATABASE_URL: database.url });
    await expect.poll(statuses, { timeout: 10_000 }).toEqual([401, 401]);
  });
});

describe('a creation', () => {
  test('with one Idempotency-Key happens once if both instances get it at the same time', async () => {
    for (let round = 0; round < 20; round += 1) {
      const header = { 'Idempotency-Key': crypto.randomUUID() };
      const body = { skill: { name: `once_${round}`, type: 'lookup' } };
      const create = (client: RosterClient) =>
        client.POST(SKILLS, { params: { path: project, header }, body });
      const answers = await Promise.all([...clients, ...clients].map(create));
      const ids = answers.flatMap(({ data }) => data?.id ?? []);
      expect(ids.length).toBeGreaterThan(0);
      expect(new Set(ids).size).toBe(1);
      for (const { error } of answers) {
        if (error) expect(error.type).toBe('/problems/request-in-progress');
      }
      const again = await Promise.all(clients.map(create));
      expect(again.map(({ data }) => data?.id)).toEqual([ids[0], ids[0]]);
    }
  });
});

describe('an update', () => {
  test('with one If-Match happens once if both instances get it at the same time', async () => {
    const [client] = clients;
    const body = { skill: { name: 'contended', type: 'lookup' } };
    const created = await client?.POST(SKILLS, { params: { path: project }, body });
    let etag = `${created?.response.headers.get('ETag')}`;
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all(
        clients.map((caller, index) =>
          caller.PUT(SKILL, {
            params: {
              path: { ...project, skill_name: 'contended' },
              header: { 'If-Match': etag },
            },
            body: { skill: { params: { round, index } } },
          }),
        ),
      );
      expect(answers.map(({ response }) => response.status).toSorted()).toEqual([200, 412]);
      const winner = answers.find(({ response }) => response.ok);
      etag = `${winner?.response.headers.get('ETag')}`;
    }
  });

  test('is visible on the other instance at once, with the same tag', async () => {
    const [one, other] = clients;
    const path = { ...project, skill_name: 'contended' };
    for (let round = 0; round < 10; round += 1) {
      const body = { skill: { params: { seen: round } } };
      const changed = await one?.PUT(SKILL, { params: { path }, body });
      const seen = await other?.GET(SKILL, { params: { path } });
      expect(seen?.data).toEqual(changed?.data);
      expect(seen?.response.headers.get('ETag')).toBe(changed?.response.headers.get('ETag'));
    }
  });
});
