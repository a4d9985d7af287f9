/** Tests of rows and answers in formats other than JSON, and of large bodies. Against the server alone. */
import { type IncomingMessage, request } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { fewDiamonds, oneDiamond, someDiamonds } from '../../testkit/data/diamonds.js';
import { readField } from '../../testkit/json.js';
import { trainPrices } from '../../testkit/service/train-prices.js';
import { baseUrl, keys, ownProject, roster, send, sendJson } from '../target.js';

const CSV = 'text/csv';
const JSON_TYPE = 'application/json';
const LINES = 'application/x-ndjson';

let address: string;
beforeAll(async () => {
  const path = { projectName: await ownProject(), modelName: 'prices' };
  address = `/api/projects/${path.projectName}/models/prices/predict`;
  await trainPrices(roster, path);
});

function post(body: string, headers: Record<string, string>, query = ''): Promise<Response> {
  return send(address + query, { method: 'POST', headers, body });
}

/** An answer with its trailers, which fetch does not show. */
interface Whole {
  readonly response: IncomingMessage;
  readonly body: string;
}

/**
 * Sends pieces, and reads the whole answer.
 * @param last a piece that is sent once the answer has begun
 */
function exchange(pieces: readonly string[], headers: Record<string, string>, last = ''): Promise<Whole> {
  return new Promise((resolve, reject) => {
    const authorized = { ...headers, Authorization: `Bearer ${keys.own}` };
    const sent = request(baseUrl + address, { method: 'POST', headers: authorized }, (response) => {
      if (last !== '') sent.end(last);
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk)).on('error', reject);
      response.on('end', () => resolve({ response, body: Buffer.concat(chunks).toString() }));
    });
    sent.on('error', reject);
    for (const piece of pieces) sent.write(piece);
    if (last === '') sent.end();
  });
}

/** Rows that make a body of more than 32 KiB. */
const manyRows = Array.from({ length: 1000 }, (_, index) => ({ ...oneDiamond, carat: 0.2 + index / 1000 }));

describe('a large body of JSON', () => {
  test('is answered byte by byte like small ones with the same rows', async () => {
    const large = await (await sendJson('POST', address, manyRows)).text();
    const small = await Promise.all(
      [0, 100, 500, 900].map(async (at) => {
        const answer = await sendJson('POST', address, manyRows.slice(at, at + 100));
        return (await answer.text()).slice(1, -1);
      }),
    );
    for (const part of small) expect(large).toContain(part);
  });

  test.each([
    ['no JSON', (text: string) => text.slice(0, -2)],
    ['of another shape', (text: string) => `{"dat":${text}}`],
    ['with deep nesting', (text: string) => `[${'['.repeat(200)}${']'.repeat(200)},${text.slice(1)}`],
    ['with text after its end', (text: string) => `${text}]`],
  ])('that is %s gets the same problem as a small one', async (_what, change) => {
    const problemOf = async (rows: unknown[]) => {
      const response = await post(change(JSON.stringify(rows)), { 'Content-Type': JSON_TYPE });
      const problem: unknown = await response.json();
      const [type, errors] = [readField(problem, 'type'), readField(problem, 'errors')];
      return { status: response.status, type, errors };
    };
    const large = await problemOf(manyRows);
    expect(large.status).toBe(400);
    expect(large).toEqual(await problemOf(manyRows.slice(0, 3)));
  });

  test('with unknown names is refused, and the problem points into the body', async () => {
    const data = manyRows.map((row) => ({ ...row, colour: 'G' }));
    const response = await sendJson('POST', `${address}?unknown=refuse`, { data });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      errors: [{ pointer: '/body/data/0/colour', nearest: 'color', rows: manyRows.length }],
    });
  });

  test('with a faulty query is refused for both', async () => {
    const response = await sendJson('POST', `${address}?confidence=7`, { rows: manyRows });
    expect(response.status).toBe(400);
    const errors = readField(await response.json(), 'errors');
    expect(errors).toContainEqual(expect.objectContaining({ pointer: '/query/confidence' }));
    expect(errors).toContainEqual(expect.objectContaining({ pointer: expect.stringContaining('/body') }));
  });

  test('has its warnings in the header', async () => {
    const rows = manyRows.map((row) => ({ ...row, colour: 'G' }));
    const response = await sendJson('POST', address, rows);
    expect(response.headers.get('Row-Warnings')).toContain(`rows=${rows.length};name="colour"`);
  });

  test('waits its turn beside others', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const response = await sendJson('POST', address, manyRows);
        await response.arrayBuffer();
        return response.status;
      }),
    );
    expect(new Set(answers)).toEqual(new Set([200]));
  });
});

test('a fault in the last row of a small file is reported, and no part of it is answered', async () => {
  const response = await send(address, {
    method: 'POST',
    headers: { 'Content-Type': 'text/csv' },
    body: 'carat,cut\n0.3,Ideal\n0.4,Ideal\n0.5,"Ideal',
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ detail: expect.stringContaining('line 4') });
});

