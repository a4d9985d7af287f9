/** Tests three instances behind nginx, with the file of `examples/nginx/`. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import {
  agentEvents,
  answered,
  createRoster,
  createRosterClient,
  idempotencyKeys,
  ProblemError,
  predictFile,
  retry,
} from 'roster-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ChatReply, chunk, DONE, says, stream } from '../../testkit/chat/reply.js';
import { openScriptedChatServer, type ScriptedChatServer } from '../../testkit/chat/scripted-chat-server.js';
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
  return startInstance({ env: { ...env, PORT: String(port), DRAIN_SECONDS: '1', RATE_LIMIT: '0' } });
}

/** The calls of each kind, most of them while an instance restarts. */
const ENOUGH_CALLS = 3;

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
    const events = agentEvents((streamed) => roster.POST(STREAM, { ...streamed, params: { path: names }, body }));
    const received: string[] = [];
    for await (const event of events) {
      const text = JSON.stringify(event);
      received.push(text);
      if (text.includes('First')) goOn.abort();
    }
    expect(received.join()).toContain('last.');
  });
});

describe('through two proxies', () => {
  const question = { jsonrpc: '2.0', id: 7, method: 'tools/call' };
  const params = { name: 'ask_adviser', arguments: { question: 'How much?' }, _meta: { progressToken: 1 } };
  const silent: ChatReply = { ...stream(chunk({ content: 'Let me' })), end: 'silence' };

  test('the events of a tool arrive before its end, and any instance cancels it', async () => {
    const { port } = new URL(nginx.url);
    const outer = await startNginx(program ?? '', [Number(port), Number(port), Number(port)], '500ms');
    try {
      const roster = createRosterClient({ baseUrl: outer.url });
      const path = { project_name: 'default' };
      await answered(roster.POST(AGENTS, { params: { path }, body: { agent: { name: 'adviser' } } }));
      chat.play([silent]);
      const send = (origin: string, message: object) =>
        fetch(`${origin}/mcp`, {
          method: 'POST',
          headers: {
            Accept: 'application/json, text/event-stream',
            'Content-Type': 'application/json',
            'MCP-Protocol-Version': '2025-11-25',
            'Mcp-Session-Id': 'two-proxies',
          },
          body: JSON.stringify(message),
        });
      const { body } = await send(outer.url, { ...question, params });
      const events = body?.pipeThrough(new TextDecoderStream()).getReader();
      // The chat server sends nothing more, so that no later byte pushes this one.
      expect((await events?.read())?.value).toContain('The agent \\"adviser\\" begins.');
      await expect.poll(() => chat.requests.at(-1)?.body.messages.at(-1)?.content).toBe('How much?');
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: question.id } };
      // It goes to the next instance, which need not be the one that runs the call.
      expect((await send(outer.url, cancelled)).status).toBe(202);
      expect(await chat.requests.at(-1)?.outcome).toBe('aborted by the client');
      while ((await events?.read())?.done === false);
    } finally {
      await outer.stop();
    }
  });
});

describe('an instance that is frozen', () => {
  let impatient: Nginx;
  beforeEach(async () => {
    impatient = await startNginx(program ?? '', ports, '500ms', '2s');
  });
  afterEach(async () => {
    for (const { pid } of instances) process.kill(pid, 'SIGCONT');
    await impatient.stop();
  });

  test('holds no read, which another answers, and has no write done twice', async () => {
    const roster = createRosterClient({ baseUrl: impatient.url });
    const path = { projectName: 'default', modelName: 'frozen' };
    await trainPrices(roster, path);
    const [frozen] = instances;
    if (frozen) process.kill(frozen.pid, 'SIGSTOP');
    const addresses = ['/projects/default/skills', '/api/projects/default/models/frozen', '/health/ready', '/me'];
    const reads = Array.from({ length: 24 }, (_, index) => fetch(impatient.url + addresses[index % 4]));
    const statuses = (await Promise.all(reads)).map(({ status }) => status);
    expect(statuses).toEqual(statuses.map(() => 200));

    const shop = createRoster({ baseUrl: impatient.url });
    shop.client.use(idempotencyKeys(), retry());
    const names = Array.from({ length: 12 }, (_, index) => `frozen_${index}`);
    const created = await Promise.allSettled(names.map((name) => shop.skills.create({ name, type: 'lookup' })));
    if (frozen) process.kill(frozen.pid, 'SIGCONT');
    // A client that gives up sends it again, under the same name.
    for (const [index, { status }] of created.entries()) {
      const name = names[index] ?? '';
      if (status === 'rejected') await shop.skills.create({ name, type: 'lookup' }).catch(() => {});
    }
    const listed = async () =>
      (await shop.skills.list()).map(({ name }) => name).filter((name) => name.startsWith('frozen_'));
    await expect.poll(listed).toHaveLength(names.length);
    expect((await listed()).sort()).toEqual(names.toSorted());
    for (const name of names) await shop.skills.delete(name);
  });
});

