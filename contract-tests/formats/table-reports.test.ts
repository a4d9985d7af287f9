/** Tests of what a training reports of its table: the rows that it does not use, and where they stand. */
import { type FileFormat, trainFile, untilReady } from 'roster-client';
import { describe, expect, test } from 'vitest';
import { FILE_FORMATS, type TestColumn, writeFile } from '../../testkit/data/table-files.js';
import { hundredLines, trainTable } from '../sent-tables.js';
import { ownProject, roster } from '../target.js';

/** 120 rows, of which those at 7, 8 and 60 have no target. */
const GAPS = [7, 8, 60];
const COLUMNS: readonly TestColumn[] = [
  { kind: 'number', name: 'x', values: Array.from({ length: 120 }, (_, row) => row % 31) },
  { kind: 'number', name: 'y', values: Array.from({ length: 120 }, (_, row) => (GAPS.includes(row) ? null : row)) },
];

/** The place of a row, as each format counts. */
const PLACES: Readonly<Record<FileFormat, (row: number) => object>> = {
  csv: (row) => ({ line: row + 2 }),
  xlsx: (row) => ({ line: row + 2 }),
  ndjson: (row) => ({ line: row + 1 }),
  json: (row) => ({ row }),
  'arrow-stream': (row) => ({ row }),
  'arrow-file': (row) => ({ row }),
  parquet: (row) => ({ row }),
};

async function train(format: FileFormat, columns: readonly TestColumn[], target = 'y') {
  const path = { projectName: await ownProject(), modelName: 'm' };
  const sent = await trainFile(roster, path, writeFile(format, columns, {}), { format, target });
  return { sent, ready: await untilReady(roster, path, { every: 100 }) };
}

describe('rows without a target', () => {
  test.each(FILE_FORMATS)('are counted and named in %s', async (format) => {
    const { sent, ready } = await train(format, COLUMNS);
    const places = GAPS.map(PLACES[format]);
    const reading = { rows_sent: 120, rows_used: 117, left_out: [{ cause: 'no_target', rows: 3, places, words: [] }] };
    for (const model of [sent, ready]) {
      expect(model).toMatchObject({ row_count: 117, reading });
      expect(model.findings[0]).toMatchObject({ kind: 'rows_left_out', column: 'y', rows: 3, share: 3 / 120, places });
    }
  });

  test('are reported with the words in their place, the most frequent first', async () => {
    const path = { projectName: await ownProject(), modelName: 'm' };
    const words = ['', 'NA', 'n/a', 'NA'];
    const line = (row: number) => `${row % 9},${row < 20 ? words[row % 4] : row}`;
    const { reading } = await trainTable(path, hundredLines('x,y', line), 'y');
    expect(reading?.left_out).toMatchObject([
      {
        rows: 20,
        words: [
          { word: 'NA', rows: 10 },
          { word: 'n/a', rows: 5 },
        ],
      },
    ]);
    expect(reading?.left_out[0]?.places).toEqual(Array.from({ length: 10 }, (_, row) => ({ line: row + 2 })));
    expect(reading?.missing_words).toContain('n/a');
  });
});
