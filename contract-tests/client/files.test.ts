/** Tests of files that the client sends to the real server. */
import { createRosterClient, ProblemError, predictFile, type RosterClient, trainFile, untilReady } from 'roster-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fewDiamonds } from '../../testkit/data/diamonds.js';
import { listen } from '../../testkit/http/listen.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';

const PATH = { projectName: 'default', modelName: 'prices' };
const FILE = new File([fewDiamonds], 'diamonds.csv', { type: 'text/csv' });
const ROWS = fewDiamonds.trimEnd().split('\n').length - 1;

let server: ServerProcess;
let roster: RosterClient;
beforeAll(async () => {
  server = await startServer();
  roster = createRosterClient({ baseUrl: server.url });
  await trainFile(roster, PATH, FILE, { target: 'price', effort: 'fast', gzip: true });
  await untilReady(roster, PATH, { every: 50 });
});
afterAll(async () => {
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

test('the holidays of a forecast are sent, which need a package on the service', async () => {
  const days = Array.from(
    { length: 60 },
    (_, day) => `${new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10)},${day % 7}`,
  );
  const table = new File([['day,sales', ...days].join('\n')], 'sales.csv', { type: 'text/csv' });
  const forecast = { orderBy: 'day', horizon: 7, holidays: ['DE'] };
  const sent = trainFile(roster, { ...PATH, modelName: 'sales' }, table, { target: 'sales', forecast });
  await expect(sent).rejects.toThrow('date-holidays');
});

test('a problem of the rows is thrown, with its place', async () => {
  const unclosed = new File(['carat,cut\n0.7,"Ideal\n'], 'rows.csv');
  const thrown: unknown = await predictFile(roster, PATH, unclosed).catch((error) => error);
  expect(thrown).toBeInstanceOf(ProblemError);
  expect(String(thrown)).toMatch(/line 2/);
});

test('an answer that breaks off is an error', async () => {
  const baseUrl = await listen((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/csv' });
    response.write('carat,price\r\n', () => response.destroy());
  });
  const client = createRosterClient({ baseUrl });
  const half = predictFile(client, PATH, FILE).then(({ body }) => new Response(body).text());
  await expect(half).rejects.toThrow(TypeError);
});
