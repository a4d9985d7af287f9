/** Backups and restores of a store beside a service that writes to it, crashes, or starts on the copy. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createRosterClient } from 'roster-client';
import { beforeEach, describe, expect, test } from 'vitest';
import { fewDiamonds } from '../../testkit/data/diamonds.js';
import { ownServers } from '../../testkit/service/own-servers.js';
import { runRoster } from '../../testkit/service/roster-command.js';
import type { ServerProcess } from '../../testkit/service/server-process.js';
import { Store } from '../store/index.js';

const MODEL = '/api/projects/default/models/prices';

const { file, start } = ownServers();
const startOn = (databaseFile: string) => start({ databaseFile });
const folder = () => dirname(file('roster.db'));
const copy = () => file('backups/copy.db');
beforeEach(() => mkdirSync(file('backups')));

const backUp = () => runRoster(['backup', copy()], { DATABASE_URL: `file:${file('roster.db')}` });

const restore = (url = `file:${file('roster.db')}`) => runRoster(['restore', copy()], { DATABASE_URL: url });

const makeStore = async () => (await Store.open(`file:${file('roster.db')}`)).close();

/** Sends JSON, and returns the text of the successful response. */
async function send(method: string, address: string, body: unknown): Promise<string> {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(address, { method, headers, body: JSON.stringify(body) });
  expect(answer.ok).toBe(true);
  return answer.text();
}

async function createSkill({ url }: ServerProcess, name: string): Promise<void> {
  await send('POST', `${url}/projects/default/skills`, { skill: { name, type: 'lookup' } });
}

async function skillNames({ url }: ServerProcess): Promise<string[]> {
  const { data } = await createRosterClient({ baseUrl: url }).GET('/projects/{project_name}/skills', {
    params: { path: { project_name: 'default' } },
  });
  return (data ?? []).map(({ name }) => name);
}

describe('a backup of a store that the service writes to', () => {
  test('has every write that was acknowledged before it began, and no partial write', async () => {
    const server = await start();
    const acknowledged: string[] = [];
    let writing = true;
    const write = async () => {
      while (writing) {
        const name = `skill-${acknowledged.length}`;
        await createSkill(server, name);
        await send('POST', `${server.url}/projects/default/agents`, { agent: { name, skills: [name] } });
        acknowledged.push(name);
      }
    };
    const writer = write();
    while (acknowledged.length < 20) await delay(10);
    const before = [...acknowledged];
    const outcome = await backUp();
    const after = acknowledged.length;
    writing = false;
    await writer;

    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining('checked') });
    expect(after).toBeGreaterThan(before.length);
    const restored = await startOn(copy());
    const kept = await skillNames(restored);
    expect(kept.slice(0, before.length)).toEqual(before);
    expect(await skillNames(server)).toEqual(expect.arrayContaining(kept));
    for (const name of kept.slice(0, -1)) {
      const agent = await fetch(`${restored.url}/projects/default/agents/${name}`);
      expect(await agent.json()).toMatchObject({ skills: [{ name }] });
    }
  });

  test('has what was acknowledged before a crash', async () => {
    const server = await start();
    await createSkill(server, 'lookup');
    await server.kill();
    expect(await backUp()).toMatchObject({ code: 0 });
    expect(await skillNames(await startOn(copy()))).toEqual(['lookup']);
  });
});

describe('a backup that is restored', () => {
  /** Returns everything that the service serves, including predictions. */
  async function answers({ url }: ServerProcess): Promise<string[]> {
    const addresses = ['/projects', '/projects/default/skills', '/projects/default/agents', MODEL];
    const lists = addresses.map(async (address) => (await fetch(url + address)).text());
    const rows = [{ carat: 0.7, cut: 'Ideal' }, { carat: 2 }];
    return [...(await Promise.all(lists)), await send('POST', `${url}${MODEL}/predict`, rows)];
  }

  async function train({ url }: ServerProcess): Promise<void> {
    const headers = { 'Content-Type': 'text/csv' };
    await fetch(`${url}${MODEL}?target=price`, { method: 'PUT', headers, body: fewDiamonds });
    while ((await (await fetch(url + MODEL)).text()).includes('"status":"training"')) await delay(50);
  }

  test('answers as the service did, to the last bit, despite later writes', async () => {
    const server = await start();
    await createSkill(server, 'lookup');
    const agent = { name: 'analyst', skills: ['lookup'], settings: { deep: ['ä', null] } };
    await send('POST', `${server.url}/projects/default/agents`, { agent });
    await train(server);
    const then = await answers(server);
    expect(await backUp()).toMatchObject({ code: 0 });
    await createSkill(server, 'later');
    await server.kill();

    expect(await restore()).toMatchObject({ code: 0, stdout: expect.stringContaining('checked') });
    expect(await answers(await start())).toEqual(then);
  });

  test('leaves the store before it beside it, with all that was written', async () => {
    await makeStore();
    expect(await backUp()).toMatchObject({ code: 0 });
    const server = await start();
    await createSkill(server, 'later');
    await server.kill();
    expect(readdirSync(folder())).toContain('roster.db-wal');

    expect(await restore()).toMatchObject({ code: 0 });
    expect(await skillNames(await start())).toEqual([]);
    const kept = readdirSync(folder()).filter((name) => name.includes('.before-'));
    expect(kept).toEqual([expect.stringMatching(/^roster\.db\.before-\d{8}T\d{9}Z$/)]);
    expect(await skillNames(await startOn(file(kept[0] ?? '')))).toEqual(['later']);
    expect(readdirSync(file('backups'))).toEqual(['copy.db']);
  });

  test('takes the place of a store that is damaged, and of one that is gone', async () => {
    await makeStore();
    expect(await backUp()).toMatchObject({ code: 0 });
    writeFileSync(file('roster.db'), 'no database at all, but long enough to have been one'.repeat(100));
    expect(await restore()).toMatchObject({ code: 0, stdout: expect.stringContaining('.before-') });
    expect(await skillNames(await start())).toEqual([]);

    const elsewhere = file('elsewhere.db');
    const outcome = await restore(`file:${elsewhere}`);
    expect(outcome).toMatchObject({ code: 0, stdout: expect.not.stringContaining('.before-') });
    expect(await skillNames(await startOn(elsewhere))).toEqual([]);
  });
});

test('no backup is restored over a store that a service uses', async () => {
  const server = await start();
  await createSkill(server, 'lookup');
  expect(await backUp()).toMatchObject({ code: 0 });
  const files = readdirSync(folder());
  expect(await restore()).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('a service uses the store'),
  });
  expect(readdirSync(folder())).toEqual(files);
  await createSkill(server, 'still-served');
  expect(await skillNames(server)).toEqual(['lookup', 'still-served']);
});
