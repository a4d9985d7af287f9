/** Tests that two instances on one PostgreSQL database act as one service. */
import { setTimeout as pause } from 'node:timers/promises';
import { createRosterClient } from 'roster-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oneDiamond, slowTable } from '../../testkit/data/diamonds.js';
import { runRoster } from '../../testkit/service/roster-command.js';
import { startServer } from '../../testkit/service/server-process.js';
import { settled, trainPrices } from '../../testkit/service/train-prices.js';
import { makeKey } from '../../testkit/store/keys.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';
import { checkedFetch } from '../checked-fetch.js';
import { OauthService } from '../oauth/oauth-service.js';
import { beginTraining, expectLogged, firstToLog, type Instance, startTwo } from './instance.js';

const MODEL = '/api/projects/{projectName}/models/{modelName}';
const TRAINING = '/api/projects/{projectName}/models/{modelName}/versions/{version}/training';
const PREDICT = '/api/projects/{projectName}/models/{modelName}/predict';
const SKILLS = '/projects/{project_name}/skills';
const SKILL = '/projects/{project_name}/skills/{skill_name}';
const prices = { projectName: 'default', modelName: 'prices' };

/** One of another machine would need a key from the start. */
const LOCAL_ISSUER = 'http://127.0.0.1:4000';

let database: PostgresDatabase;
let both: [Instance, Instance];
beforeAll(async () => {
  database = await startPostgres();
  both = await startTwo({ env: { DATABASE_URL: database.url, PUBLIC_URL: LOCAL_ISSUER } });
});
afterAll(async () => {
  await Promise.all(both.map((instance) => instance.kill()));
  await database.remove();
});

async function price({ roster }: Instance): Promise<unknown> {
  const { data } = await roster.POST(PREDICT, { params: { path: prices }, body: [oneDiamond] });
  return data?.[0]?.price;
}

test('two instances that start at the same time on an empty database create its tables once', async () => {
  for (const { roster } of both) {
    const { data } = await roster.GET('/projects');
    expect(data).toMatchObject([{ name: 'default' }]);
  }
});

test('a name that both instances create at the same time is created once', async () => {
  const params = { path: { project_name: 'default' } };
  for (let round = 0; round < 20; round++) {
    const body = { skill: { name: `skill_${round}`, type: 'lookup' } };
    const answers = await Promise.all(
      both.map(({ roster }) => roster.POST('/projects/{project_name}/skills', { params, body })),
    );
    expect(answers.map(({ response }) => response.status).sort()).toEqual([201, 409]);
  }
  const { data } = await both[0].roster.GET('/projects/{project_name}/skills', { params });
  expect(data).toHaveLength(20);
});

test('a project that both instances create at the same time is created once', async () => {
  for (let round = 0; round < 20; round++) {
    const body = { project: { name: `project_${round}` } };
    const answers = await Promise.all(both.map(({ roster }) => roster.POST('/projects', { body })));
    expect(answers.map(({ response }) => response.status).sort()).toEqual([201, 409]);
  }
});

test('changes that both instances make to one agent at the same time are all kept', async () => {
  const params = { path: { project_name: 'default' } };
  const agent = { path: { project_name: 'default', agent_name: 'analyst' } };
  const [{ roster }] = both;
  await roster.POST('/projects/{project_name}/agents', { params, body: { agent: { name: 'analyst' } } });
  const names = Array.from({ length: 20 }, (_, index) => `added_${index}`);
  for (const name of names) {
    await roster.POST('/projects/{project_name}/skills', { params, body: { skill: { name, type: 'lookup' } } });
  }
  const answers = await Promise.all(
    names.map((name, index) =>
      both[index % 2 === 0 ? 0 : 1].roster.PUT('/projects/{project_name}/agents/{agent_name}', {
        params: agent,
        body: { agent: { skills_to_add: [name], settings: { [name]: index } } },
      }),
    ),
  );
  expect(answers.flatMap(({ error }) => error ?? [])).toEqual([]);
  const { data } = await roster.GET('/projects/{project_name}/agents/{agent_name}', { params: agent });
  expect(data?.skills.map(({ name }) => name).sort()).toEqual(names.toSorted());
  expect(Object.keys(data?.settings ?? {}).sort()).toEqual(names.toSorted());
});

