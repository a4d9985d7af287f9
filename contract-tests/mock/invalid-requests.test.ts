/** Tests against the mock alone that an invalid request gets the problem that the server would answer. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { problemIn } from '../../testkit/http/problem-in.js';
import { document, type Operation, operations } from '../../testkit/openapi/document.js';
import { exampleRequests } from '../../testkit/openapi/example-requests.js';
import { baseUrl, readObject, send, sendAs, sendJson } from '../target.js';

const JSON_TYPE = 'application/json';

/** Bodies of which each operation refuses some. */
const BODIES: unknown[] = [
  null,
  'text',
  [],
  ['text'],
  {},
  { unknown: true },
  { skill: { name: 'two words' } },
  { data: 'text' },
];

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema(document, 'contract');

/** Returns whether the contract allows a body of an operation. */
function allows({ place }: Operation, body: unknown): boolean {
  const { pointer } = place.at('requestBody', 'content', JSON_TYPE, 'schema');
  return ajv.validate(`contract#${encodeURI(pointer)}`, body);
}

/** Returns the request of an example, with another body. */
function requestOf(operation: Operation, body: string, headers: Record<string, string> = {}) {
  const [{ path, method }] = exampleRequests(operation);
  return send(path, { method, body, headers: { 'Content-Type': JSON_TYPE, ...headers } });
}

const withBody = operations.filter(({ place }) => place.find('requestBody', 'content', JSON_TYPE, 'schema'));

describe.each(withBody)('$id', (operation) => {
  const refused = BODIES.filter((body) => !allows(operation, body));
  const [first] = refused;

  test('answers an invalid body with the example of invalid-request, and a valid one', async () => {
    expect(refused).not.toEqual([]);
    for (const body of BODIES) {
      const response = await requestOf(operation, JSON.stringify(body));
      if (!refused.includes(body)) expect(response.ok, JSON.stringify(body)).toBe(true);
      else expect(problemIn(await readObject(response))).toMatchObject(INVALID);
    }
  });

  test('answers an invalid body so whatever answer is preferred', async () => {
    const { id, place } = operation;
    const codes = place.entries('responses').map(([code]) => code);
    expect(codes, id).toContain('400');
    for (const code of codes) {
      const response = await requestOf(operation, JSON.stringify(first), { Prefer: `code=${code}` });
      expect(problemIn(await readObject(response)), code).toMatchObject(INVALID);
    }
  });

  test('answers an unknown media type with 415', async () => {
    const response = await requestOf(operation, '<table/>', { 'Content-Type': 'application/xml' });
    expect(await readObject(response)).toMatchObject({ type: '/problems/unsupported-media-type' });
  });

  test('answers a request without a key with 401, even if its body is invalid', async () => {
    const [{ path, method }] = exampleRequests(operation);
    const headers = { 'Content-Type': JSON_TYPE };
    const response = await sendAs(null, path, { method, headers, body: JSON.stringify(first) });
    expect(response.status).toBe(401);
  });
});

const INVALID = { type: '/problems/invalid-request', status: 400, errors: expect.any(Array) };

test('an example of a problem is preferred by its name', async () => {
  const [createSkill] = operations.filter(({ id }) => id === 'createSkill');
  if (!createSkill) throw new Error('the contract has no createSkill');
  const prefer = { Prefer: 'code=400, example=malformed' };
  expect(await readObject(await requestOf(createSkill, '{}', prefer))).toMatchObject({
    type: '/problems/malformed-body',
  });
});

test('an invalid parameter gets invalid-request', async () => {
  const response = await send('/projects/default/skills?limit=0');
  expect(await readObject(response)).toMatchObject(INVALID);
});

test('a media type that the answer does not have gets 406', async () => {
  const response = await send('/projects/default/skills', { headers: { Accept: 'image/png' } });
  expect(await readObject(response)).toMatchObject({ type: '/problems/not-acceptable', status: 406 });
});

test.each(['code=418', 'code=404, example=unknown', 'example=unknown'])(
  'an answer that the operation does not have cannot be preferred: %s',
  async (prefer) => {
    const response = await send('/projects/default/skills', { headers: { Prefer: prefer } });
    expect(response.status).toBe(200);
  },
);

test('the problem of an invalid request lists its own faults', async () => {
  const response = await sendJson('POST', '/projects/default/agents', { agent: { name: 'two words', colour: 'red' } });
  expect(await readObject(response)).toMatchObject({
    errors: expect.arrayContaining([
      { pointer: '/body/agent/name', message: expect.stringMatching(/^must match pattern/) },
      { pointer: '/body/agent/colour', message: expect.any(String) },
    ]),
  });
  const query = await readObject(await send('/projects/default/skills?limit=0'));
  expect(query['errors']).toEqual([{ pointer: '/query/limit', message: 'must be >= 1' }]);
});

test('an address that cannot be decoded is refused, and does not end the mock', async () => {
  const headers = { 'X-Api-Key': 'any' };
  const response = await fetch(`${baseUrl}/projects/default/skills/%E0%A4`, { headers });
  expect(response.status).toBe(400);
  expect((await send('/projects/default/skills')).status).toBe(200);
});

test('an unknown query parameter is refused, in the words of the service', async () => {
  const problem = await readObject(await send('/projects/default/skills?limt=3'));
  const message = 'is not a parameter of this operation; leave it out';
  expect(problem).toMatchObject({ ...INVALID, detail: `/query/limt ${message}.` });
  expect(problem['errors']).toEqual([{ pointer: '/query/limt', message }]);
});

const READABLE = JSON.stringify({ agent: { name: 'a' } });

test.each([
  ['application/json;', 201],
  ['application/json; charset', 201],
  ['json', 415],
  [';', 415],
])('a body of the media type %s is answered with %d, as by the service', async (type, status) => {
  const headers = { 'Content-Type': type };
  const response = await send('/projects/default/agents', { method: 'POST', headers, body: READABLE });
  expect(response.status).toBe(status);
});

test.each([
  [',', 406],
  ['*', 406],
  ['json, application/json;', 200],
  ['application/json;q=1, text/html', 200],
])('Accept: %s is answered with %d, as by the service', async (accept, status) => {
  const response = await send('/projects/default/skills', { headers: { Accept: accept } });
  expect(response.status).toBe(status);
});

test('412 is preferred for requests with a precondition alone, unless its example is named', async () => {
  const preferring = (prefer: string, headers: Record<string, string> = {}) =>
    send('/projects/default/skills/sales_questions', { headers: { Prefer: prefer, ...headers } });
  expect((await preferring('code=412')).status).toBe(200);
  expect((await preferring('code=412', { 'If-None-Match': '"a"' })).status).toBe(200);
  expect((await preferring('code=412', { 'If-Match': '"a"' })).status).toBe(412);
});

test('a preference that Prism cannot follow does not end the mock', async () => {
  await (await send('/projects', { headers: { Prefer: 'dynamic=true' } })).text();
  expect((await send('/projects')).status).toBe(200);
});
