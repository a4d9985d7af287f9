/** Tests of what a training reports of its table: the rows that it does not use, and where they stand. */
import { type FileFormat, MEDIA_TYPES, trainFile, untilReady } from 'roster-client';
import { describe, expect, test } from 'vitest';
import { asArray, asRecord } from '../../contract/json-record.js';
import { FILE_FORMATS, type TestColumn, writeFile } from '../../testkit/data/table-files.js';
import { effortOf, hundredLines, trainTable } from '../sent-tables.js';
import { ownProject, roster, send } from '../target.js';

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
  const sent = await trainFile(roster, path, writeFile(format, columns, {}), { format, target, effort: 'fast' });
  return { sent, ready: await untilReady(roster, path, { every: 100 }) };
}

/** Trains a model of `y` with further parameters. */
async function trainCsv(
  path: { projectName: string; modelName: string },
  body: string,
  query: { order_by?: string } & Record<string, unknown>,
) {
  const headers = { 'Content-Type': 'text/csv' };
  const params = { path, query: { target: 'y', ...effortOf(query), ...query } };
  const { error } = await roster.PUT('/api/projects/{projectName}/models/{modelName}', { params, body, headers });
  if (error) throw new Error(JSON.stringify(error));
  return untilReady(roster, path, { every: 100 });
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

describe('cells that are not read', () => {
  const odd = [30, 31, 77];
  const texts = Array.from({ length: 120 }, (_, row) => (odd.includes(row) ? 'TBD' : String(row % 31)));
  const columns: readonly TestColumn[] = [
    { kind: 'text', name: 'x', values: texts },
    { kind: 'number', name: 'y', values: texts.map((_, row) => row) },
  ];
  const listed = (places: readonly object[]) => [
    {
      kind: 'unread_values',
      column: 'x',
      rows: 3,
      share: 3 / 120,
      places,
      message: expect.stringContaining('3 of the 120 values of "x" are not numbers, most often "TBD" (3) (in '),
    },
  ];

  test.each(FILE_FORMATS)('are counted and named in %s, by a training and a preview', async (format) => {
    const places = odd.map(PLACES[format]);
    const { sent } = await train(format, columns);
    expect(ofX(sent.findings)).toMatchObject(listed(places));
    const headers = { 'Content-Type': MEDIA_TYPES[format] };
    const body = writeFile(format, columns, {});
    const preview = await send(`/api/projects/${await ownProject()}/tables/preview`, { method: 'POST', headers, body });
    const { findings } = asRecord(await preview.json());
    expect(ofX(asArray(findings).map(asRecord))).toMatchObject(listed(places));
  });

  test.each<[string, (row: number) => string, string]>([
    ['a total in a column of ids', (row) => `${1000 + row}`, 'Total'],
    ['a date that the calendar lacks', day, '31.06.2025'],
    ['a text in a column of dates', day, 'Summe'],
  ])('are named if it is one: %s', async (_, usual, odd) => {
    const path = { projectName: await ownProject(), modelName: 'm' };
    const at = 444;
    const rows = Array.from({ length: 601 }, (_, row) => `${row === at ? odd : usual(row)},${row % 31}`);
    const { columns, findings } = await trainCsv(path, `x,y\n${rows.join('\n')}\n`, {});
    expect(columns).toMatchObject([{ kind: usual === day ? 'date' : 'number' }]);
    const noun = usual === day ? 'date' : 'number';
    expect(ofX(findings)).toMatchObject([
      {
        ...{ column: 'x', rows: 1, places: [{ line: at + 2 }], effect: 'It counts as missing.' },
        message: `1 of the 601 values of "x" is not a ${noun}: "${odd}" (in line ${at + 2}).`,
      },
    ]);
  });

  /** A day of 2025 as in German. */
  function day(row: number): string {
    return `${String(1 + (row % 28)).padStart(2, '0')}.${String(1 + (row % 12)).padStart(2, '0')}.2025`;
  }

  const ofX = <F extends { readonly kind?: unknown }>(findings: readonly F[]) =>
    findings.filter(({ kind }) => kind === 'unread_values');
});

describe('a forecast', () => {
  test('reports rows whose moment repeats, and those without a value', async () => {
    const path = { projectName: await ownProject(), modelName: 'f' };
    const day = (index: number) => new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10);
    const rows = Array.from({ length: 150 }, (_, index) => `${day(index)},${index === 9 ? 'NA' : index % 7}`);
    rows.splice(20, 0, `${day(30)},4`);
    const model = await trainCsv(path, `d,y\n${rows.join('\n')}\n`, { order_by: 'd', horizon: 5 });
    expect(model).toMatchObject({
      row_count: 150,
      reading: {
        rows_sent: 151,
        rows_used: 149,
        left_out: [
          { cause: 'no_target', rows: 1, places: [{ line: 11 }], words: [{ word: 'NA', rows: 1 }] },
          { cause: 'repeated_moment', rows: 1, places: [{ line: 22 }], words: [] },
        ],
      },
    });
    expect(model.findings.filter(({ kind }) => kind === 'rows_left_out')).toHaveLength(2);
  });
});

