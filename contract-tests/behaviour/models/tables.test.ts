/** Tests of many tables at once, and of their ends. Against the server alone. */
import { connect } from 'node:net';
import { answered } from 'roster-client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { settled } from '../../../testkit/service/train-prices.js';
import { csv, sendTable } from '../../sent-tables.js';
import { baseUrl, keys, ownProject, roster, send } from '../../target.js';

const ONE = '/api/projects/{projectName}/models/{modelName}';

let path: { projectName: string; modelName: string };
beforeEach(async () => {
  path = { projectName: await ownProject(), modelName: 'm' };
});
afterEach(() => roster.DELETE(ONE, { params: { path } }));

const good = Array.from({ length: 60 }, (_, row) => ({ x: row % 7, y: row }));

test('many concurrent tables are all read, and other requests are served meanwhile', async () => {
  const models = Array.from({ length: 6 }, (_, index) => ({ ...path, modelName: `m${index}` }));
  const trained = await Promise.all(
    models.map(async (model) => {
      const params = { path: model, query: { target: 'y' } };
      return settled(roster, model, await answered(roster.PUT(ONE, { params, body: good })));
    }),
  );
  expect(trained.map(({ status }) => status)).toEqual(models.map(() => 'ready'));
});

test('a training can be cancelled while its table is uploaded, and another one can begin at once', async () => {
  const row = (index: number) => `${index % 977},${index / 7},${index % 89}`;
  for (let round = 0; round < 3; round++) {
    const response = await sendTable(path, 'text/csv', csv('a,b,y', 5_000, row));
    expect(response.status).toBe(202);
    const removed = await roster.DELETE(ONE, { params: { path } });
    expect(removed.response.status).toBe(204);
  }
  const params = { path, query: { target: 'y' } };
  const begun = await answered(roster.PUT(ONE, { params, body: good }));
  expect(await settled(roster, path, begun)).toMatchObject({ status: 'ready', version: 1 });
});

test('an upload to a project that is deleted meanwhile gets 404', async () => {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const table = `x,y\n${Array.from({ length: 60 }, (_, n) => `${n},${n}`).join('\n')}\n`;
  socket.write(
    `PUT /api/projects/${path.projectName}/models/m?target=y HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.own}\r\nConnection: close\r\nContent-Type: text/csv\r\nContent-Length: ${table.length}\r\n\r\n${table.slice(0, 20)}`,
  );
  while ((await send(`/projects/${path.projectName}`, { method: 'DELETE' })).status !== 204);
  socket.write(table.slice(20));
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  expect(answer).toContain('HTTP/1.1 404 Not Found');
  expect(answer).toContain('/problems/project-not-found');
});
