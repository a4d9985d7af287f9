/** A clock that jumps while promises are made, met, swept and their alarm is reported. */
import { expect, test } from 'vitest';
import { ask } from '../../testkit/http/client.js';
import { serveOnLoopback } from '../../testkit/http/loopback-server.js';
import { ownServers } from '../../testkit/service/own-servers.js';
import { train, untilTrained } from '../../testkit/service/price-model.js';
import type { ServerProcess } from '../../testkit/service/server-process.js';
import { compiler, createShiftedClock } from '../../testkit/service/shifted-clock.js';

const MODEL = '/api/projects/default/models/diamond_prices';
const DAY = 24 * 60 * 60;
const servers = ownServers();

async function promise({ url }: ServerProcess, count: number): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, row) => ({ order: `n-${row}`, carat: row / 100 }));
  const query = 'remember=true&confidence=0.9&id=order';
  const body = await ask('POST', `${url}${MODEL}/predict?${query}`, rows);
  return Array.isArray(body) ? body.map((row) => String(row['__service_row_id'])) : [];
}

function add({ url }: ServerProcess, truths: readonly object[], query = '') {
  return ask('POST', `${url}${MODEL}/actuals${query}`, truths);
}

const recordOf = ({ url }: ServerProcess) => ask('GET', `${url}${MODEL}/record?by=day`);

/** The seconds to the noon of a day in UTC. The clocks of the services begin there, and so reach no other day alone. */
const NOW = Math.floor(Date.now() / 1000);
const toNoon = (days: number) => DAY / 2 - (NOW % DAY) + days * DAY;

const dayAfter = (days: number) => new Date(1000 * (NOW + toNoon(days))).toISOString().slice(0, 10);

test.skipIf(compiler === undefined)(
  'a clock that jumps by a year, and back by a day, loses no promise, no truth and no alarm',
  async () => {
    const delivered: number[] = [];
    const operator = await serveOnLoopback((request, response) => {
      delivered.push(Number(request.headers['webhook-timestamp']));
      request.resume();
      response.writeHead(delivered.length === 1 ? 503 : 204).end();
    });
    try {
      const clock = createShiftedClock(servers.file);
      clock.set(toNoon(0));
      const env = { ...clock.env, ALARM_URL: operator.origin, ALARM_SECRET: 'a-secret-of-theirs' };
      const server = await servers.start({ env });
      await train(server);
      await untilTrained(server);
      const now = await promise(server, 3);

      clock.set(toNoon(365));
      const ahead = await promise(server, 100);
      expect(ahead.every((id) => id > (now[0] ?? ''))).toBe(true);
      const wrong = [...now, ...ahead].map((__service_row_id) => {
        return { __service_row_id, price: '1000000' };
      });
      expect(await add(server, wrong)).toMatchObject({ matched: 103, unmatched: 0 });
      await expect.poll(() => delivered.length).toBe(1);
      expect(await recordOf(server)).toMatchObject({
        promises: 103,
        missing: 0,
        truths: 103,
        kept: 0,
        alarm: { raised_at: expect.stringContaining(dayAfter(365)) },
        groups: [
          { group: dayAfter(0), promises: 3, truths: 3 },
          { group: dayAfter(365), promises: 100, truths: 100 },
        ],
      });

      // The next try of the alarm was due in a year.
      clock.set(toNoon(-1));
      await expect.poll(() => delivered.length).toBe(2);
      const [first = 0, second = 0] = delivered;
      expect(Math.round((first - second) / DAY)).toBe(366);
      // Among promises with one id, the last one is met, although its clock was behind.
      await promise(server, 2);
      const own = [{ order: 'n-1', price: '7' }];
      expect(await add(server, own, '?id=order')).toMatchObject({ matched: 1 });
      expect(await add(server, wrong)).toMatchObject({ unchanged: 103 });
      await server.kill();

      clock.set(toNoon(0));
      const again = await servers.start({ env });
      expect(await recordOf(again)).toMatchObject({ promises: 105, missing: 1, truths: 104 });
      await again.kill();

      // A hundred days later, those of a year ahead are the only ones that are not old.
      clock.set(toNoon(100));
      const later = await servers.start({ env });
      await expect.poll(() => recordOf(later)).toMatchObject({ promises: 100, truths: 104 });
      expect(delivered).toHaveLength(2);
    } finally {
      await operator.close();
    }
  },
);
