import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { type Operation, readContract } from '../../../contract/document.js';
import { asRecord } from '../../../contract/json-record.js';
import { describePattern, patternRule } from '../../../contract/rule-messages.js';
import { operations, type Place } from '../../../testkit/openapi/document.js';
import { exampleRequests } from '../../../testkit/openapi/example-requests.js';
import { RouteTree } from '../route-tree.js';
import { withItemsInPlace } from './schemas.js';
import { requestValidation } from './validate.js';

const asked: string[] = [];
vi.mock('./full-check.js', async (load) => {
  const real = await load<typeof import('./full-check.js')>();
  return {
    fullChecks: (...given: Parameters<typeof real.fullChecks>) => {
      const ofOperation = real.fullChecks(...given);
      return (operation: Operation) => {
        asked.push(operation.id);
        return ofOperation(operation);
      };
    },
  };
});

const contract = readContract(new URL('../../../openapi.yaml', import.meta.url));
const validation = requestValidation(contract, ['']);
const addresses = new RouteTree<Map<string, ReturnType<typeof validation>>>();
for (const { path } of contract.operations) {
  const here = contract.operations.filter((operation) => operation.path === path);
  addresses.add(path, new Map(here.map((operation) => [operation.method.toUpperCase(), validation(operation)])));
}

const app = express();
app.set('query parser', 'simple');
app.enable('case sensitive routing');
app.use(express.json(), async (req, res, next) => {
  const found = addresses.find(req.path);
  res.locals.params = found?.params ?? {};
  await found?.value.get(req.method)?.(req, res);
  next();
});
app.use((req, res) => {
  res.json({ query: res.locals.query ?? req.query });
});
app.use(((refusal, req, res, _next) => {
  res.status(400).json({ ...refusal, contentType: req.headers['content-type'] ?? null });
}) as express.ErrorRequestHandler);
const server = createServer(app).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => server.close());

const get = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${url}${path}`, { headers });
  return { status: answer.status, body: await answer.json() };
};

describe('a request from the contract’s examples', () => {
  test.each(
    operations.flatMap((operation) => exampleRequests(operation).map((request) => ({ id: operation.id, ...request }))),
  )('is accepted without the validator: $id, $name', async ({ path, method, headers, body }) => {
    asked.length = 0;
    const init = body === undefined ? { method, headers } : { method, headers, body };
    const { status } = await fetch(`${url}${path}`, init);
    expect(status).toBe(200);
    expect(asked).toEqual([]);
  });
});

describe('a query', () => {
  const list = '/projects/default/skills';

  test('is accepted without the validator, and has the contract’s types', async () => {
    asked.length = 0;
    expect((await get(`${list}?limit=20&agent=analyst`)).body).toEqual({ query: { limit: 20, agent: ['analyst'] } });
    expect((await get(`${list}?agent=a&agent=b`)).body).toEqual({ query: { agent: ['a', 'b'] } });
    expect(asked).toEqual([]);
  });

  test.each(['limit=0', 'limit=1&limit=2', 'limit=', 'limit=1.5', 'limit=x', 'cursor=short', 'unknown=1', 'agent='])(
    'such as %s is refused by the validator',
    async (query) => {
      const { status, body } = await get(`${list}?${query}`);
      expect(status).toBe(400);
      expect(body).toHaveProperty('members.errors');
    },
  );
});

const MODEL = '/api/projects/default/models/m';

describe('a text of other characters', () => {
  test.each([
    ['GET', '/v1/responses/a%20b', 'must consist of A-Z a-z 0-9 _ -'],
    ['GET', '/keys/a', 'must consist of 16 characters of A-Z a-z 0-9'],
    ['GET', `${MODEL}/record?by=column&column=%20`, 'must not be blank, and must not contain the character U+0000'],
    ['POST', '/v1/responses', 'must consist of visible characters of ASCII', { previous_response_id: 'a b' }],
    ['POST', '/keys', 'must not contain control characters', { key: { name: '\u0001' } }],
  ])('is reported by %s %s in words', async (method, path, message, body?: object) => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const errors = expect.arrayContaining([{ pointer: expect.anything(), message }]);
    expect(await answer.json()).toHaveProperty('members.errors', errors);
  });

  test('is reported in words wherever a request may have one', () => {
    const seen = new Set<unknown>();
    const patterns = new Set<string>();
    const visit = (place: Place) => {
      if (seen.has(place.value)) return;
      seen.add(place.value);
      const pattern = place.find('pattern')?.value;
      if (typeof pattern === 'string') patterns.add(pattern);
      for (const [key, child] of place.entries()) if (!/^examples?$/.test(key)) visit(child);
    };
    for (const { place } of operations) {
      for (const part of ['parameters', 'requestBody']) for (const [, child] of place.entries(part)) visit(child);
    }
    const raw = [...patterns].filter(
      (pattern) =>
        // Any text has this form.
        pattern !== String.raw`^[\s\S]*$` &&
        !contract.messages.has(patternRule(pattern)) &&
        describePattern(pattern) === undefined,
    );
    expect(raw).toEqual([]);
    expect(patterns.size).toBeGreaterThan(10);
  });
});

test('the validator, which compiles for each Content-Type, never sees one that a caller made up', async () => {
  const headers = { 'Content-Type': 'application/json; words=1' };
  const { body } = await get('/projects/default/skills?limit=0', headers);
  expect(body).toMatchObject({ contentType: null });
  const init = { method: 'POST', headers, body: '{}' };
  const posted = await fetch(`${url}/projects/default/skills`, init);
  expect(await posted.json()).toMatchObject({ contentType: 'application/json' });
});

test('the validator does not compile OpenAPI’s own schema, which takes longer than all the rest', async () => {
  expect((await get('/projects/default/skills?limit=0')).status).toBe(400);
  const files = Object.keys(createRequire(import.meta.url).cache);
  expect(files.some((file) => file.endsWith('/openapi.request.validator.js'))).toBe(true);
  expect(files.filter((file) => file.endsWith('/openapi.schema.validator.js'))).toEqual([]);
});

test('a refusal holds the beginning of a name that a caller made up', async () => {
  const part = { type: 'text', text: 'a', ['/'.repeat(60_000)]: 1 };
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'a', messages: [{ role: 'user', content: [part] }] }),
  });
  const text = await answer.text();
  expect(text).toContain('/body/messages/0/content/0/~1~1');
  expect(text.length).toBeLessThan(40_000);
});

test('Ajv sees the type of the items of each list without repeats, and so compares no pairs', () => {
  const lists: unknown[] = [];
  const visit = (part: unknown) => {
    if (typeof part !== 'object' || part === null) return;
    const { uniqueItems, items } = asRecord(part);
    if (uniqueItems === true) lists.push(asRecord(items)['type']);
    for (const each of Object.values(part)) visit(each);
  };
  visit(withItemsInPlace(contract.document, contract.document));
  expect(lists.length).toBeGreaterThan(5);
  expect(lists.filter((type) => type !== 'string')).toEqual([]);
});
