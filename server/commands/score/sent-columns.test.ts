import type { DuckDBVector } from '@duckdb/node-api';
import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RowColumn, writeArrow } from './row-batch.js';
import { findSentType, SentColumn } from './sent-columns.js';

/** Returns what DuckDB has of some values: a bit for each that is there, and their bytes. */
function vectorOf(values: readonly unknown[], items: ArrayBufferView): DuckDBVector {
  const data = new BigUint64Array(Math.ceil(values.length / 64));
  for (const [row, value] of values.entries()) {
    if (value !== null) data[row >> 6] = (data[row >> 6] ?? 0n) | (1n << BigInt(row & 63));
  }
  const validity = { data: values.includes(null) ? data : null };
  const slice = () => expect.fail('a column is read as a whole');
  return { items, validity, getItem: (row) => values[row], setItem: () => {}, flush: () => {}, slice };
}

function numbers(values: readonly (number | null)[]): DuckDBVector {
  return vectorOf(
    values,
    Float64Array.from(values, (value) => value ?? 0),
  );
}

function flags(values: readonly (boolean | null)[]): DuckDBVector {
  return vectorOf(values, Uint8Array.from(values, Number));
}

/** Texts of 12 bytes or less stand behind their length; of others, there are 4 bytes and an address. */
function texts(values: readonly (string | null)[]): DuckDBVector {
  const strings = Buffer.alloc(16 * values.length);
  for (const [row, value] of values.entries()) {
    const bytes = Buffer.from(value ?? '');
    strings.writeUInt32LE(bytes.length, 16 * row);
    bytes.copy(strings, 16 * row + 4, 0, bytes.length > 12 ? 4 : 12);
  }
  // DuckDB's memory is aligned.
  return vectorOf(values, new Uint8Array(strings));
}

const row = fc.record({
  number: fc.option(fc.double()),
  flag: fc.option(fc.boolean()),
  text: fc.option(
    fc.oneof(
      fc.constantFrom('', 'a', 'ab', 'twelve bytes', 'thirteen byte'),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    ),
  ),
});

test('rows of any chunks are sent as they are', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(row, { maxLength: 80 }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 300 }),
      (chunks, copies) => {
        // Some tables have more rows than a batch, and more texts than the first slots of a dictionary.
        const all = chunks.map((rows) =>
          rows.flatMap((each, at) =>
            Array.from({ length: at === 0 ? copies : 1 }, (_, copy) => ({
              ...each,
              text: copy === 0 ? each.text : `${each.text}${copy}`,
            })),
          ),
        );
        const columns: RowColumn[] = Object.entries({ number: 'DOUBLE', flag: 'BOOLEAN', text: 'VARCHAR' }).flatMap(
          ([name, sql]) => {
            const type = findSentType(sql);
            return type ? [{ name, type }] : [];
          },
        );
        const rows = all.flat().length;
        const [number, flag, text] = columns.map(({ type }) => new SentColumn(type, rows));
        let at = 0;
        for (const chunk of all) {
          number?.add(numbers(chunk.map((each) => each.number)), at, chunk.length);
          flag?.add(flags(chunk.map((each) => each.flag)), at, chunk.length);
          text?.add(texts(chunk.map((each) => each.text)), at, chunk.length);
          at += chunk.length;
        }
        const values = [number, flag, text].flatMap((column) => (column ? [column] : []));
        const sent = tableFromIPC(writeArrow(columns, { rows, columns: values }));
        for (const name of ['number', 'flag', 'text'] as const) {
          const found = Array.from({ length: rows }, (_, row) => sent.getChild(name)?.get(row) ?? null);
          expect(found).toEqual(all.flat().map((each) => each[name]));
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('types that no model reads are not sent', () => {
  for (const type of ['STRUCT(a INTEGER)', 'INTEGER[]', 'BLOB', 'MAP(VARCHAR, INTEGER)', 'INTERVAL', 'constructor']) {
    expect(findSentType(type), type).toBeUndefined();
  }
  expect(findSentType('DECIMAL(9,2)')?.sql).toBe('?::DECIMAL(38,2)');
});
