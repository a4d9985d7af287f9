import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { createRosterClient, type RosterClient } from 'roster-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OpenStream } from '../contract-tests/open-stream.js';
import { readAnswer } from '../contract-tests/raw-exchange.js';
import { freePort } from '../contract-tests/targets/free-port.js';
import { makeKey } from '../contract-tests/targets/keys.js';
import {
  type ServerOptions,
  type ServerProcess,
  startServer,
} from '../contract-tests/targets/server-process.js';
import { checkedSharedAnswer } from '../contract-tests/wire.js';

const DIAMONDS = readFileSync(new URL('../datasets/diamonds.csv', import.meta.url), 'utf8');
const model = { projectName: 'default', modelName: 'diamond_prices' };
const MODEL = '/api/projects/{projectName}/models/{modelName}';

let folder: string;
let running: ServerProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-process-'));
});
afterEach(async () => {
  await Promise.all(running.map((server) => server.kill()));
  running = [];
  await rm(folder, { recursive: true });
});

/** Starts the service on the test's own database file. */
async function start(options: ServerOptions = {}): Promise<ServerProcess> {
  const server = await startServer({ databaseFile: join(folder, 'roster.db'), ...options });
  running.push(server);
  return server;
}

const client = ({ url }: ServerProcess) => createRosterClient({ baseUrl: url });

/** The first lines of the diamonds, as many as make a training of a wanted length. */
const diamonds = (rows: number) =>
  DIAMONDS.split('\n')
    .slice(0, rows + 1)
    .join('\n');

function train(roster: RosterClient, table = diamonds(2000)) {
  return roster.PUT(MODEL, {
    params: { path: model, query: { target: 'price' } },
    body: table,
    headers: { 'Content-Type': 'text/csv' },
  });
}

async function untilTrained(roster: RosterClient) {
  for (;;) {
    const { data } = await roster.GET(MODEL, { params: { path: model } });
    if (data?.status !== 'training') return data;
    await delay(50);
  }
}

async function untilLogged({ log }: ServerProcess, message: string): Promise<void> {
  while (!log.some((line) => line.includes(`"msg":"${message}"`))) await delay(10);
}

async function predictionText(server: ServerProcess): Promise<string> {
  const answer = await fetch(`${server.url}/api/projects/default/models/diamond_prices/predict`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify([{ carat: 0.7, cut: 'Ideal', color: 'G', x: 5.7 }, { carat: 2 }]),
  });
  expect(answer.status).toBe(200);
  return answer.text();
}

describe('a restart', () => {
  test('keeps every resource, and the model answers the same to the last bit', async () => {
    const before = await start();
    const roster = client(before);
    const params = { path: { project_name: 'default' } };
    await roster.POST('/projects', { body: { project: { name: 'second' } } });
    await roster.POST('/projects/{project_name}/skills', {
      params,
      body: { skill: { name: 'lookup', type: 'sql', params: { deep: { list: [1, null, 'ä'] } } } },
    });
    await roster.POST('/projects/{project_name}/agents', {
      params,
      body: { agent: { name: 'analyst', skills: ['lookup'], settings: { temperature: 0.1 } } },
    });
    await roster.POST('/projects/{project_name}/chatbots', {
      params,
      body: { chatbot: { name: 'desk', agent_name: 'analyst' } },
    });
    await train(roster);
    await untilTrained(roster);
    const kept = await everything(before);
    const predictions = await predictionText(before);
    expect(await before.stop()).toBe(0);

    const after = await start();
    expect(await everything(after)).toEqual(kept);
    expect(await predictionText(after)).toBe(predictions);
  });

  async function everything({ url }: ServerProcess): Promise<unknown[]> {
    const addresses = [
      '/projects',
      '/projects/default/skills',
      '/projects/default/agents',
      '/projects/default/chatbots',
      '/api/projects/default/models',
    ];
    const lists = await Promise.all(
      addresses.map(async (address) => (await fetch(url + address)).json()),
    );
    expect(lists).toMatchObject([[{}, {}], [{}], [{}], [{}], [{}]]);
    return lists;
  }
});

