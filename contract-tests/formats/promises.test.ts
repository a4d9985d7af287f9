/** Promises and truths are the same in every format. */
import { MEDIA_TYPES, type PredictionFormat } from 'roster-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { FILE_FORMATS, toColumns, writeFile } from '../../testkit/data/table-files.js';
import { ownProject, readObject, send } from '../target.js';
import { expectTruthsMeet, listIds, ORDERS, predictRows, type Rows, RUBIES, trainRows } from './promised-rows.js';

const ANSWER_FORMATS: readonly PredictionFormat[] = ['json', 'ndjson', 'csv', 'arrow-stream', 'arrow-file'];

let prices: string;
beforeAll(async () => {
  prices = await trainRows(await ownProject(), 'prices', 'target=price&exclude=fine', RUBIES);
});

describe('rows that are remembered', () => {
  test.each(FILE_FORMATS.flatMap((from) => ANSWER_FORMATS.map((to) => [from, to] as const)))(
    'as %s have ids in %s, and the same predictions as without',
    async (from, to) => {
      const answer = await predictRows(prices, 'remember=true&id=order_no', ORDERS, [from, to]);
      const [first = ''] = listIds(answer);
      expect(first).toMatch(/^[0-9a-z]{20}-0$/);
      expect(listIds(answer)).toEqual(ORDERS.map((_, row) => `${first.slice(0, -1)}${row}`));
      const plain = await predictRows(prices, 'confidence=0.9', ORDERS, [from, to]);
      const again = await predictRows(prices, 'confidence=0.9&remember=true', ORDERS, [from, to]);
      const withoutId = (row: object) => ({ ...row, __service_row_id: null });
      expect(again.map(withoutId)).toEqual(plain.map(withoutId));
    },
  );

  test.each(['json', 'ndjson', 'csv', 'arrow-stream'] as const)(
    'as %s are refused if no row has the column of their ids, as are truths',
    async (format) => {
      const body = new Uint8Array(writeFile(format, toColumns(ORDERS)));
      const headers = { 'Content-Type': MEDIA_TYPES[format], Accept: 'application/json' };
      for (const path of ['predict?remember=true&id=ordr_no', 'actuals?id=ordr_no']) {
        const refused = await send(`${prices}/${path}`, { method: 'POST', headers, body });
        expect(refused.status).toBe(400);
        const message = expect.stringContaining('none of the first 40 rows has a value');
        expect(await refused.json()).toMatchObject({ errors: [{ pointer: '/query/id', message }] });
      }
    },
  );
});

describe('truths that have no column of the target', () => {
  const add = (format: (typeof FILE_FORMATS)[number], rows: Rows) =>
    send(`${prices}/actuals?id=order_no`, {
      method: 'POST',
      headers: { 'Content-Type': MEDIA_TYPES[format] },
      body: new Uint8Array(writeFile(format, toColumns(rows))),
    });

  test.each(FILE_FORMATS)('as %s are refused, with those that are there', async (format) => {
    const rows = ORDERS.map(({ order_no }) => ({ order_no, Price: 1 }));
    const refused = await add(format, rows);
    expect(refused.status).toBe(400);
    const message = expect.stringMatching(/"price".*"order_no".*"Price"/);
    expect(await refused.json()).toMatchObject({ errors: [{ pointer: '/body', message }] });
  });

  test.each(FILE_FORMATS)('as %s are reported by row if it is empty', async (format) => {
    const rows = ORDERS.map(({ order_no }) => ({ order_no, price: null }));
    expect(await readObject(await add(format, rows))).toMatchObject({ unmatched: 40 });
  });
});

test.each(FILE_FORMATS)('truths as %s meet promises, by either id, once', (format) => expectTruthsMeet(prices, format));
