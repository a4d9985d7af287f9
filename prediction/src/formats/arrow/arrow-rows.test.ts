import * as arrow from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arrowOf, jsonOf, sentTables } from '../../arrow/fixtures.js';
import { makeRows, readRows } from '../../fixtures.js';
import { Predictor, train } from '../../index.js';
import { answer } from '../fixtures.js';

const places = ['centre', 'north', 'south', '12', 'true'];
const DAY = 86_400_000;

/** A model with a column of each kind. */
const model = train(
  readRows(
    makeRows(600, (random, index) => {
      const size = Math.round(2000 * random()) / 16 - 60;
      const place = places[index % 5] ?? '';
      const since = new Date(Date.UTC(2012, 0, 1) + Math.floor(4000 * random()) * DAY);
      const rent = 500 + 3 * size + 40 * (index % 5) + since.getUTCMonth() * 10 + 9 * random();
      return { size, place, since: since.toISOString(), flag: index % 2 === 0, rent };
    }),
    'rent',
  ),
);
const predictor = new Predictor(model);
const NAMES = ['size', 'place', 'since', 'flag', 'rent', ' size', 'where'];
const ROWS = 40;

describe('rows of Arrow are answered as the same values in JSON', () => {
  test.each(['stream', 'file'] as const)('in a %s, whatever the types', async (format) => {
    const from = `arrow-${format}` as const;
    await fc.assert(
      fc.asyncProperty(
        sentTables(NAMES, ROWS),
        fc.integer({ min: 1, max: 5000 }),
        async (columns, size) => {
          const sent = await answer(predictor, arrowOf(columns, format), { from, to: 'json' }, size);
          const expected = await answer(predictor, jsonOf(columns, ROWS), { from: 'json', to: 'json' });
          expect(sent.bytes.toString()).toBe(expected.bytes.toString());
          expect(sent.warnings).toEqual(expected.warnings);
        },
      ),
      { numRuns: 60, seed: 11 },
    );
  });
});

describe('answers in Arrow', () => {
  test('have the columns that were sent, and the predictions of JSON', async () => {
    await fc.assert(
      fc.asyncProperty(
        sentTables(NAMES.slice(0, 5), ROWS),
        fc.constantFrom('stream' as const, 'file' as const),
        async (columns, format) => {
          const body = arrowOf(columns, 'stream');
          const from = 'arrow-stream';
          const { bytes } = await answer(predictor, body, { from, to: `arrow-${format}`, explain: true });
          const { bytes: json } = await answer(predictor, body, { from, to: 'json' });
          const table = arrow.tableFromIPC(bytes);
          const sent = arrow.tableFromIPC(body);
          const expected: unknown[] = JSON.parse(json.toString());
          expect(table.numRows).toBe(ROWS);
          for (const name of ['size', 'place', 'since', 'flag']) {
            const [one, other] = [table.getChild(name), sent.getChild(name)];
            if (String(other?.type).startsWith('List')) continue;
            expect(String(one?.type)).toBe(String(other?.type));
            expect(one?.toJSON()).toEqual(other?.toJSON());
          }
          for (const [row, values] of expected.entries()) {
            const made = table.get(row)?.toJSON() ?? {};
            for (const suffix of ['confidence', 'min', 'max', 'anomaly', 'explain']) {
              const name = `rent_${suffix}`;
              expect(made[name]).toEqual(Reflect.get(Object(values), name));
            }
            expect(made['rent']).toBe(Reflect.get(Object(values), 'rent'));
          }
        },
      ),
      { numRuns: 30, seed: 12 },
    );
  });
});