describe('a stop', () => {
  /** Sends a request but for the end of its body, and waits until the service has begun with it. */
  async function begin(server: ServerProcess, method: string, path: string, body: string) {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const received = { text: '' };
    socket.on('data', (chunk) => {
      received.text += chunk;
    });
    socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    );
    while (!received.text.includes('100 Continue')) await delay(10);
    return { socket, received, rest: body.slice(10) };
  }

  test('lets a request that has begun end, and keeps what it did', async () => {
    const server = await start();
    const body = JSON.stringify({ skill: { name: 'late', type: 'sql' } });
    const path = '/projects/default/skills';
    const { socket, received, rest } = await begin(server, 'POST', path, body);
    const stopped = server.stop();
    await untilLogged(server, 'stopping');
    socket.end(rest);
    expect(await stopped).toBe(0);
    expect(received.text).toContain('HTTP/1.1 201 Created');

    const skills = await fetch((await start()).url + path);
    expect(await skills.json()).toMatchObject([{ name: 'late' }]);
  });

  test('sends away, as a problem, what comes on an open connection after it', async () => {
    const server = await start();
    const path = '/projects/default/chatbots/a';
    const { socket, received, rest } = await begin(server, 'PUT', path, '{"chatbot":{}}');
    const stopped = server.stop();
    await untilLogged(server, 'stopping');
    socket.write(`${rest}GET /projects HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect(await stopped).toBe(0);
    expect(received.text).toContain('HTTP/1.1 201 Created');
    expect(received.text).toContain('HTTP/1.1 503 Service Unavailable');
    expect(received.text).toContain('Retry-After: 1');
    expect(received.text).toContain('"type":"/problems/service-unavailable"');
  });

  test('ends a stream with a line that says so, rather than wait for its end', async () => {
    const server = await start();
    await train(client(server));
    await untilTrained(client(server));
    const stream = new OpenStream(
      `${server.url}/api/projects/default/models/diamond_prices/predict`,
      '',
    );
    stream.write('{"carat":1}\n{"carat":');
    expect(await stream.next()).toMatchObject({ carat: 1 });
    const stopped = server.stop();
    expect(await stream.next()).toMatchObject({
      problem: { type: '/problems/service-unavailable' },
    });
    expect(await stream.next()).toBeUndefined();
    stream.break();
    expect(await stopped).toBe(0);
  });

  test('interrupts a training, which the next start takes up again', async () => {
    const before = await start();
    const { data } = await train(client(before), DIAMONDS);
    expect(data?.status).toBe('training');
    expect(await before.stop()).toBe(0);

    const after = await untilTrained(client(await start()));
    expect(after).toMatchObject({ status: 'ready', version: 1, serving_version: 1 });
  });
});

describe('a crash', () => {
  test('during a training loses neither the table nor the version before', async () => {
    const before = await start();
    await train(client(before));
    await untilTrained(client(before));
    const predictions = await predictionText(before);
    const { data } = await train(client(before), DIAMONDS);
    expect(data).toMatchObject({ status: 'training', version: 2, serving_version: 1 });
    await before.kill();

    const after = await start();
    expect(await predictionText(after)).toBe(predictions);
    expect(await untilTrained(client(after))).toMatchObject({
      status: 'ready',
      serving_version: 2,
    });
  });

  test('that comes again with each attempt ends in a failure with its reason', async () => {
    let server = await start();
    await train(client(server), DIAMONDS);
    for (let crashes = 0; crashes < 3; crashes++) {
      await untilLogged(server, 'training');
      await server.kill();
      server = await start();
    }
    const after = await untilTrained(client(server));
    expect(after?.status).toBe('failed');
    expect(after?.failure).toContain('cut short 3 times');
  });
});

describe('a training', () => {
  test('leaves other requests answered while it runs', async () => {
    const roster = client(await start());
    await train(roster, DIAMONDS);
    let answered = 0;
    for (;;) {
      const { data } = await roster.GET(MODEL, { params: { path: model } });
      if (data?.status !== 'training') break;
      answered += 1;
    }
    expect(answered).toBeGreaterThan(10);
  });
});

describe('a stream', () => {
  /** In bytes, as the service tells it. */
  async function memory({ url }: ServerProcess): Promise<number> {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1]);
  }

  test('is not held in memory, whether its reader rests or reads', async () => {
    const server = await start();
    await train(client(server));
    await untilTrained(client(server));
    const stream = new OpenStream(
      `${server.url}/api/projects/default/models/diamond_prices/predict`,
      '',
    );
    const lines = '{"carat":0.7,"cut":"Ideal","color":"G"}\n'.repeat(1000);
    const before = await memory(server);
    // Their answers have 120 MB.
    for (let thousands = 0; thousands < 200; thousands += 1) stream.write(lines);
    let most = 0;
    for (let looked = 0; looked < 10; looked += 1) {
      await delay(100);
      most = Math.max(most, await memory(server));
    }
    const answers = stream.end();
    const reading = setInterval(async () => {
      most = Math.max(most, await memory(server).catch(() => 0));
    }, 100);
    expect(await answers).toHaveLength(200_000);
    clearInterval(reading);
    expect(most - before).toBeLessThan(100e6);
  });
});

describe('a start', () => {
  async function refusal(options: ServerOptions): Promise<string> {
    const failure = await start(options).then(
      () => new Error('it started'),
      (error: unknown) => error,
    );
    return failure instanceof Error ? failure.message : '';
  }

  test('with a malformed variable ends with one line that names it', async () => {
    const words = await refusal({ env: { PORT: 'many' } });
    expect(words).toMatch(/ended with 1:\nRoster did not start: PORT must be [^\n]*$/);
  });

  test('at a port that is taken ends with one line that says so', async () => {
    const { port } = new URL((await start()).url);
    const words = await refusal({
      env: { PORT: port },
      databaseFile: join(folder, 'another.db'),
    });
    expect(words).toMatch(
      /\nRoster did not start: .* PORT \d+: address already in use; stop what listens there, or choose another PORT\n?$/,
    );
  });

  test('on a PostgreSQL that is not there asks whether it runs', async () => {
    const words = await refusal({
      env: { DATABASE_URL: `postgres://roster:s3cret@127.0.0.1:${await freePort()}/roster` },
    });
    expect(words).toMatch(/\nRoster did not start: .*; is PostgreSQL running there\?\n?$/);
    expect(words).not.toContain('s3cret');
  });

  test.each(['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])(
    'with a malformed %s ends with one line that names it',
    async (name) => {
      for (const address of ['localhost:4318', 'http://', 'ftp://localhost']) {
        expect(await refusal({ env: { [name]: address } })).toMatch(
          new RegExp(`\nRoster did not start: ${name} must be [^\n]*http://[^\n]*\n?$`),
        );
      }
    },
  );

  test('on a file that is no database ends with one line that says so', async () => {
    const words = await refusal({ databaseFile: new URL('../LICENSE', import.meta.url).pathname });
    expect(words).toMatch(/\nRoster did not start: .*not a database[^\n]*$/);
  });
});

