/** Tests of compressed bodies. Against the server alone. */
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { fewDiamonds, oneDiamond } from '../../testkit/data/diamonds.js';
import { trainPrices } from '../../testkit/service/train-prices.js';
import { ownProject, roster, send } from '../target.js';

let models: string;
let address: string;
beforeAll(async () => {
  const path = { projectName: await ownProject(), modelName: 'prices' };
  models = `/api/projects/${path.projectName}/models`;
  address = `${models}/prices/predict`;
  await trainPrices(roster, path);
});

const CSV = 'carat,cut,color\n0.7,Ideal,G\n';

function predict(body: Uint8Array, encoding: string, type = 'text/csv'): Promise<Response> {
  return send(address, {
    method: 'POST',
    headers: { 'Content-Type': type, 'Content-Encoding': encoding },
    body: new Uint8Array(body),
  });
}

function train(body: Uint8Array, encoding: string, name = 'refused'): Promise<Response> {
  return send(`${models}/${name}?target=price`, {
    method: 'PUT',
    headers: { 'Content-Type': 'text/csv', 'Content-Encoding': encoding },
    body: new Uint8Array(body),
  });
}

/** Makes a frame of zstd (RFC 8878) whose blocks are not compressed. */
function zstd(text: string, { window = 0x38 } = {}): Buffer {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, window]);
  const content = Buffer.from(text);
  const blocks: Buffer[] = [];
  for (let at = 0; at < content.length; at += 1000) {
    const part = content.subarray(at, at + 1000);
    const isLast = at + 1000 >= content.length;
    const header = Buffer.alloc(3);
    header.writeUIntLE((part.length << 3) | (isLast ? 1 : 0), 0, 3);
    blocks.push(header, part);
  }
  return Buffer.concat([head, ...blocks]);
}

describe('a compressed body', () => {
  test.each([
    ['gzip', gzipSync(CSV), 'text/csv'],
    ['x-gzip', gzipSync(CSV), 'text/csv'],
    ['GZIP', gzipSync(CSV), 'text/csv'],
    ['zstd', zstd(CSV), 'text/csv'],
    ['gzip', gzipSync(JSON.stringify([oneDiamond])), 'application/json'],
    ['zstd', zstd(JSON.stringify([oneDiamond])), 'application/json'],
    ['gzip', gzipSync(`${JSON.stringify(oneDiamond)}\n`), 'application/x-ndjson'],
  ])('is answered like the body as it is: %s', async (encoding, body, type) => {
    const response = await predict(body, encoding, type);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('0.7');
  });

  test.each([
    ['gzip', gzipSync(fewDiamonds)],
    ['zstd', Buffer.concat([zstd(fewDiamonds.slice(0, 700)), zstd(fewDiamonds.slice(700))])],
  ])('is a table to train with: %s', async (encoding, body) => {
    expect((await train(body, encoding, encoding)).status).toBe(202);
  });

  test.each([
    ['gzip', gzipSync(fewDiamonds).subarray(0, -20), 'cut off'],
    ['zstd', zstd(fewDiamonds).subarray(0, -20), 'cut off'],
    ['gzip', Buffer.from(fewDiamonds), 'header'],
    ['zstd', Buffer.from(fewDiamonds), 'not zstd'],
    ['zstd', zstd(fewDiamonds, { window: 0x70 }), 'window'],
  ])('that is damaged is refused with the reason and the place: %s', async (encoding, body, why) => {
    const response = await train(body, encoding);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      type: '/problems/malformed-body',
      detail: expect.stringMatching(`The ${encoding} body .*${why}.* at byte [0-9]+`),
    });
  });

  test('of JSON is bounded by the size of its content', async () => {
    const row = JSON.stringify({ ...oneDiamond, note: 'x'.repeat(100) });
    const rows = Array.from({ length: 300_000 }, (_, index) => row.replace('x', String(index)));
    const body = gzipSync(`[${rows.join(',')}]`, { level: 1 });
    expect((await predict(body, 'gzip', 'application/json')).status).toBe(413);
  });

  test.each(['br', 'deflate', 'gzip, gzip'])('with another encoding is refused: %s', async (encoding) => {
    const response = await predict(gzipSync(CSV), encoding);
    expect(response.status).toBe(415);
    expect(response.headers.get('Accept-Encoding')).toBe('gzip, zstd');
  });
});

test('a part of a table is refused, and not taken for the whole', async () => {
  const response = await send(`${models}/refused?target=price`, {
    method: 'PUT',
    headers: { 'Content-Type': 'text/csv', 'Content-Range': 'bytes 0-9/100' },
    body: fewDiamonds.slice(0, 10),
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ type: '/problems/malformed-body' });
});
