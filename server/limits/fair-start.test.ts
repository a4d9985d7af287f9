import { once } from 'node:events';
import { Agent, createServer, type RequestListener, request, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { startFairly } from './fair-start.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** Sends a request for each key on a connection of its own, all in one turn of the event loop. */
async function sendAtOnce(listener: RequestListener, keys: readonly string[]): Promise<void> {
  const server = createServer(startFairly(listener)).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const agent = new Agent({ keepAlive: true });
  const send = async (key: string) => {
    const headers = { Authorization: key };
    const [answer] = await once(request({ agent, port, headers }).end(), 'response');
    await once(answer.resume(), 'end');
  };
  // The connections are open, and idle, before they are sent on.
  await Promise.all(keys.map(() => send('first')));
  await Promise.all(keys.map(send));
  agent.destroy();
}

function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('a key with one request does not wait for all of those of another', async () => {
  const started: (string | undefined)[] = [];
  await sendAtOnce(
    (req, res) => {
      started.push(req.headers.authorization);
      work(2);
      res.end();
    },
    [...Array<string>(50).fill('many'), 'one'],
  );
  const ofThese = started.filter((key) => key !== 'first');
  expect(ofThese).toHaveLength(51);
  expect(ofThese.indexOf('one')).toBeLessThan(25);
});

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
