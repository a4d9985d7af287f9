import { once } from 'node:events';
import { Agent, type RequestListener, request } from 'node:http';
import { expect, test } from 'vitest';
import { listen } from '../../testkit/http/listen.js';
import { acceptFairly } from './server.js';

/** Sends one request per key, each on its own connection, all in one turn of the event loop. */
async function sendAtOnce(listener: RequestListener, keys: readonly string[], header = 'Authorization'): Promise<void> {
  const { port } = new URL(await listen(acceptFairly(listener)));
  const agent = new Agent({ keepAlive: true });
  const send = async (key: string) => {
    const headers = { [header]: key };
    const [answer] = await once(request({ agent, port, headers }).end(), 'response');
    await once(answer.resume(), 'end');
  };
  // The connections are open and idle before the requests are sent.
  await Promise.all(keys.map(() => send('first')));
  await Promise.all(keys.map(send));
  agent.destroy();
}

function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test.each(['Authorization', 'X-Api-Key'])(
  'a key in %s with one request does not wait for all requests of another key',
  async (header) => {
    const started: unknown[] = [];
    await sendAtOnce(
      (req, res) => {
        started.push(req.headers[header.toLowerCase()]);
        work(2);
        res.end();
      },
      [...Array<string>(50).fill('many'), 'one'],
      header,
    );
    const ofThese = started.filter((key) => key !== 'first');
    expect(ofThese).toHaveLength(51);
    expect(ofThese.indexOf('one')).toBeLessThan(25);
  },
);

test('the event loop turns between requests, although most of their work follows in promises', async () => {
  let turn = 0;
  const counting = setInterval(() => {}, 1000);
  const count = () => {
    turn += 1;
    if (counting.hasRef()) setImmediate(count);
  };
  setImmediate(count);
  const turns: number[] = [];
  await sendAtOnce(async (_req, res) => {
    await undefined;
    work(2);
    turns.push(turn);
    res.end();
  }, Array<string>(50).fill('many'));
  counting.unref();
  const perTurn = new Map<number, number>();
  for (const each of turns) perTurn.set(each, (perTurn.get(each) ?? 0) + 1);
  expect(turns).toHaveLength(100);
  expect(Math.max(...perTurn.values())).toBeLessThan(5);
});
