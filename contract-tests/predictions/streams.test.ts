/**
 * Tests of predictions over NDJSON streams of any length, which are answered before they end. Against the
 * server alone.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { oneDiamond, slowTable } from '../../testkit/data/diamonds.js';
import { trainPrices } from '../../testkit/service/train-prices.js';
import { ownStreams } from '../own-streams.js';
import { keys, ownProject, roster, send, sendAs, sendJson } from '../target.js';

const LINES = { 'Content-Type': 'application/x-ndjson' };

let path: { projectName: string; modelName: string };
let address: string;
beforeAll(async () => {
  path = { projectName: await ownProject(), modelName: 'prices' };
  address = `/api/projects/${path.projectName}/models/prices/predict`;
  await trainPrices(roster, path);
});

const open = ownStreams();

function post(body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = LINES): Promise<Response> {
  return send(address, { method: 'POST', headers, body });
}

/** The rows and problems of an answer, without the warnings in its last line. */
async function linesOf(response: Response): Promise<unknown[]> {
  const lines = await allLinesOf(response);
  return lines.filter((line) => !isWarnings(line));
}

async function allLinesOf(response: Response): Promise<unknown[]> {
  expect(response.status).toBe(200);
  const lines = (await response.text()).split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => JSON.parse(line));
}

function isWarnings(line: unknown): boolean {
  return typeof line === 'object' && line !== null && 'warnings' in line;
}

async function predict(rows: unknown[], query = ''): Promise<unknown[]> {
  const response = await sendJson('POST', address + query, rows);
  expect(response.status).toBe(200);
  const answers: unknown = await response.json();
  return Array.isArray(answers) ? answers : [];
}

const invalid = (line: number) => ({
  problem: expect.objectContaining({ type: '/problems/invalid-line', status: 400, line }),
});

describe('NDJSON lines', () => {
  const rows = [oneDiamond, {}, null, 7, 'text', [1, 2], { carat: '0,7', cut: '💎', unknown: 1 }];
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');

  test('are answered byte by byte like the same rows in a JSON array', async () => {
    const inJson = await (await sendJson('POST', address, rows)).text();
    const inLines = (await (await post(text)).text()).trimEnd().split('\n');
    expect(`[${inLines.slice(0, rows.length).join(',')}]`).toBe(inJson);
  });

  test('may end with CRLF, be blank, begin with a BOM and lack the last line break', async () => {
    const expected = await predict(rows);
    expect(await linesOf(await post(`\uFEFF${text.replaceAll('\n', '\r\n\r\n \t\n')}`))).toEqual(expected);
    expect(await linesOf(await post(text.trimEnd()))).toEqual(expected);
    expect(await linesOf(await post(''))).toEqual([]);
    expect(await linesOf(await post('\n\n'))).toEqual([]);
  });

  test('get the requested confidence', async () => {
    const response = await send(`${address}?confidence=0.8`, { method: 'POST', headers: LINES, body: text });
    expect(await linesOf(response)).toEqual(await predict(rows, '?confidence=0.8'));
  });

  test('may be more than the rows of a JSON body', async () => {
    const answers = await linesOf(await post('0\n'.repeat(100_001)));
    expect(answers).toHaveLength(100_001);
    expect(answers.at(-1)).toEqual(answers[0]);
  });

  test('get a problem in their place if they are bad, and the others are still answered', async () => {
    const [good] = await predict([oneDiamond]);
    const row = Buffer.from(`${JSON.stringify(oneDiamond)}\n`);
    const bad = [
      '{"carat":',
      'carat,cut',
      "{'carat':1}",
      '{"carat":NaN}',
      '{}{}',
      Buffer.from([0xff, 0xfe]),
      Buffer.from([0x22, 0xc3, 0x22]),
      '['.repeat(101) + ']'.repeat(101),
      '['.repeat(10_000) + ']'.repeat(10_000),
      `"${'x'.repeat(1024 * 1024)}"`,
      'x'.repeat(10 * 1024 * 1024),
      '\0',
      `{${[...Array(50_000).keys()].map((n) => `"${n}":0`)}}`,
    ];
    const body = bad.flatMap((line) => [Buffer.from(line), Buffer.from('\n'), row]);
    const expected = bad.flatMap((_, at) => [invalid(2 * at + 1), good]);
    expect(await linesOf(await post(Buffer.concat(body)))).toEqual(expected);
  });

  test.each([
    ['with hostile names', '{"__proto__":{"carat":1},"constructor":1,"toString":null}'],
    ['with numbers beyond the range of doubles', '{"carat":1e400,"price":-1e400}'],
    ['with 5,000 columns', JSON.stringify(Object.fromEntries([...Array(5e3).keys()].map((n) => [`c${n}`, n])))],
    ['with a lone surrogate', '{"cut":"\\ud800"}'],
  ])('%s are answered as in a JSON array', async (_what, line) => {
    const inJson = await send(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: `[${line}]`,
    });
    expect(await linesOf(await post(line))).toEqual(await inJson.json());
  });
});

