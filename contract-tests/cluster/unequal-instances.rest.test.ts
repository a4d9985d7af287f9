/** Two instances on one PostgreSQL database that disagree: about the time by an hour, and about their limits. */
import { answered, untilReady } from 'roster-client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ownServers } from '../../testkit/service/own-servers.js';
import { runRoster } from '../../testkit/service/roster-command.js';
import { compiler, createShiftedClock } from '../../testkit/service/shifted-clock.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';
import { beginTraining, type Instance, startInstance } from './instance.js';

const SKILLS = '/projects/{project_name}/skills';
const SKILL = '/projects/{project_name}/skills/{skill_name}';
const PREDICT = '/api/projects/{projectName}/models/{modelName}/predict';
const ACTUALS = '/api/projects/{projectName}/models/{modelName}/actuals';
const RECORD = '/api/projects/{projectName}/models/{modelName}/record';

const servers = ownServers();
let database: PostgresDatabase;
let instances: Instance[] = [];
beforeAll(async () => {
  database = await startPostgres();
});
beforeEach(() => async () => {
  await Promise.all(instances.map((instance) => instance.kill()));
  instances = [];
});
afterAll(() => database.remove());

async function start(env: NodeJS.ProcessEnv = {}): Promise<Instance> {
  const instance = await startInstance({ env: { DATABASE_URL: database.url, ...env } });
  instances.push(instance);
  return instance;
}

const HOUR = 60 * 60;

test.skipIf(compiler === undefined)(
  'an instance whose clock is an hour ahead loses nothing, and repeats nothing',
  async () => {
    const clock = createShiftedClock(servers.file);
    clock.set(HOUR);
    const both = [await start(), await start(clock.env)] as const;
    const pairs = [both, both.toReversed()] as const;

    for (const [index, [first, second]] of pairs.entries()) {
      const name = `made_${index}`;
      const params = { path: { project_name: 'default' }, header: { 'Idempotency-Key': name } };
      const create = ({ roster }: Instance) =>
        answered(roster.POST(SKILLS, { params, body: { skill: { name, type: 'lookup' } } }));
      const created = await create(first);
      expect(await create(second)).toEqual(created);
      const path = { project_name: 'default', skill_name: name };
      const read = ({ roster }: Instance) => roster.GET(SKILL, { params: { path } });
      const tag = (await read(first)).response.headers.get('ETag') ?? '';
      const changed = await second.roster.PUT(SKILL, {
        params: { path, header: { 'If-Match': tag } },
        body: { skill: { params: { by: 'the other' } } },
      });
      expect(changed.response.status).toBe(200);
      expect((await read(first)).data).toEqual(changed.data);
      // A condition on what was there before, on the instance that did not change it.
      const outdated = await first.roster.DELETE(SKILL, { params: { path, header: { 'If-Match': tag } } });
      expect(outdated.response.status).toBe(412);
    }

    const table = Array.from({ length: 100 }, (_, row) => `${row},${row * 2}`).join('\n');
    for (const [index, [first, second]] of pairs.entries()) {
      const path = { projectName: 'default', modelName: `prices_${index}` };
      await beginTraining(first, path, `x,price\n${table}`);
      await untilReady(second.roster, path);
      for (const [one, other] of pairs) {
        const params = { path, query: { remember: true } } as const;
        const rows = await answered(one.roster.POST(PREDICT, { params, body: [{ x: 1 }, { x: 2 }] }));
        const truths = rows.map(({ __service_row_id }) => ({ __service_row_id: `${__service_row_id}`, price: 3 }));
        const body = { params: { path }, body: truths };
        expect(await answered(other.roster.POST(ACTUALS, body))).toMatchObject({ matched: 2, unmatched: 0 });
        expect(await answered(one.roster.POST(ACTUALS, body))).toMatchObject({ unchanged: 2 });
      }
      for (const { roster } of both) {
        expect(await answered(roster.GET(RECORD, { params: { path } }))).toMatchObject({ promises: 4, truths: 4 });
      }
    }
    const { code, stderr } = await runRoster(['audit', 'verify'], { DATABASE_URL: database.url });
    expect(code, stderr).toBe(0);
  },
);

test('an instance with lower limits refuses what it would add, and still serves and changes what is there', async () => {
  const [usual, lower] = [await start(), await start({ MAX_RESOURCES: '3', MAX_TABLE: '1000', MAX_BODY: '1000' })];
  const project_name = 'limited';
  await answered(usual.roster.POST('/projects', { body: { project: { name: project_name } } }));
  const create = ({ roster }: Instance, name: string) =>
    roster.POST(SKILLS, { params: { path: { project_name } }, body: { skill: { name, type: 'lookup' } } });
  for (const name of ['a', 'b', 'c', 'd']) expect((await create(usual, name)).response.status).toBe(201);

  const refused = await create(lower, 'e');
  expect(refused.response.status).toBe(409);
  expect(refused.error).toMatchObject({ type: '/problems/limit-reached', detail: expect.stringContaining('3') });
  const listed = await answered(lower.roster.GET(SKILLS, { params: { path: { project_name } } }));
  expect(listed.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
  const path = { project_name, skill_name: 'd' };
  const changed = await lower.roster.PUT(SKILL, { params: { path }, body: { skill: { name: 'z' } } });
  expect(changed.response.status).toBe(200);
  expect((await create(usual, 'e')).response.status).toBe(201);

  const model = { projectName: project_name, modelName: 'prices' };
  const table = `x,price\n${Array.from({ length: 500 }, (_, row) => `${row},${row * 2}`).join('\n')}`;
  await expect(beginTraining(lower, model, table)).rejects.toThrow('1000');
  await beginTraining(usual, model, table);
  await untilReady(lower.roster, model);
  expect((await lower.roster.POST(PREDICT, { params: { path: model }, body: [{ x: 1 }] })).response.status).toBe(200);
});