describe('the format of an answer', () => {
  /** The same two rows in each format. */
  const bodies = new Map([
    [JSON_TYPE, '[{"carat":0.7},{"carat":0.3}]'],
    [LINES, '{"carat":0.7}\n{"carat":0.3}\n'],
    [CSV, 'carat\n0.7\n0.3\n'],
  ]);
  const csv = 'carat,cut,color\n0.7,Ideal,G\n0.3,Premium,E\n';

  test.each([
    [JSON_TYPE, JSON.stringify([oneDiamond])],
    [LINES, `${JSON.stringify(oneDiamond)}\n`],
    [CSV, csv],
  ])('is that of the rows without Accept: %s', async (type, body) => {
    const { response } = await exchange([body], { 'Content-Type': type });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toContain(type);
  });

  test.each([
    [JSON_TYPE, CSV],
    [CSV, JSON_TYPE],
    [CSV, LINES],
    [LINES, CSV],
    [LINES, JSON_TYPE],
    [JSON_TYPE, LINES],
  ])('may be another: rows of %s, answered with %s', async (type, accept) => {
    const body = bodies.get(type) ?? '';
    const response = await post(body, { 'Content-Type': type, Accept: accept });
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toContain(accept);
    const json = await post('[{"carat":0.7},{"carat":0.3}]', { 'Content-Type': JSON_TYPE });
    const prices = (await json.text()).match(/(?<="price":)\d+/g) ?? [];
    expect(prices).toHaveLength(2);
    const text = await response.text();
    for (const price of prices) expect(text).toMatch(new RegExp(`\\b${price}\\b`));
  });

  test('has the options of CSV, and explanations where they are wanted', async () => {
    const plain = await post('0,7;Ideal\n', { 'Content-Type': CSV }, '?header=false&delimiter=semicolon');
    expect(plain.status).toBe(200);
    expect(await plain.text()).not.toContain('price_explain');
    const explained = await post(csv, { 'Content-Type': CSV }, '?explain=true');
    expect(await explained.text()).toContain('price_explain');
  });
});

describe('the warnings of a stream', () => {
  const csv = 'carat,colour\n0.7,G\n0.3,E\n';

  test('are a trailer, which the header announces', async () => {
    const { response } = await exchange([csv], { 'Content-Type': CSV });
    expect(response.headers['trailer']).toBe('Row-Warnings');
    expect(response.headers['row-warnings']).toBeUndefined();
    expect(response.trailers['row-warnings']).toContain('unknown-name;rows=2;name="colour"');
  });

  test('are the last line of an answer of lines', async () => {
    const response = await post(csv, { 'Content-Type': CSV, Accept: LINES });
    const lines = (await response.text()).trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ warnings: [{ name: 'colour' }] });
  });

  test('are not there where there is nothing to tell', async () => {
    const { response } = await exchange(['carat,cut,color\n0.7,Ideal,G\n'], { 'Content-Type': CSV });
    expect(response.trailers).toEqual({});
  });
});

describe('a fault of a stream', () => {
  const many = someDiamonds(3000);

  test('before the first row is answered with its problem and the place', async () => {
    const response = await post('carat,cut\n0.7,"Ideal\n', { 'Content-Type': CSV });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      type: '/problems/malformed-body',
      detail: expect.stringMatching(/line 2/i),
    });
  });

  test('after it cuts the answer off, so that nobody takes it for whole', async () => {
    const rest = many.split('\n').slice(1).join('\n');
    const cut = exchange([many, rest], { 'Content-Type': CSV }, 'a,b,"c\n');
    await expect(cut).rejects.toThrow(/aborted|hang up|ECONNRESET/);
  });

  test('after it ends an answer of lines with the problem', async () => {
    const rest = many.split('\n').slice(1).join('\n');
    const { response, body } = await exchange([many, rest, 'a,b,"c\n'], { 'Content-Type': CSV, Accept: LINES });
    expect(response.statusCode).toBe(200);
    const last = JSON.parse(body.trimEnd().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({ problem: { type: '/problems/malformed-body' } });
  });

  test('with unknown names that are refused is reported before any row', async () => {
    const response = await post('carat,colour\n0.7,G\n', { 'Content-Type': CSV }, '?unknown=refuse');
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ name: 'colour', nearest: 'color' }] });
  });

  test('is the address of a model that does not exist, reported before the body is read', async () => {
    const none = address.replace('prices', 'none');
    const response = await send(none, {
      method: 'POST',
      headers: { 'Content-Type': CSV },
      // It does not end.
      body: new ReadableStream({ start: (sender) => sender.enqueue(Buffer.from(fewDiamonds)) }),
      duplex: 'half',
    });
    expect(response.status).toBe(404);
  });
});