/** Answers of a stop to a stream that outlasts its drain, and to who asks before its end, as on a slow machine. */
const ASKS_AGAIN = /The service is stopping; |\/problems\/conversation-busy/;

/** Does a work again for as long as it is asked for it. */
async function untilDone(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const said = error instanceof ProblemError ? error.problem.type : '';
      if (!ASKS_AGAIN.test(`${error} ${said}`)) throw error;
    }
    await pause(20);
  }
}

describe('a restart of one instance after the other', () => {
  test('fails no request of a client that retries, does none twice, and fails no read at all', async () => {
    const shop = createRoster({ baseUrl: nginx.url });
    shop.client.use(idempotencyKeys(), retry());
    chat.play(() => says('It is ', 'new.'));
    const path = { projectName: 'default', modelName: 'fares' };
    await trainPrices(shop.client, path);
    await shop.chatbots.create({ name: 'desk' });
    const { id } = await shop.conversations.create('desk', {});
    const rows = Array.from({ length: 50 }, (_, row) => `{"carat":${row}}\n`).join('');
    const calls: Record<string, (name: string) => Promise<unknown>> = {
      'a read': async () => {
        const { status } = await fetch(`${nginx.url}/projects/default/skills?limit=1`);
        expect(status).toBe(200);
      },
      'a creation': (name) => shop.skills.create({ name, type: 'lookup' }),
      'a prediction': async () => {
        expect(await shop.models.predict(path.modelName, [{ carat: 1 }])).toHaveLength(1);
      },
      'a stream of rows': () =>
        untilDone(async () => {
          const { body } = await predictFile(shop.client, path, new File([rows], 'new.ndjson'));
          expect((await new Response(body).text()).match(/"price":/g)).toHaveLength(50);
        }),
      'a message, answered in events': async (content) => {
        let question: string | undefined;
        await untilDone(async () => {
          const events =
            question === undefined
              ? shop.messages.sendEvents('desk', id, { content })
              : shop.messages.replyToEvents('desk', id, question);
          for await (const event of events) {
            if (!('type' in event)) continue;
            if (event.type === 'start') question = event.message_id;
            if (event.type === 'error') throw new Error(event.content);
          }
        });
      },
    };
    const done = new Map(Object.keys(calls).map((kind): [string, string[]] => [kind, []]));
    const failures: string[] = [];
    let isOver = false;
    const callers = Object.entries(calls).map(async ([kind, call]) => {
      const names = done.get(kind) ?? [];
      // On a slow machine, a call may take as long as the restarts.
      while (!isOver || names.length <= ENOUGH_CALLS) {
        const name = `${kind.length}_${names.length}`;
        await call(name).catch((error: unknown) => failures.push(`${kind}: ${error}`));
        names.push(name);
        await pause(20);
      }
    });
    for (const [index, port] of ports.entries()) {
      expect(await instances[index]?.stop()).toBe(0);
      instances[index] = await start(port);
    }
    isOver = true;
    await Promise.all(callers);
    expect(failures).toEqual([]);
    const created = (await shop.skills.list()).map(({ name }) => name);
    expect(created.sort()).toEqual(done.get('a creation')?.toSorted());
    const messages = (await shop.messages.list('desk', id)).map(({ role, content }) =>
      role === 'user' ? content : role,
    );
    const asked = done.get('a message, answered in events') ?? [];
    expect(messages).toEqual(asked.flatMap((content) => [content, 'assistant']));
  });
});