describe('the findings of a model', () => {
  test('name merged classes, columns that are not used, and undecided ones with what decides', async () => {
    const path = { projectName: await ownProject(), modelName: 'm' };
    const colours = ['red', 'blue', 'red', 'blue', 'green'];
    const line = (row: number) => {
      const colour = row % 50 === 4 ? 'green' : colours[row % 4];
      return `${row % 9},name-${row},"${1 + (row % 7)},${100 + (row % 13)}",${colour}`;
    };
    const model = await trainTable(path, hundredLines('x,name,amount,colour', line), 'colour');
    expect(model.findings).toMatchObject([
      {
        kind: 'undecided_column',
        column: 'amount',
        remedies: [
          { parameter: 'decimal_point', value: 'amount' },
          { parameter: 'decimal_comma', value: 'amount' },
        ],
      },
      { kind: 'merged_classes', column: 'colour', rows: 2, message: expect.stringContaining('"green"') },
      { kind: 'unused_column', column: 'name', message: expect.stringContaining('nearly every value is different') },
    ]);
    const { data: versions } = await roster.GET('/api/projects/{projectName}/models/{modelName}/versions', {
      params: { path },
    });
    expect(versions?.[0]?.findings).toEqual(model.findings);
  });

  test('do not name columns that were left out on purpose', async () => {
    const path = { projectName: await ownProject(), modelName: 'm' };
    const body = hundredLines(',x,note,y', (row) => `${row},${row % 9},n${row},${row}`);
    const { findings } = await trainCsv(path, body, { exclude: ['note'] });
    expect(findings.filter(({ kind }) => kind === 'unused_column')).toEqual([]);
  });

  test('are at most ten in lists, and at most a hundred of a model', async () => {
    const path = { projectName: await ownProject(), modelName: 'm' };
    const names = Array.from({ length: 130 }, (_, index) => `c${index}`);
    const line = (row: number) => [row % 9, row, ...names.map((name) => `${name}-${row}`)].join(',');
    const { findings } = await trainTable(path, hundredLines(['x', 'y', ...names].join(','), line), 'y');
    expect(findings).toHaveLength(100);
    const { data: models } = await roster.GET('/api/projects/{projectName}/models', { params: { path } });
    expect(models?.[0]?.findings).toEqual(findings.slice(0, 10));
  });
});

test('the summary of a model names the rows that a word left out', async () => {
  const path = { projectName: await ownProject(), modelName: 'm' };
  const line = (row: number) => `${row % 9},${row % 4 === 0 ? row : 'null'}`;
  const lines = ['x,y', ...Array.from({ length: 400 }, (_, row) => line(row))].join('\n');
  const { summary } = await trainTable(path, lines, 'y');
  expect(summary).toContain('300 of 400 rows are left out: they have no value of "y", such as those with "null".');
});
