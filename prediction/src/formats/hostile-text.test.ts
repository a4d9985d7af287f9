import { expect, test } from 'vitest';
import { readRows, rentRows } from '../fixtures.js';
import {
  MADE_FILES,
  type MadeNumbers,
  type MakeFile,
  TIMEOUT,
  tryFiles,
} from '../hostile-files/fixtures.js';
import { Predictor, readCsvTable, readJsonTable, readNdjsonTable, train } from '../index.js';
import { JsonShapeError, MalformedJsonError } from '../table/json/json-errors.js';
import { TableError } from '../table/table-error.js';
import { DeclinedError, type RowFormat, RowsError } from './answer-part.js';
import { answerRows } from './answer-rows.js';
import { pieces } from './fixtures.js';

const NAMES = ['rooms', 'place', 'index', 'rent'];

/** A count that is chosen. The largest ones are one more than the bytes, or the values, that a row may have. */
function countOf(numbers: MadeNumbers, value: number): number {
  const chosen = numbers.set(value);
  if (chosen >= 2 ** 63 && numbers.pick(8) === 0) return 1024 * 1024 + 1;
  if (chosen >= 2 ** 53) return 10_001;
  return Math.min(Math.max(chosen, 0), 300);
}

function times(numbers: MadeNumbers, text: string, value: number): string {
  return text.repeat(countOf(numbers, value));
}

/** The end of a line, with others before it that may be many. */
function lineEnd(numbers: MadeNumbers): string {
  return times(numbers, '\n', 0) + times(numbers, '\r', numbers.pick(2)) + times(numbers, '\n', 1);
}

function makeCsv(numbers: MadeNumbers): Uint8Array {
  const mark = times(numbers, '\ufeff', numbers.pick(2));
  const field = (text: string) => {
    const quotes = numbers.pick(3) === 0 ? 1 : 0;
    const inner = text + times(numbers, '""', 0) + times(numbers, '\n', 0);
    return times(numbers, '"', quotes) + inner + '"'.repeat(quotes);
  };
  const record = (cells: readonly string[]) =>
    cells.map(field).join(',') + times(numbers, ',', 0) + lineEnd(numbers);
  const rows = Array.from({ length: 1 + numbers.pick(8) }, (_, row) =>
    record([String(row), times(numbers, 'x', 4), times(numbers, '9', 2), String(row)]),
  );
  return Buffer.from(mark + record(NAMES) + rows.join(''));
}

function jsonRow(numbers: MadeNumbers): string {
  const depth = countOf(numbers, numbers.pick(3));
  const values = [
    times(numbers, '9', 2) || '0',
    `"${times(numbers, 'n', 5)}${times(numbers, '\\u0041', 0)}${times(numbers, '\\', 0)}"`,
    `${'['.repeat(depth)}1${times(numbers, ',1', 0)}${times(numbers, ']', depth)}`,
    `1e${countOf(numbers, 2)}`,
  ];
  const members = NAMES.map((name, at) => `"${name}":${values[at] ?? 'null'}`);
  const more = times(numbers, ',"more":{}', 0);
  return (
    times(numbers, '{', 1) + members.join(times(numbers, ',', 1)) + more + times(numbers, '}', 1)
  );
}

function makeNdjson(numbers: MadeNumbers): Uint8Array {
  const rows = Array.from(
    { length: 1 + numbers.pick(8) },
    () => jsonRow(numbers) + lineEnd(numbers),
  );
  return Buffer.from(times(numbers, '\ufeff', numbers.pick(2)) + rows.join(''));
}

function makeJson(numbers: MadeNumbers): Uint8Array {
  const rows = Array.from({ length: 1 + numbers.pick(8) }, () => jsonRow(numbers));
  const list = rows.join(times(numbers, ',', 1) + times(numbers, ' ', 0));
  return Buffer.from(times(numbers, '[', 1) + list + times(numbers, ']', 1));
}

const predictor = new Predictor(train(readRows(rentRows(60), 'rent')));

test.each<[RowFormat, MakeFile, (source: AsyncIterable<Uint8Array>) => Promise<unknown>]>([
  ['csv', makeCsv, (source) => readCsvTable(source, 'rent')],
  ['ndjson', makeNdjson, (source) => readNdjsonTable(source, 'rent')],
  ['json', makeJson, (source) => readJsonTable(source, 'rent')],
])(
  'counts in %s that are chosen to harm are read or refused',
  async (from, make, readTable) => {
    const isTableFault = (error: unknown) =>
      error instanceof TableError ||
      error instanceof MalformedJsonError ||
      error instanceof JsonShapeError;
    const outcomes = await tryFiles(
      make,
      async (bytes, _budget, seed) => {
        const to = (['json', 'csv', 'arrow-stream', 'ndjson'] as const)[seed % 4] ?? 'json';
        // No file has enough rows to train on. What vitest is given to await, it keeps until the test ends.
        const fault: unknown = await readTable(pieces(bytes, 30_000)).catch((error) => error);
        if (!isTableFault(fault)) throw fault;
        for await (const part of answerRows(predictor, pieces(bytes, 30_000), { from, to })) {
          if (part.kind === 'fault') expect(part.message).not.toBe('');
        }
      },
      (error) => error instanceof RowsError || error instanceof DeclinedError,
    );
    expect(outcomes.read).toBeGreaterThan(MADE_FILES / 8);
    if (from !== 'ndjson') expect(outcomes.refused).toBeGreaterThan(MADE_FILES / 20);
  },
  TIMEOUT,
);