describe('a training', () => {
  test('is run by exactly one instance', async () => {
    const models = ['a', 'b', 'c', 'd', 'e', 'f'].map((modelName) => ({ ...prices, modelName }));
    const trained = await Promise.all(
      models.map((model, index) => trainPrices(both[index % 2 === 0 ? 0 : 1].roster, model)),
    );
    expect(trained.map(({ status }) => status)).toEqual(models.map(() => 'ready'));
    for (const { modelName } of models) {
      await expectLogged(both, 'training', modelName, [{ attempt: 1 }]);
    }
  });

  test('shows its progress on the other instance, and is cancelled when the model is deleted there', async () => {
    const path = { ...prices, modelName: 'slow' };
    await beginTraining(both[0], path, slowTable());
    const [running, other] = await firstToLog(both, 'training', path.modelName);
    for (;;) {
      const { data } = await other.roster.GET(MODEL, { params: { path } });
      if (data?.status !== 'training') throw new Error('It ended before it showed any progress');
      if (data.progress > 0) break;
      await pause(20);
    }
    const { response } = await other.roster.DELETE(MODEL, { params: { path } });
    expect(response.status).toBe(204);
    await firstToLog([running, running], 'training cancelled', path.modelName);
    expect((await running.roster.GET(MODEL, { params: { path } })).response.status).toBe(404);
    const again = await trainPrices(running.roster, path);
    expect(again).toMatchObject({ status: 'ready', version: 1 });
  });

  test('that is cancelled on the other instance ends its process, and the model is trained again', async () => {
    const path = { ...prices, modelName: 'stopped' };
    await beginTraining(both[0], path, slowTable());
    const [running, other] = await firstToLog(both, 'training', path.modelName);
    const params = { path: { ...path, version: '1' } };
    const [one, two] = await Promise.all([other, running].map(({ roster }) => roster.DELETE(TRAINING, { params })));
    expect(one?.data).toMatchObject({ status: 'failed', version: 1 });
    expect(two?.data).toEqual(one?.data);
    await firstToLog([running, running], 'training cancelled', path.modelName);
    expect(await trainPrices(other.roster, path)).toMatchObject({ status: 'ready', version: 2 });
    await expectLogged(both, 'training cancelled', path.modelName, [{}]);
  });

  test('makes a model that answers on both instances once it is ready', async () => {
    const [one, other] = both;
    await trainPrices(one.roster, prices);
    const first = await price(other);
    expect(first).toEqual(await price(one));

    const table = Array.from({ length: 300 }, (_, row) => `${row / 100},${1_000_000 + row}`);
    const begun = await beginTraining(one, prices, `carat,price\n${table.join('\n')}`);
    await settled(other.roster, prices, begun);
    // The one that did not train it knows the version before for a second at most.
    await expect.poll(() => price(one)).toBeGreaterThan(900_000);
    await expect.poll(() => price(other)).toEqual(await price(one));
  });
});

describe('a creation', () => {
  test('with one Idempotency-Key happens once if both instances get it at the same time', async () => {
    for (let round = 0; round < 20; round += 1) {
      const header = { 'Idempotency-Key': crypto.randomUUID() };
      const body = { skill: { name: `once_${round}`, type: 'lookup' } };
      const create = ({ roster }: Instance) =>
        roster.POST(SKILLS, { params: { path: { project_name: 'default' }, header }, body });
      const answers = await Promise.all([...both, ...both].map(create));
      const ids = answers.flatMap(({ data }) => data?.id ?? []);
      expect(ids.length).toBeGreaterThan(0);
      expect(new Set(ids).size).toBe(1);
      for (const { error } of answers) {
        if (error) expect(error.type).toBe('/problems/request-in-progress');
      }
      const again = await Promise.all(both.map(create));
      expect(again.map(({ data }) => data?.id)).toEqual([ids[0], ids[0]]);
    }
  });
});