describe('BASE_PATH', () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServer({ env: { BASE_PATH: '/v1/roster' } });
  });
  afterAll(() => server.stop());

  test('puts every address behind it, and itself into Location and Link', async () => {
    const { origin } = new URL(server.url);
    expect(server.url).toBe(`${origin}/v1/roster`);
    const post = await fetch(`${server.url}/api/projects/default/skills`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ skill: { name: 'lookup', type: 'sql' } }),
    });
    const location = post.headers.get('Location');
    expect(location).toBe('/v1/roster/api/projects/default/skills/lookup');
    expect((await fetch(`${origin}${location}`)).status).toBe(200);
  });

  test('leaves nothing but the explanations of problems outside', async () => {
    const { origin } = new URL(server.url);
    const outside = await fetch(`${origin}/projects`);
    expect(outside.status).toBe(404);
    const type = '/problems/unknown-address';
    expect(await outside.json()).toMatchObject({ type });
    expect((await fetch(origin + type)).status).toBe(200);
  });
});

/** Changes a byte of each trained model, as a failing disk would. */
function damageModels(file: string): void {
  const database = new SqliteDatabase(file);
  database.exec(
    "update model_artifacts set bytes = cast(replace(cast(bytes as text), 'price', 'prize') as blob)",
  );
  database.close();
}

