/** Tests that a lock on a table delays only the requests that need that table. */
import { createRosterClient, type RosterClient } from 'roster-client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createKey } from '../../server/auth/secrets.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { makeKey } from '../../testkit/store/keys.js';
import { type Connection, connectTo } from '../../testkit/store/own-store.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';
import { checkedFetch } from '../checked-fetch.js';

const SKILLS = '/projects/{project_name}/skills';
const CHATBOTS = '/projects/{project_name}/chatbots';
const params = { path: { project_name: 'default' } };

let database: PostgresDatabase;
let server: ServerProcess;
let roster: RosterClient;
let stranger: RosterClient;
let other: Connection;
beforeAll(async () => {
  database = await startPostgres();
  const apiKey = await makeKey(database.url, { name: 'own' });
  server = await startServer({ env: { DATABASE_URL: database.url, RATE_LIMIT: '0' } });
  const options = { baseUrl: server.url, fetch: checkedFetch };
  roster = createRosterClient({ ...options, apiKey });
  stranger = createRosterClient({ ...options, apiKey: createKey().text });
  other = await connectTo(database.url);
});
afterEach(() => other.run('rollback'));
afterAll(async () => {
  await other.close();
  await server.kill();
  await database.remove();
});

const lock = (table: string) => other.run(`begin; lock table ${table} in access exclusive mode`);
const readSkills = () => roster.GET(SKILLS, { params });
const writeSkill = (name: string) => roster.POST(SKILLS, { params, body: { skill: { name, type: 'lookup' } } });
const readiness = async () => (await roster.GET('/health/ready')).response.status;

const metrics = async () => {
  const answer = await roster.GET('/metrics', { headers: { Accept: 'text/plain' }, parseAs: 'text' });
  return answer.response.status;
};

/** Sends more requests at once than the pool has connections. */
function crowd<T>(send: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: 30 }, (_, index) => send(index)));
}

describe('while the projects are locked', () => {
  test('requests are refused while the lock is held, callers are still authenticated, and the service is not ready', async () => {
    expect(await readiness()).toBe(200);
    await lock('projects');
    const reads = crowd(readSkills);
    const writes = crowd((index) => writeSkill(`late_${index}`));
    expect((await stranger.GET('/projects')).response.status).toBe(401);
    expect(await metrics()).toBe(200);
    expect((await roster.GET('/health/live')).response.status).toBe(200);
    await expect.poll(readiness).toBe(503);
    const { error } = await roster.GET('/health/ready');
    expect(error).toMatchObject({ detail: expect.stringContaining('locked') });
    for (const { error, response } of [...(await reads), ...(await writes)]) {
      expect(error).toMatchObject({ type: '/problems/service-unavailable' });
      expect(response.headers.get('Retry-After')).toBe('1');
    }
    await other.run('rollback');
    await expect.poll(readiness).toBe(200);
    expect((await readSkills()).data).toEqual([]);
    expect((await writeSkill('in_time')).response.status).toBe(201);
  });
});

describe('while the skills are locked', () => {
  test('other resources are read and written, however many requests wait for skills', async () => {
    await lock('skills');
    const reads = crowd(readSkills);
    for (let round = 0; round < 5; round += 1) {
      expect((await roster.GET(CHATBOTS, { params })).response.status).toBe(200);
      const body = { chatbot: { name: `round_${round}` } };
      expect((await roster.POST(CHATBOTS, { params, body })).response.status).toBe(201);
    }
    for (const { response } of await reads) expect(response.status).toBe(503);
    expect(await readiness()).toBe(200);
    await other.run('rollback');
    await expect.poll(async () => (await readSkills()).response.status).toBe(200);
  });
});

describe('while the row of a project is locked', () => {
  test('the project can be read, and another one written', async () => {
    await roster.POST('/projects', { body: { project: { name: 'free' } } });
    await other.run("begin; select 1 from projects where name = 'default' for update");
    const writes = crowd((index) => writeSkill(`row_${index}`));
    expect((await readSkills()).response.status).toBe(200);
    const answer = await roster.POST(SKILLS, {
      params: { path: { project_name: 'free' } },
      body: { skill: { name: 'free', type: 'lookup' } },
    });
    expect(answer.response.status).toBe(201);
    for (const { response } of await writes) expect(response.status).toBe(503);
  });
});

describe('while the keys are locked', () => {
  test('callers cannot be authenticated and are asked to retry, and the service is not ready', async () => {
    await lock('api_keys');
    const answers = crowd(async () => stranger.GET('/projects'));
    for (const { response } of await answers) expect(response.status).toBe(503);
    await expect.poll(readiness).toBe(503);
    await other.run('rollback');
    await expect.poll(readiness).toBe(200);
  });
});