describe('an update', () => {
  const contended = { project_name: 'default', skill_name: 'contended' };

  test('with one If-Match happens once if both instances get it at the same time', async () => {
    const [{ roster }] = both;
    const params = { path: { project_name: 'default' } };
    const body = { skill: { name: 'contended', type: 'lookup' } };
    const created = await roster.POST(SKILLS, { params, body });
    let etag = `${created.response.headers.get('ETag')}`;
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all(
        both.map(({ roster }, index) =>
          roster.PUT(SKILL, {
            params: { path: contended, header: { 'If-Match': etag } },
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
    const [one, other] = both;
    for (let round = 0; round < 10; round += 1) {
      const body = { skill: { params: { seen: round } } };
      const changed = await one.roster.PUT(SKILL, { params: { path: contended }, body });
      const seen = await other.roster.GET(SKILL, { params: { path: contended } });
      expect(seen.data).toEqual(changed.data);
      expect(seen.response.headers.get('ETag')).toBe(changed.response.headers.get('ETag'));
    }
  });
});

test('a missing database stops the start, and one line says how to create it', async () => {
  const { href } = new URL('/nowhere', await database.create('beside_nowhere'));
  await expect(startServer({ env: { DATABASE_URL: href } })).rejects.toThrow(
    /Roster did not start: .*\/nowhere \(DATABASE_URL\) cannot be opened: the database does not exist; make it with createdb\n?$/,
  );
});

test('a text that PostgreSQL cannot compare with names is one of nothing for MCP', async () => {
  const [{ url }] = both;
  const codeOf = async (method: string, params: object) => {
    const answer = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { error } = Object(await answer.json());
    return error?.code;
  };
  for (const name of ['predict_a\0b', 'ask_a\0b', 'search_a\0b_12345678']) {
    expect(await codeOf('tools/call', { name, arguments: {} })).toBe(-32602);
  }
  for (const path of ['models/a\0b', 'skills/a\0b/documents/c']) {
    const uri = `roster://default/${path}`;
    expect(await codeOf('resources/read', { uri })).toBe(-32002);
  }
  const query = 'price\0';
  expect(await codeOf('tools/call', { name: 'find_tools', arguments: { query } })).toBeUndefined();
});

// The last one: from the first key on, the requests of the others would need one.
describe('a key', () => {
  test('is valid on both instances as soon as it is created, and on neither soon after it is revoked', async () => {
    const key = await makeKey(database.url, { name: 'short-lived' });
    const callers = both.map(({ url }) => createRosterClient({ baseUrl: url, apiKey: key, fetch: checkedFetch }));
    const statuses = () => Promise.all(callers.map(async (caller) => (await caller.GET('/projects')).response.status));
    expect(await statuses()).toEqual([200, 200]);
    await runRoster(['keys', 'revoke', `${key.split('_')[1]}`], { DATABASE_URL: database.url });
    await expect.poll(statuses).toEqual([401, 401]);
  });

  /** Both instances, as a host reaches them that has consent by a new key. */
  async function openOauth() {
    const key = await makeKey(database.url, { name: 'of a host' });
    const [one, other] = both.map((server) => OauthService.on(server, database.url, key, LOCAL_ISSUER));
    if (!one || !other) throw new Error('There are not two');
    return { one, other };
  }

  test.each([2, 10])('gives the same new tokens to %i refreshes that race on both instances', async (count) => {
    const { one, other } = await openOauth();
    const client = (await one.register()).body.client_id;
    const { access_token: token, refresh_token: old } = await one.connect(client);
    await one.ageRefreshTokens(60_000);
    const sides = Array.from({ length: count }, (_, index) => (index % 2 === 0 ? one : other));
    const raced = await Promise.all(sides.map((side) => side.refresh(client, old)));
    expect(raced.map(({ status }) => status)).toEqual(sides.map(() => 200));
    const pairs = raced.map(({ tokens }) => `${tokens.access_token} ${tokens.refresh_token}`);
    expect(new Set(pairs).size).toBe(1);
    const [fresh = ''] = pairs[0]?.split(' ') ?? [];
    expect([(await other.tools(token)).status, (await other.tools(fresh)).status]).toEqual([200, 200]);
  });

  test('gives tokens on one instance, which are good on both and end on both', async () => {
    const { one, other } = await openOauth();
    const client = (await one.register()).body.client_id;
    const code = await one.code(client);
    const all = [one, other, one, other];
    const redeemed = await Promise.all(all.map((instance) => instance.redeem(client, code)));
    expect(redeemed.filter(({ status }) => status === 200).length).toBeLessThan(2);

    const { access_token: token, refresh_token: old } = await one.connect(client);
    expect((await other.tools(token)).status).toBe(200);
    // Old enough to get a successor.
    await one.ageRefreshTokens(60_000);
    const { tokens } = await other.refresh(client, old);
    expect(tokens.refresh_token).not.toBe(old);
    expect((await one.tools(tokens.access_token)).status).toBe(200);
    await one.ageRefreshTokens(60_000);
    expect((await one.refresh(client, old)).error).toBe('invalid_grant');
    const statuses = () =>
      Promise.all([one, other].map(async (each) => (await each.tools(tokens.access_token)).status));
    await expect.poll(statuses).toEqual([401, 401]);
  });
});
