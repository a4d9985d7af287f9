/** Tests of files that the client sends to the real server. */
import {
  createRosterClient,
  ProblemError,
  predictFile,
  type RosterClient,
  trainFile,
  untilReady,
} from 'roster-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fewDiamonds } from '../../testkit/data/diamonds.js';
import { type FaultyProxy, openFaultyProxy } from '../../testkit/http/faulty-proxy.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';

const PATH = { projectName: 'default', modelName: 'prices' };
const FILE = new File([fewDiamonds], 'diamonds.csv', { type: 'text/csv' });
const ROWS = fewDiamonds.trimEnd().split('\n').length - 1;

let server: ServerProcess;
let proxy: FaultyProxy;
let roster: RosterClient;
beforeAll(async () => {
  server = await startServer();
  proxy = await openFaultyProxy(server.url);
  roster = createRosterClient({ baseUrl: server.url });
  await trainFile(roster, PATH, FILE, { target: 'price', gzip: true });
  await untilReady(roster, PATH, { every: 50 });
});
afterAll(async () => {
  await proxy.close();
  await server.stop();
});

test.each<[string, () => Blob | ReadableStream<Uint8Array>]>([
  ['a file', () => FILE],
  ['a stream', () => FILE.stream()],
])('%s is answered with a line for each row, also compressed', async (_what, file) => {
  const options = { format: 'csv', explain: true } as const;
  const answers = [options, { ...options, gzip: true }].map(async (options) => {
    const { body } = await predictFile(roster, PATH, file(), options);
    return new Response(body).text();
  });
  const [plain, compressed] = await Promise.all(answers);
  expect(plain?.trimEnd().split('\r\n')).toHaveLength(1 + ROWS);
  expect(plain).toMatch(/^carat,cut,color,price,price_confidence,price_min,price_max,price_orig/);
  expect(compressed).toBe(plain);
});

test('a problem of the rows is thrown, with its place', async () => {
  const unclosed = new File(['carat,cut\n0.7,"Ideal\n'], 'rows.csv');
  const thrown: unknown = await predictFile(roster, PATH, unclosed).catch((error) => error);
  expect(thrown).toBeInstanceOf(ProblemError);
  expect(String(thrown)).toMatch(/line 2/);
});

test('an answer that breaks off is an error', async () => {
  const client = createRosterClient({ baseUrl: proxy.url });
  proxy.next('half an answer');
  const half = predictFile(client, PATH, FILE).then(({ body }) => new Response(body).text());
  await expect(half).rejects.toThrow(TypeError);
});

test('an aborted signal cancels the answer', async () => {
  const abort = new AbortController();
  const { body } = await predictFile(roster, PATH, FILE, { signal: abort.signal });
  abort.abort(new Error('The user has left the page'));
  await expect(new Response(body).text()).rejects.toThrow('The user has left the page');
});
