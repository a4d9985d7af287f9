/** Rows that are remembered, and their truths, in every format. */
import { MEDIA_TYPES, type PredictionFormat } from 'roster-client';
import { expect } from 'vitest';
import { type FILE_FORMATS, toColumns, writeFile } from '../../testkit/data/table-files.js';
import { settled } from '../../testkit/service/train-prices.js';
import { readObject, roster, send, sendJson } from '../target.js';
import { rowsOfAnswer } from './answers.js';

export type Rows = readonly Readonly<Record<string, string | number | null>>[];

export const RUBIES = Array.from({ length: 200 }, (_, row) => ({
  carat: (row % 40) / 20,
  cut: ['Ideal', 'Good', 'Fair'][row % 3] ?? '',
  price: 1000 + 50 * (row % 40) + ((row * 37) % 11),
  fine: row % 40 > 20 ? 'yes' : 'no',
}));

/** Forty rows to predict, with their own ids. */
export const ORDERS = Array.from({ length: 40 }, (_, row) => ({ order_no: `N-${row}`, carat: row / 20, cut: 'Ideal' }));

/** Trains a model of rows, and returns its address. */
export async function trainRows(projectName: string, modelName: string, query: string, rows: Rows): Promise<string> {
  const address = `/api/projects/${projectName}/models/${modelName}`;
  expect(
    (await sendJson('PUT', `${address}?${query}${query.includes('order_by') ? '' : '&effort=fast'}`, rows)).status,
  ).toBe(202);
  await settled(roster, { projectName, modelName });
  return address;
}

export async function predictRows(
  address: string,
  query: string,
  rows: Rows,
  [from, to]: readonly [(typeof FILE_FORMATS)[number], PredictionFormat] = ['json', 'json'],
) {
  const response = await send(`${address}/predict?${query}`, {
    method: 'POST',
    headers: { 'Content-Type': MEDIA_TYPES[from], Accept: MEDIA_TYPES[to] },
    body: new Uint8Array(writeFile(from, toColumns(rows))),
  });
  expect(response.status).toBe(200);
  return rowsOfAnswer(to, new Uint8Array(await response.arrayBuffer()));
}

export const listIds = (rows: readonly Readonly<Record<string, unknown>>[]) =>
  rows.map((row) => String(row['__service_row_id']));

export async function addTruths(
  address: string,
  rows: Rows,
  { format = 'json', query = '' }: { format?: (typeof FILE_FORMATS)[number]; query?: string } = {},
) {
  const response = await send(`${address}/actuals${query}`, {
    method: 'POST',
    headers: { 'Content-Type': MEDIA_TYPES[format] },
    body: new Uint8Array(writeFile(format, toColumns(rows))),
  });
  expect(response.status).toBe(200);
  return readObject(response);
}

/** The answer to truths that change nothing. */
export const NONE = { matched: 0, corrected: 0, unchanged: 0, unmatched: 0, unmatched_rows: [] };

/** Expects that truths of a model of RUBIES meet their promises by either id, and change nothing a second time. */
export async function expectTruthsMeet(prices: string, format: (typeof FILE_FORMATS)[number]): Promise<void> {
  const rows = [1, 2, 3].map((carat) => ({ order_no: `${format} ${carat}`, carat }));
  const ids = listIds(await predictRows(prices, 'remember=true&id=order_no', rows));
  const byRow = ids.map((__service_row_id, row) => ({ __service_row_id, price: 1000 * row }));
  const byOwn = rows.map(({ order_no }, row) => ({ order_no, price: 1000 * row }));
  expect(await addTruths(prices, byRow.slice(0, 2), { format })).toEqual({ ...NONE, matched: 2 });
  expect(await addTruths(prices, byOwn, { format, query: '?id=order_no' })).toEqual({
    ...NONE,
    matched: 1,
    unchanged: 2,
  });
  const changed = byOwn.map((row) => ({ ...row, price: row.price + 1 }));
  expect(await addTruths(prices, changed, { format, query: '?id=order_no' })).toEqual({ ...NONE, corrected: 3 });
  // A correction is stored: sent again, it changes nothing.
  expect(await addTruths(prices, changed, { format, query: '?id=order_no' })).toEqual({ ...NONE, unchanged: 3 });
}
