/** Tests that send the contract's own examples, in an order in which each of them succeeds. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { asArray } from '../../contract/json-record.js';
import type { AuditEvent } from '../../server/store/audit-trail.js';
import { readText } from '../../testkit/json.js';
import { operations } from '../../testkit/openapi/document.js';
import { exampleRequests, makeTable, wholeRequest } from '../../testkit/openapi/example-requests.js';
import { parameterExamples } from '../coverage/promises.js';
import { keys, readObject, sendAs } from '../target.js';

function operationNamed(id: string) {
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`The contract has no operation ${id}`);
  return found;
}

/** Sends the example of an operation, and expects a status; the answer is checked by its schema, as all are. */
async function play(id: string, wanted: number): Promise<Response> {
  const operation = operationNamed(id);
  const { path, ...init } = wholeRequest(operation);
  return answered(operation, await sendAs(keys.exemplary, path, init), wanted);
}

/** The operations of the requests that changed something, by the id of the request. */
const writes = new Map<string, string>();

async function answered(
  { id, place }: ReturnType<typeof operationNamed>,
  answer: Response,
  wanted: number,
): Promise<Response> {
  const body = await answer.clone().text();
  expect(answer.status, body).toBe(wanted);
  const scope = place.find('security', '0', 'apiKey', '0')?.value;
  if (scope === 'write') writes.set(`${answer.headers.get('X-Request-Id')}`, id);
  return answer;
}

/** So many rows that a training still runs when the next request is answered. */
const ROWS = 20_000;

const MODEL = '/api/projects/default/models/diamond_prices';

async function untilReady(): Promise<Response> {
  for (;;) {
    const answer = await sendAs(keys.exemplary, MODEL);
    if ((await readObject(answer.clone()))['status'] !== 'training') return answer;
    await pause(100);
  }
}

describe('the server answers the requests that the contract shows as examples', () => {
  test('for projects, skills, agents and chatbots', async () => {
    await play('createProject', 201);
    await play('listProjects', 200);
    await play('getProject', 200);
    await play('createSkill', 201);
    await sendAs(keys.exemplary, '/projects/default/skills', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ skill: { name: 'care_instructions', type: 'knowledge_base' } }),
    });
    await play('createAgent', 201);
    await play('getAgent', 200);
    await play('listAgents', 200);
    await play('getSkill', 200);
    await play('listSkills', 200);
    await play('createChatbot', 201);
    await play('getChatbot', 200);
    await play('listChatbots', 200);
    await play('updateAgent', 200);
    await play('updateChatbot', 200);
    await play('updateSkill', 200);
    await play('deleteSkill', 204);
    await play('deleteChatbot', 204);
    await play('updateChatbot', 201);
    await play('deleteAgent', 204);
    await play('deleteChatbot', 204);
  });

  test('for models and predictions', async () => {
    const train = operationNamed('trainModel');
    // The server has no database, from which the other example trains.
    const tables = exampleRequests(train).filter(({ name }) => name !== 'source');
    for (const { path, body, headers, method } of tables) {
      const whole = lengthened(body, headers['Content-Type']);
      const answer = await sendAs(keys.exemplary, path, { method, headers, body: whole });
      await answered(train, answer, 202);
      await play('listModels', 200);
      await play('deleteModel', 204);
    }
    await sendAs(keys.exemplary, `${MODEL}?target=price&effort=fast`, {
      method: 'PUT',
      headers: { 'Content-Type': 'text/csv' },
      body: withCertificates(),
    });
    const getModel = operationNamed('getModel');
    await answered(getModel, await untilReady(), 200);
    const predict = operationNamed('predict');
    for (const { path, ...init } of exampleRequests(predict)) {
      const answer = await sendAs(keys.exemplary, path, init);
      await answered(predict, answer, 200);
    }
    await play('getVersion', 200);
    await play('getOnnx', 200);
    await play('serveVersion', 200);
    await play('updateModel', 200);
    const tag = (await sendAs(keys.exemplary, MODEL)).headers.get('ETag') ?? '';
    const known = await sendAs(keys.exemplary, MODEL, { headers: { 'If-None-Match': tag } });
    expect(known.status).toBe(304);
    for (const address of [MODEL, `${MODEL}/versions/1`, `${MODEL}/onnx`]) {
      const another = await sendAs(keys.exemplary, address, { headers: { 'If-Match': '"another"' } });
      expect(another.status).toBe(412);
    }
    await play('deleteModel', 204);
    await sendAs(keys.exemplary, `${MODEL}?target=cut`, {
      method: 'PUT',
      headers: { 'Content-Type': 'text/csv' },
      body: withRareCuts(),
    });
    await answered(getModel, await untilReady(), 200);
    await play('deleteModel', 204);
  });

  test('for the caller', async () => {
    await play('getCaller', 200);
  });

  test('for the audit log, which has one event for each of these writes', async () => {
    const list = (query: string) => sendAs(keys.operate, `/audit?${query}`);
    const all = await (await list('owner=exemplary&result=done')).text();
    const audited: AuditEvent[] = JSON.parse(all);
    const own = audited.filter(({ request_id }) => writes.has(`${request_id}`));
    expect(own.map((event) => [event.request_id, event.operation])).toEqual([...writes]);
    expect(own.every(({ at, created_at }) => at === created_at)).toBe(true);

    const name = `audited-${randomUUID()}`;
    const headers = { 'Content-Type': 'application/json' };
    const create = (key: string, path: string, body: object) =>
      sendAs(key, path, { method: 'POST', headers, body: JSON.stringify(body) });
    await create(keys.own, '/projects', { project: { name } });
    const skills = `/projects/${name}/skills`;
    const refused = await create(keys.read, skills, { skill: { name: 'no', type: 'lookup' } });
    expect(refused.status).toBe(403);
    // Among many refusals, this one is counted with others, so that any is waited for.
    const of = `owner=${await ownerOf(keys.own)}`;
    const refusals = async () => asArray(await (await list(`${of}&result=refused`)).json());
    await expect.poll(refusals).not.toEqual([]);
    const latest = (await refusals()).at(-1);
    const done = await create(keys.own, skills, { skill: { name: 'yes', type: 'lookup' } });
    expect(done.status).toBe(201);
    const both = `${of}&since=${readText(latest, 'created_at')}`;
    await answered(operationNamed('listAudit'), await list(`${both}&limit=30`), 200);
    const first = await list(`${both}&limit=1`);
    const next = /<(.*)>; rel="next"/.exec(`${first.headers.get('Link')}`)?.[1] ?? '';
    const second = await sendAs(keys.operate, next);
    expect(second.status).toBe(200);
    expect(await second.text()).not.toBe(await first.text());
  });

  test('for the process', async () => {
    await play('getLiveness', 200);
    await play('getReadiness', 200);
    await play('getMetrics', 200);
    await play('getStatus', 200);
  });
});

