/** Tests of a service whose processes are killed while they answer. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OpenStream } from '../../testkit/http/open-stream.js';
import { killChildren } from '../../testkit/service/child-process.js';
import { PREDICT, predictionText, train, untilTrained } from '../../testkit/service/price-model.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { checkedFetch } from '../checked-fetch.js';

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer({ env: { PREDICTION_WORKERS: '1' } });
  await train(server);
  await untilTrained(server);
});
afterAll(() => server.kill());

/** A body that is large enough for a process. */
const ROWS = JSON.stringify(Array.from({ length: 20_000 }, () => ({ carat: 0.7 })));

const answerRows = () =>
  checkedFetch(
    new Request(server.url + PREDICT, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: ROWS }),
  );

/** Sends the rows, and kills each process that the service starts for them. */
async function answerWhileKilled(): Promise<Response> {
  const answered = new AbortController();
  const answering = answerRows().finally(() => answered.abort());
  while (!answered.signal.aborted) {
    killChildren(server.pid);
    await delay(10);
  }
  return answering;
}

// Only Linux lists the children of another process.
describe.skipIf(process.platform !== 'linux')('the death of a process that answers rows', () => {
  test('ends a stream that has begun with a problem, and the service goes on', async () => {
    const before = await predictionText(server);
    const stream = new OpenStream(server.url + PREDICT, '');
    stream.write('{"carat":0.7}\n');
    expect(await stream.next()).toMatchObject({ carat: 0.7 });
    killChildren(server.pid);
    expect(await stream.next()).toMatchObject({ problem: { type: '/problems/service-unavailable', status: 503 } });
    expect(await stream.next()).toBeUndefined();
    stream.break();
    expect(await predictionText(server)).toBe(before);
  });

  test('answers a body with 503, and the next body with its predictions', async () => {
    let refused = await answerWhileKilled();
    // A process may have lived long enough to answer.
    while (refused.status === 200) refused = await answerWhileKilled();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('Retry-After')).toBe('5');
    expect(await refused.json()).toMatchObject({ type: '/problems/service-unavailable' });
    const answered = await answerRows();
    expect(answered.status).toBe(200);
    expect(await answered.json()).toHaveLength(20_000);
  });
});