describe('the log', () => {
  test('has a line for each request, under the id that the answer carries', async () => {
    const server = await start();
    const answer = await fetch(`${server.url}/projects/default/skills/nobody`);
    const id = answer.headers.get('X-Request-Id');
    expect(await answer.json()).toMatchObject({ request_id: id });
    await server.stop();
    const lines = server.log.map((line) => JSON.parse(line)).filter(({ req }) => req?.id === id);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ operation: 'getSkill', res: { statusCode: 404 } });
  });

  test('has no key that was put into the address by mistake', async () => {
    const server = await start();
    const key = `roster_0123456789abcdef_${'s'.repeat(43)}`;
    await fetch(`${server.url}/projects/${key}?key=${key}`);
    await server.stop();
    const log = server.log.join('\n');
    expect(log).toContain('"url":"/projects/roster_…"');
    expect(log).not.toContain('sss');
  });

  test('has the cause of an internal error, of which the answer shows nothing', async () => {
    const server = await start();
    await train(client(server));
    await untilTrained(client(server));
    await server.stop();
    damageModels(join(folder, 'roster.db'));

    const after = await start();
    const answer = await fetch(`${after.url}/api/projects/default/models/diamond_prices/predict`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '[{}]',
    });
    expect(answer.status).toBe(500);
    const problem = await answer.text();
    expect(problem).not.toMatch(/damaged|Error:|\.js/);
    await after.stop();
    expect(after.log.join('\n')).toMatch(/"msg":"internal error"/);
    expect(after.log.join('\n')).toMatch(/is damaged in the store/);
  });
});

describe('an upload that is refused before it is read', () => {
  test('ends nothing but itself when it is too large', async () => {
    const server = await start({ env: { MAX_TABLE: '1000' } });
    const refused = await fetch(`${server.url}/api/projects/nowhere/models/m?target=y`, {
      method: 'PUT',
      headers: { 'Content-Type': 'text/csv' },
      body: new Blob(['x,y\n'.repeat(10_000)]).stream(),
      duplex: 'half',
    });
    expect(refused.status).toBe(404);
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
  });

  test('is told how large a table of CSV may be, whether its length is told or not', async () => {
    const server = await start({ env: { MAX_TABLE: '1000' } });
    const train = (body: string | ReadableStream<Uint8Array>, init: RequestInit = {}) =>
      fetch(`${server.url}/api/projects/default/models/m?target=y`, {
        ...{ method: 'PUT', headers: { 'Content-Type': 'text/csv' }, body, ...init },
      });
    const large = 'x,y\n'.repeat(300);
    for (const refused of [
      await train(large),
      await train(new Blob([large]).stream(), { duplex: 'half' }),
    ]) {
      expect(refused.status).toBe(413);
      expect(await refused.text()).toContain('more than 1000 bytes');
    }
    const rows = Array.from({ length: 100 }, (_, row) => `${row},${row}`);
    expect((await train(`x,y\n${rows.join('\n')}`)).status).toBe(202);
  });

  test('ends nothing but itself when it breaks off', async () => {
    const server = await start();
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(
      'PUT /api/projects/nowhere/models/m?target=y HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: 100000\r\n\r\nx,y\n',
    );
    await once(socket, 'data');
    socket.resetAndDestroy();
    await delay(100);
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
  });
});