describe('warnings', () => {
  test('of all rows are in one line, the last', async () => {
    const rows = [oneDiamond, {}, { carrat: 1 }, { ...oneDiamond, cut: 'new', carrat: 1 }];
    const lines = await allLinesOf(await post(rows.map((row) => JSON.stringify(row)).join('\n')));
    expect(lines).toHaveLength(5);
    expect(lines.at(-1)).toEqual({
      warnings: [
        { kind: 'no-column', name: null, rows: 2, nearest: null },
        { kind: 'unknown-name', name: 'carrat', rows: 2, nearest: 'carat' },
        { kind: 'new-category', name: 'cut', rows: 1, nearest: null },
      ],
      more: 0,
    });
  });

  test('are not sent where there is nothing to tell', async () => {
    expect(await allLinesOf(await post(JSON.stringify(oneDiamond)))).toHaveLength(1);
  });

  test('of unknown names become problems in place of their lines, if they are to be refused', async () => {
    const stream = open(`${address}?unknown=refuse`);
    stream.write('{"carat":1}\n\n{"carat":1,"colour":"G"}\n');
    expect(await stream.next()).toMatchObject({ carat: 1 });
    expect(await stream.next()).toMatchObject({
      problem: {
        type: '/problems/unknown-names',
        line: 3,
        errors: [{ pointer: '/body/colour', name: 'colour', nearest: 'color', rows: 1 }],
      },
    });
    stream.write('{"carat ":2}\n');
    expect(await stream.next()).toMatchObject({ carat: 2 });
    expect(await stream.end()).toEqual([]);
  });
});

describe('a stream', () => {
  test('is answered line by line while it is sent, before it ends', async () => {
    const stream = open(address);
    expect((await stream.answer).headers['content-type']).toBe('application/x-ndjson');
    for (const carat of [0.3, 0.7, 1.1]) {
      stream.write(`{"carat":${carat}}\n`);
      expect(await stream.next()).toMatchObject({ carat });
    }
    stream.write('{"carat":\n{"carat":2');
    expect(await stream.next()).toEqual(invalid(4));
    expect(await stream.end()).toEqual([invalid(5)]);
  });

  test('runs beside another one, each with its own answers', async () => {
    // Prices are whole, so that a confidence may exceed the requested one.
    const near = (confidence: number) => expect.closeTo(confidence, 1);
    const [one, two] = [open(`${address}?confidence=0.5`), open(`${address}?confidence=0.9`)];
    for (const carat of [1, 2, 3]) {
      one.write(`{"carat":${carat}}\n`);
      two.write(`{"carat":${carat * 10}}\n`);
      expect(await two.next()).toMatchObject({ carat: carat * 10, price_confidence: near(0.9) });
      expect(await one.next()).toMatchObject({ carat, price_confidence: near(0.5) });
    }
  });

  test('that breaks off within a line or an answer affects nothing else', async () => {
    for (const text of ['{"carat":1}\n{"car', '{}\n'.repeat(5000)]) {
      const stream = open(address);
      stream.write(text);
      await stream.next();
      stream.break();
    }
    expect(await linesOf(await post('{}\n'))).toHaveLength(1);
  });
});

describe('an impossible stream is refused before its lines are read', () => {
  const refused = async (key: string | null, at: string, headers: Record<string, string> = {}) => {
    const response = await sendAs(key, at, {
      method: 'POST',
      headers: { ...LINES, ...headers },
      // It does not end, so a server that waited for its end would wait forever.
      body: new ReadableStream({ start: (sender) => sender.enqueue(Buffer.from('{}\n')) }),
      duplex: 'half',
    });
    return response.status;
  };

  test('because of its caller, its address or its format', async () => {
    expect(await refused(null, address)).toBe(401);
    expect(await refused(keys.read, address)).toBe(403);
    expect(await refused(keys.own, address.replace('prices', 'none'))).toBe(404);
    expect(await refused(keys.own, '/api/projects/nowhere/models/m/predict')).toBe(404);
    expect(await refused(keys.own, address, { Accept: 'text/html' })).toBe(406);
    expect(await refused(keys.own, address, { 'Content-Encoding': 'br' })).toBe(415);
    expect(await refused(keys.own, `${address}?confidence=1`)).toBe(400);
    expect(await refused(keys.own, `${address}?colour=red`)).toBe(400);
    expect(await refused(keys.own, '/projects')).toBe(415);
  });

  test('while its model is not ready', async () => {
    const params = { path: { ...path, modelName: 'slow' } };
    await roster.PUT('/api/projects/{projectName}/models/{modelName}', {
      params: { ...params, query: { target: 'price' } },
      body: slowTable(),
      headers: { 'Content-Type': 'text/csv' },
    });
    expect(await refused(keys.own, address.replace('prices', 'slow'))).toBe(409);
    await roster.DELETE('/api/projects/{projectName}/models/{modelName}', { params });
  });
});

describe('Accept', () => {
  const JSON_TYPE = 'application/json';
  const LINES_TYPE = 'application/x-ndjson';

  test.each([
    [LINES_TYPE, LINES_TYPE, LINES_TYPE],
    [LINES_TYPE, '*/*', LINES_TYPE],
    [LINES_TYPE, `${JSON_TYPE};q=0.1, ${LINES_TYPE}`, LINES_TYPE],
    [LINES_TYPE, JSON_TYPE, JSON_TYPE],
    [JSON_TYPE, JSON_TYPE, JSON_TYPE],
    [JSON_TYPE, `${LINES_TYPE}, */*;q=0.1`, LINES_TYPE],
    [JSON_TYPE, LINES_TYPE, LINES_TYPE],
    [JSON_TYPE, 'text/html, */*;q=0.1', JSON_TYPE],
  ])('for a body of %s: %s', async (sent, accept, type) => {
    const body = sent === JSON_TYPE ? '[{}]' : '{}\n';
    const response = await post(body, { 'Content-Type': sent, Accept: accept });
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toContain(type);
  });

  test('that allows no format of answers is refused', async () => {
    const response = await post('[{}]', { Accept: 'application/vnd.apache.parquet' });
    expect(response.status).toBe(406);
  });
});

test('the predict address allows OPTIONS, and refuses HEAD', async () => {
  const options = await send(address, { method: 'OPTIONS' });
  expect([options.status, options.headers.get('Allow')]).toEqual([204, 'POST, OPTIONS']);
  expect((await send(address, { method: 'HEAD' })).status).toBe(405);
});
