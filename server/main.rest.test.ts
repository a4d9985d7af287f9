import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { longTable, someDiamonds } from '../testkit/data/diamonds.js';
import { OpenStream } from '../testkit/http/open-stream.js';
import { ownServers } from '../testkit/service/own-servers.js';
import { PREDICT, shown, train, untilLogged, untilTrained } from '../testkit/service/price-model.js';
import { type ServerProcess, startServer } from '../testkit/service/server-process.js';
import { DatabaseSync } from './store/database/sqlite-connection.js';

const { file, start } = ownServers();

describe('a service with a model', () => {
  let folder: string;
  let server: ServerProcess;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'roster-main-'));
    server = await startServer({ databaseFile: join(folder, 'roster.db') });
    await train(server);
    await untilTrained(server);
  });
  afterAll(async () => {
    await server.kill();
    rmSync(folder, { recursive: true });
  });

  async function metric(name: string): Promise<number> {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
  }
  const memory = () => metric('process_resident_memory_bytes');

  test('counts the rows of a stream among the predictions', async () => {
    const stream = new OpenStream(server.url + PREDICT, '');
    stream.write('{}\nno row\n7\n');
    // Two rows, a problem, and the warnings of the rows.
    expect(await stream.end()).toHaveLength(4);
    expect(await metric('roster_rows_predicted_total')).toBe(2);
  });

  test('does not hold a stream in memory, whether its reader pauses or reads', async () => {
    const stream = new OpenStream(server.url + PREDICT, '');
    const lines = '{"carat":0.7,"cut":"Ideal","color":"G"}\n'.repeat(1000);
    const before = await memory();
    // The responses total 120 MB.
    for (let thousands = 0; thousands < 200; thousands += 1) stream.write(lines);
    let most = 0;
    for (let looked = 0; looked < 10; looked += 1) {
      await delay(100);
      most = Math.max(most, await memory());
    }
    const answers = stream.end();
    const reading = setInterval(async () => {
      most = Math.max(most, await memory().catch(() => 0));
    }, 100);
    expect(await answers).toHaveLength(200_000);
    clearInterval(reading);
    expect(most - before).toBeLessThan(100e6);
  });

  test('has a page for each problem with its cause and remedy, and no other pages', async () => {
    const { url } = server;
    const page = await fetch(`${url}/problems/name-taken`);
    expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    const html = await page.text();
    expect(html).toContain('<h1>Name taken</h1>');
    expect(html).toContain('To fix it, choose another name');
    expect((await fetch(`${url}/problems/%3Cscript%3E`)).status).toBe(404);
  });

  test('logs the cause of an internal error, which the response does not show', async () => {
    damageModels(file('roster.db'));
    const damaged = await start();
    const answer = await fetch(damaged.url + PREDICT, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '[{}]',
    });
    expect(answer.status).toBe(500);
    const problem = await answer.text();
    expect(problem).not.toMatch(/damaged|Error:|\.js/);
    await damaged.stop();
    expect(damaged.log.join('\n')).toMatch(/"msg":"internal error"/);
    expect(damaged.log.join('\n')).toMatch(/is damaged in the store/);
  });

  /** Copies the store, with a byte of each trained model changed, as a failing disk would. */
  function damageModels(copy: string): void {
    const original = new DatabaseSync(join(folder, 'roster.db'), { readOnly: true });
    original.exec(`vacuum into '${copy}'`);
    original.close();
    const database = new DatabaseSync(copy);
    database.exec("update model_artifacts set bytes = cast(replace(cast(bytes as text), 'price', 'prize') as blob)");
    database.close();
  }

  test('answers while it trains another one', async () => {
    await train(server, longTable);
    await untilLogged(server, '"version":2');
    for (let asked = 0; asked <= 10; asked += 1) {
      expect(await shown(server)).toMatchObject({ status: 'training' });
    }
  });
});

describe('the log', () => {
  test('has a line for each request, with the id of the response, who asks, no key, and an origin that may not read it', async () => {
    const server = await start({ env: { ALLOWED_ORIGINS: 'https://app.example.com' } });
    const key = `roster_0123456789abcdef_${'s'.repeat(43)}`;
    const headers = { 'User-Agent': `curl/8 ${key}`, 'X-Forwarded-For': '192.0.2.7' };
    await fetch(`${server.url}/projects/${key}?key=${key}`, { headers });
    const answer = await fetch(`${server.url}/projects/default/skills/nobody`, { headers });
    const id = answer.headers.get('X-Request-Id');
    expect(await answer.json()).toMatchObject({ request_id: id });
    const { origin } = new URL(server.url);
    const origins = ['https://other.example.com', 'https://app.example.com', origin, 'null'];
    for (const Origin of origins) await fetch(server.url, { headers: { Origin } });
    await server.stop();
    const lines = server.log.map((line) => JSON.parse(line)).filter(({ req }) => req);
    expect(lines.filter(({ req }) => req.id === id)).toMatchObject([
      {
        operation: 'getSkill',
        res: { statusCode: 404 },
        owner: 'local',
        project: 'default',
        req: { address: '127.0.0.1', forwarded_for: '192.0.2.7', user_agent: 'curl/8 roster_…' },
      },
    ]);
    expect(lines.map((line) => line.refused_origin)).toEqual([
      ...[undefined, undefined],
      ...['https://other.example.com', undefined, undefined, 'null'],
    ]);
    const log = server.log.join('\n');
    expect(log).toContain('"url":"/projects/roster_…"');
    expect(log).not.toContain('sss');
  });
});

describe('a store that another process has locked', () => {
  test('causes 503 for writes, and neither blocks reads nor fails a training', async () => {
    const server = await start();
    // The service may be writing right now.
    const lock = new DatabaseSync(file('roster.db'), { timeout: 30_000 });
    for (let isOver = true; isOver; ) {
      await train(server, someDiamonds(1000));
      lock.exec('begin immediate');
      isOver = (await shown(server))?.status !== 'training';
      if (isOver) lock.exec('rollback');
    }
    const refused = await fetch(`${server.url}/projects`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ project: { name: 'late' } }),
    });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('Retry-After')).toBe('1');
    expect(await refused.json()).toMatchObject({ type: '/problems/service-unavailable' });
    expect((await fetch(`${server.url}/projects`)).status).toBe(200);
    // The training has met the lock at its beginning or at its end.
    while (!server.log.some((line) => line.includes('cannot record a training yet'))) {
      await delay(50);
    }
    lock.exec('rollback');
    lock.close();
    expect(await untilTrained(server)).toMatchObject({ status: 'ready' });
  });
});