describe('what is no HTTP', () => {
  async function answerTo(bytes: string): Promise<string> {
    const { url } = await start();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.end(bytes);
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    await checkedSharedAnswer(readAnswer(answer));
    return answer;
  }

  test.each([
    ['garbage', 'HELLO\r\n\r\n'],
    ['a TLS connection', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a length and chunks', smuggled('Content-Length: 5\r\nTransfer-Encoding: chunked')],
    ['chunks and a length', smuggled('Transfer-Encoding: chunked\r\nContent-Length: 5')],
    ['two lengths', smuggled('Content-Length: 5\r\nContent-Length: 6')],
    ['two lengths in one header', smuggled('Content-Length: 5, 6')],
    ['a length with a sign', smuggled('Content-Length: +5')],
    ['a length in hexadecimal', smuggled('Content-Length: 0x5')],
    ['an unknown transfer encoding', smuggled('Transfer-Encoding: xchunked')],
    ['chunks that are not the last encoding', smuggled('Transfer-Encoding: chunked, identity')],
    ['a space before the colon', smuggled('Transfer-Encoding : chunked')],
    ['a folded header', smuggled('Transfer-Encoding:\r\n chunked\r\nContent-Length: 5')],
    ['a line that ends in LF alone', smuggled('X: a\nContent-Length: 5')],
    ['a zero byte in a header', smuggled('X: a\0b')],
  ])('such as %s is answered with a problem, and once', async (_, bytes) => {
    const answer = await answerTo(bytes);
    expect(answer).toMatch(
      /^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json/,
    );
    expect(answer).toContain('"type":"/problems/unreadable-request"');
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  test('headers that are too large are told so', async () => {
    const answer = await answerTo(`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
    expect(answer).toContain('"type":"/problems/headers-too-large"');
  });

  test('headers that do not end are waited for only so long', async () => {
    const { url } = await start();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('GET /projects HTTP/1.1\r\nHost: x\r\nX: ');
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    await checkedSharedAnswer(readAnswer(answer));
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answer).toContain('"type":"/problems/request-timeout"');
  });
});

/** A request with another behind it, for who reads the first one's length in another way. */
function smuggled(headers: string): string {
  return `POST /projects HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n0\r\n\r\nGET /projects HTTP/1.1\r\nHost: x\r\n\r\n`;
}

describe('a host that other machines can reach', () => {
  test('is refused as long as there is no key, with a line that says what to do', async () => {
    for (const HOST of ['0.0.0.0', '::']) {
      await expect(start({ env: { HOST } })).rejects.toThrow(
        /Roster did not start: HOST .* there is no key yet .* roster keys create/,
      );
    }
  });

  test('is served once there is a key, and to its holder alone', async () => {
    const key = await makeKey(`file:${join(folder, 'roster.db')}`, ['--name', 'first']);
    const { url } = await start({ env: { HOST: '0.0.0.0' } });
    const local = url.replace('0.0.0.0', '127.0.0.1');
    expect((await fetch(`${local}/projects`)).status).toBe(401);
    const headers = { Authorization: `Bearer ${key}` };
    expect((await fetch(`${local}/projects`, { headers })).status).toBe(200);
  });
});

describe('a store that another process has locked', () => {
  test('is 503 to those who write, and neither stops the others nor fails a training', async () => {
    const server = await start();
    await train(client(server), diamonds(1000));
    const lock = new SqliteDatabase(join(folder, 'roster.db'));
    lock.exec('begin immediate');
    const refused = await fetch(`${server.url}/projects`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ project: { name: 'late' } }),
    });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('Retry-After')).toBe('1');
    expect(await refused.json()).toMatchObject({ type: '/problems/service-unavailable' });
    expect((await fetch(`${server.url}/projects`)).status).toBe(200);
    // Whether the training was about to begin or to end, it has met the lock.
    while (!server.log.some((line) => line.includes('takes no note of a training yet'))) {
      await delay(50);
    }
    lock.exec('rollback');
    lock.close();
    expect(await untilTrained(client(server))).toMatchObject({ status: 'ready' });
  });
});

describe('/problems', () => {
  test('has a page for each problem, that says what happened and how to mend it', async () => {
    const { url } = await start();
    const page = await fetch(`${url}/problems/name-taken`);
    expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    const html = await page.text();
    expect(html).toContain('<h1>Name taken</h1>');
    expect(html).toContain('To mend it, choose another name');
  });

  test('has no other pages', async () => {
    const { url } = await start();
    expect((await fetch(`${url}/problems/%3Cscript%3E`)).status).toBe(404);
  });
});
