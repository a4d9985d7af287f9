/** Tests three instances behind nginx, with the file of `examples/nginx/`. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import {
  agentEvents,
  answered,
  createRosterClient,
  idempotencyKeys,
  type RosterClient,
  retry,
} from 'roster-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chunk, DONE } from '../../testkit/chat/reply.js';
import {
  openScriptedChatServer,
  type ScriptedChatServer,
} from '../../testkit/chat/scripted-chat-server.js';
import { freePort } from '../../testkit/http/free-port.js';
import { OpenStream } from '../../testkit/http/open-stream.js';
import { type Nginx, NO_NGINX, nginxOfThisMachine, startNginx } from '../../testkit/nginx.js';
import { trainPrices } from '../../testkit/service/train-prices.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';
import { type Instance, startInstance } from './instance.js';

const SKILLS = '/projects/{project_name}/skills';
const AGENTS = '/projects/{project_name}/agents';
const STREAM = '/projects/{project_name}/agents/{agent_name}/completions/stream';

const program = nginxOfThisMachine();

let database: PostgresDatabase;
let chat: ScriptedChatServer;
let ports: number[];
let instances: Instance[];
let nginx: Nginx;
beforeAll(async () => {
  if (program === undefined) return;
  database = await startPostgres();
  chat = await openScriptedChatServer([]);
  ports = await Promise.all([freePort(), freePort(), freePort()]);
  instances = [];
  for (const port of ports) instances.push(await start(port));
  nginx = await startNginx(program, ports, '500ms');
});
beforeEach(({ skip }) => skip(program === undefined, NO_NGINX));
afterAll(async () => {
  if (program === undefined) return;
  await nginx?.stop();
  await Promise.all(instances.map((instance) => instance.kill()));
  await chat.close();
  await database.remove();
});

function start(port: number): Promise<Instance> {
  const env = { DATABASE_URL: database.url, CHAT_URL: chat.url, CHAT_MODEL: 'scripted' };
  return startInstance({
    env: { ...env, PORT: String(port), DRAIN_SECONDS: '1', RATE_LIMIT: '0' },
  });
}

/** Returns a table of prices with so long a note in each row that it has the given size. */
function tableOf(bytes: number): string {
  const rows = 100;
  const note = 'x'.repeat(bytes / rows);
  const lines = Array.from({ length: rows }, (_, row) => `${row},${note}${row % 3},${row * 7}`);
  return `carat,note,price\n${lines.join('\n')}\n`;
}

describe('through the proxy', () => {
  test('a table of more than 3 MB trains, and a stream of rows is answered row by row', async () => {
    const roster = createRosterClient({ baseUrl: nginx.url });
    const path = { projectName: 'default', modelName: 'prices' };
    const model = await trainPrices(roster, path, tableOf(3.5e6));
    expect(model.status).toBe('ready');
    const rows = new OpenStream(`${nginx.url}/api/projects/default/models/prices/predict`, '');
    for (const carat of [1, 2]) {
      rows.write(`{"carat":${carat}}\n`);
      expect(await rows.next()).toMatchObject({ carat });
    }
    await rows.end();
  });

  test('the numbers of all owners are hidden, and a resource of their name is not', async () => {
    const roster = createRosterClient({ baseUrl: nginx.url });
    const params = { path: { project_name: 'default' } };
    const skill = { name: 'metrics', type: 'lookup' };
    await answered(roster.POST(SKILLS, { params, body: { skill } }));
    const statusOf = async (path: string) => (await fetch(nginx.url + path)).status;
    expect(await statusOf('/projects/default/skills/metrics')).toBe(200);
    for (const path of ['/metrics', '/metrics/', '/api/metrics']) {
      expect(await statusOf(path)).toBe(404);
    }
    const path = { ...params.path, skill_name: skill.name };
    await roster.DELETE(`${SKILLS}/{skill_name}`, { params: { path } });
  });

  test('the events of an answer arrive before its end', async () => {
    const roster = createRosterClient({ baseUrl: nginx.url });
    const names = { project_name: 'default', agent_name: 'analyst' };
    const agent = { name: names.agent_name };
    await answered(roster.POST(AGENTS, { params: { path: names }, body: { agent } }));
    const goOn = new AbortController();
    chat.play([
      {
        body: (async function* () {
          yield chunk({ role: 'assistant', content: 'First' });
          await once(goOn.signal, 'abort');
          yield chunk({ content: ', last.' });
          yield chunk({}, 'stop');
          yield DONE;
        })(),
      },
    ]);
    const body = { messages: [{ question: 'Which?' }] };
    const events = agentEvents((streamed) =>
      roster.POST(STREAM, { ...streamed, params: { path: names }, body }),
    );
    const received: string[] = [];
    for await (const event of events) {
      const text = JSON.stringify(event);
      received.push(text);
      if (text.includes('First')) goOn.abort();
    }
    expect(received.join()).toContain('last.');
  });
});

describe('a restart of one instance after the other', () => {
  test('fails no request of a client that retries, and no read at all', async () => {
    const roster = createRosterClient({ baseUrl: nginx.url });
    roster.use(idempotencyKeys(), retry());
    const params = { path: { project_name: 'default' } };
    const failures: string[] = [];
    const written: string[] = [];
    let reads = 0;
    let isOver = false;
    const read = async () => {
      while (!isOver) {
        const { status } = await fetch(`${nginx.url}/projects/default/skills?limit=1`);
        if (status !== 200) failures.push(`a read: ${status}`);
        reads += 1;
        await pause(20);
      }
    };
    const write = async (writer: number) => {
      while (!isOver) {
        const name = `skill_${writer}_${written.length}`;
        const body = { skill: { name, type: 'lookup' } };
        const { response } = await roster.POST(SKILLS, { params, body });
        if (response.status !== 201) failures.push(`a write: ${response.status}`);
        written.push(name);
        await pause(20);
      }
    };
    const callers = [read(), read(), write(0), write(1)];
    for (const [index, port] of ports.entries()) {
      expect(await instances[index]?.stop()).toBe(0);
      instances[index] = await start(port);
    }
    isOver = true;
    await Promise.all(callers);
    expect(failures).toEqual([]);
    expect(reads).toBeGreaterThan(0);
    expect((await namesOf(roster)).sort()).toEqual(written.sort());
  });
});

async function namesOf(roster: RosterClient): Promise<string[]> {
  const params = { path: { project_name: 'default' } };
  return (await answered(roster.GET(SKILLS, { params }))).map(({ name }) => name);
}