async function ownerOf(key: string): Promise<string> {
  return String((await readObject(await sendAs(key, '/me')))['owner']);
}

/** Diamonds with a certificate number each, of which a quarter are missing. */
function withCertificates(): string {
  const rows = Array.from({ length: 400 }, (_, row) => {
    const carat = 0.2 + (row % 37) / 10;
    const cut = ['Ideal', 'Premium', 'Good'][row % 3];
    const color = ['G', 'E', 'F', 'H'][row % 4];
    const certificate = row % 4 === 0 ? '' : `GIA-${row * 7919}`;
    return `${carat},${cut},${color},${certificate},${Math.round(carat * 3000) + (row % 4) * 50 + (row % 3) * 20}`;
  });
  return `carat,cut,color,certificate,price\n${rows.join('\n')}\n`;
}

/** Diamonds of two common cuts, and large ones whose cuts are misspelled. */
function withRareCuts(): string {
  const rows = Array.from({ length: 200 }, (_, row) => {
    const carat = row % 10 === 0 ? 9 : 0.2 + (row % 37) / 10;
    const common = row % 37 < 18 ? 'Ideal' : 'Premium';
    const cut = row % 10 === 0 ? ['Fiar', 'Idael', 'Primium'][row % 3] : common;
    return `${carat},${Math.round(carat * 3000) + row},${cut}`;
  });
  return `carat,price,cut\n${rows.join('\n')}\n`;
}

// The example of a table is no workbook, which alone has sheets, holidays need a package that is not
// installed here, and only a query is aggregated.
const parameters = operations.flatMap((operation) =>
  parameterExamples(operation)
    .filter(({ parameter }) => !['sheet', 'holidays', 'aggregate'].includes(parameter))
    .map((example) => ({ operation, id: operation.id, ...example })),
);

/** The parameters that others need beside them. */
const COMPANIONS: Readonly<Record<string, readonly string[]>> = {
  'predict id': ['remember=true'],
  'trainModel validate_by': ['validate=last'],
  'trainModel order_by': ['horizon=3'],
  'trainModel horizon': ['order_by=month'],
  'trainModel group_by': ['order_by=month', 'horizon=3'],
  'trainModel window': ['order_by=month', 'horizon=3'],
  'trainModel known': ['order_by=month', 'horizon=3'],
};

describe('the example of a parameter is accepted', () => {
  test.each(parameters)('by $id: $parameter $name', async ({ operation, ...example }) => {
    // The resource may exist by then or not: either answer shows that the parameter was understood.
    const { path, headers, ...init } = wholeRequest(operation);
    const query = [example.value].flat().map((value) => `${example.parameter}=${value}`);
    query.push(...(COMPANIONS[`${operation.id} ${example.parameter}`] ?? []));
    const isNew = example.in === 'query' && !path.includes(`${example.parameter}=`);
    // A model that is being trained would refuse the training before its parameters are read.
    const place =
      operation.id === 'trainModel' ? path.replace(/\/models\/[^/?]+/, `/models/of-${example.parameter}`) : path;
    const answer = await sendAs(
      keys.exemplary,
      isNew ? `${place}${place.includes('?') ? '&' : '?'}${query.join('&')}` : place,
      { ...init, headers: { ...headers, ...(example.in === 'header' && { [example.parameter]: `${example.value}` }) } },
    );
    // Agents do not answer without a chat server, which this service does not have.
    expect([200, 201, 202, 204, 304, 404, 409, 412, 422, 501]).toContain(answer.status);
  });
});

/** Returns a table that begins with the rows of an example, and has enough to train from. */
function lengthened(body = '', mediaType: string | undefined): string {
  if (mediaType === 'text/csv') return makeTable(body, ROWS);
  const more = Array.from({ length: ROWS }, (_, row) => JSON.stringify({ price: row }));
  if (mediaType === 'application/x-ndjson') return `${body}${more.join('\n')}\n`;
  return `${body.trimEnd().replace(/\]$/, '')},${more.join(',')}]`;
}
