/** Alarms of models, as the operator hears of them: signed, at least once, and in general by one instance. */
import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DatabaseSync } from '../../server/store/database/sqlite-connection.js';
import { ask } from '../../testkit/http/client.js';
import { serveOnLoopback } from '../../testkit/http/loopback-server.js';
import { ownServers } from '../../testkit/service/own-servers.js';
import { train, untilLogged, untilTrained } from '../../testkit/service/price-model.js';
import type { ServerProcess } from '../../testkit/service/server-process.js';
import { connectTo } from '../../testkit/store/own-store.js';
import { startPostgres } from '../../testkit/store/postgres-database.js';

const MODEL = '/api/projects/default/models/diamond_prices';
const SECRET = 'operators-own-secret';

const servers = ownServers();

interface Heard {
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

/** A server of the operator, which answers with each of some statuses in turn, and then with the last. */
async function listenForAlarms(...statuses: number[]) {
  const heard: Heard[] = [];
  const server = await serveOnLoopback(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    heard.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.statusCode = (statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 204;
    response.setHeader('Location', '/elsewhere');
    response.end();
  });
  return { heard, server };
}

/** Breaks promises until the alarm of the model is raised. */
async function raiseAlarm({ url }: ServerProcess): Promise<void> {
  const rows = Array.from({ length: 100 }, (_, row) => ({ carat: 0.3 + row / 100 }));
  const query = 'remember=true&confidence=0.9';
  const body = await ask('POST', `${url}${MODEL}/predict?${query}`, rows);
  const ids = Array.isArray(body) ? body.map((row) => String(row['__service_row_id'])) : [];
  const truths = ids.map((id) => ({ __service_row_id: id, price: '1000000' }));
  const added = await ask('POST', `${url}${MODEL}/actuals`, truths);
  expect(added).toMatchObject({ matched: 100 });
  const record = await ask('GET', `${url}${MODEL}/record`);
  expect(record).toMatchObject({ alarm: { raised: true } });
}

/** Makes the next try of alarms due. */
function endWaits(): void {
  const database = new DatabaseSync(servers.file('roster.db'));
  database.exec('pragma busy_timeout = 30000');
  database.exec('update records set claimed_until = 0');
  database.close();
}

test('an alarm is sent signed, and again until it is taken, also after a crash', async () => {
  const { heard, server } = await listenForAlarms(503, 302, 204);
  try {
    const env = { ALARM_URL: `${server.origin}/alarms?of=roster`, ALARM_SECRET: SECRET };
    const first = await servers.start({ env });
    await train(first);
    await untilTrained(first);
    await raiseAlarm(first);
    await untilLogged(first, 'its alarm is raised');
    await untilLogged(first, 'ALARM_URL answered with status 503');
    await first.kill();
    const second = await servers.start({ env });
    endWaits();
    await untilLogged(second, 'ALARM_URL answered with status 302');
    endWaits();
    await expect.poll(() => heard.length).toBe(3);
    for (const { headers, body } of heard) {
      const id = String(headers['webhook-id']);
      const time = String(headers['webhook-timestamp']);
      expect(Math.abs(Date.now() / 1000 - Number(time))).toBeLessThan(300);
      const signed = createHmac('sha256', SECRET).update(`${id}.${time}.${body}`).digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${signed}`);
      expect(JSON.parse(body)).toMatchObject({
        type: 'model.alarm',
        data: { owner: 'local', project: 'default', model: 'diamond_prices', version: 1, kept: 0 },
      });
    }
    expect(new Set(heard.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const metrics = await (await fetch(`${second.url}/metrics`)).text();
    expect(metrics).toMatch(/^roster_alarms_raised 1$/m);
    expect(second.log.join('\n') + first.log.join('\n')).not.toContain(SECRET);
  } finally {
    await server.close();
  }
});

test('one of two instances on a store sends an alarm; without an address, it is in the log', async () => {
  const postgres = await startPostgres();
  const connection = await connectTo(postgres.url);
  try {
    const env = { DATABASE_URL: postgres.url };
    const [one, other] = await Promise.all([servers.start({ env }), servers.start({ env })]);
    await train(one);
    await untilTrained(one);
    await raiseAlarm(other);
    const alarmLines = () => [...one.log, ...other.log].filter((line) => line.includes('alarm is raised'));
    await expect.poll(() => alarmLines().length).toBe(1);
    await connection.run('update records set claimed_until = 0');
    await pause(2500);
    expect(alarmLines()).toHaveLength(1);
  } finally {
    await connection.close();
    await postgres.remove();
  }
});
