/** Tests of what is found odd in tables of each format. */
import { type FileFormat, MEDIA_TYPES, type Model, untilReady } from 'roster-client';
import { describe, expect, test } from 'vitest';
import { FILE_FORMATS, type TestColumn, writeFile } from '../../testkit/data/table-files.js';
import { ownProject, roster, send } from '../target.js';

const ROWS = 101;
const rows = <T>(value: (row: number) => T) => Array.from({ length: ROWS }, (_, row) => value(row));
const amounts = rows((row) => (row < 100 ? 200 + row * 9 + ((row * 37) % 20) : 0));

/** A hundred items and their sum, as spreadsheets end. */
const TOTAL: readonly TestColumn[] = [
  { kind: 'text', name: 'item', values: rows((row) => (row < 100 ? `i${row}` : 'Total')) },
  { kind: 'number', name: 'a', values: rows((row) => (row < 100 ? row : null)) },
  {
    kind: 'number',
    name: 'y',
    values: rows((row) => (row < 100 ? amounts[row] : amounts.reduce((a, b) => a + b)) ?? 0),
  },
];

/** Customers, and the reason why some have left. */
const LEAK: readonly TestColumn[] = [
  { kind: 'number', name: 'tenure', values: rows((row) => (row * 31) % 60) },
  { kind: 'text', name: 'cancel_reason', values: rows((row) => ((row * 7) % 3 === 0 ? `R${row % 4}` : null)) },
  { kind: 'text', name: 'churned', values: rows((row) => ((row * 7) % 3 === 0 ? 'Yes' : 'No')) },
];

/** The number of the last row, and its place, as each format counts. */
function lastOf(format: FileFormat): { number: string; place: object } {
  if (format === 'csv' || format === 'xlsx') return { number: '102', place: { line: 102 } };
  return format === 'ndjson' ? { number: '101', place: { line: 101 } } : { number: '100', place: { row: 100 } };
}

/** Sends a table to an address of a project. */
async function sendFile(method: string, address: string, format: FileFormat, columns: readonly TestColumn[]) {
  const headers = { 'Content-Type': MEDIA_TYPES[format] };
  return send(address, { method, headers, body: new Uint8Array(writeFile(format, columns)) });
}

async function train(format: FileFormat, columns: readonly TestColumn[], query: string) {
  const path = { projectName: await ownProject(), modelName: 'm' };
  const sent = await sendFile(
    'PUT',
    `/api/projects/${path.projectName}/models/m?effort=fast&${query}`,
    format,
    columns,
  );
  expect(sent.status).toBe(202);
  return untilReady(roster, path, { every: 100 });
}

async function preview(format: FileFormat, columns: readonly TestColumn[], query: string): Promise<Preview> {
  const address = `/api/projects/${await ownProject()}/tables/preview?${query}`;
  return (await (await sendFile('POST', address, format, columns)).json()) as Preview;
}

interface Preview extends Pick<Model, 'findings'> {
  readonly rows_read: number;
}

describe.each(FILE_FORMATS)('in %s', (format) => {
  test('a row of totals is named, and left out by the parameter that the finding names', async () => {
    const { number, place } = lastOf(format);
    const whole = await train(format, TOTAL, 'target=y');
    const remedies = [{ parameter: 'drop_lines', value: number }];
    expect(whole.findings[0]).toMatchObject({ kind: 'totals_row', rows: 1, places: [place], remedies });
    expect(whole.summary).toContain(`train again with drop_lines=${number}.`);
    expect(whole.summary).not.toContain('The columns say little');
    const rest = await train(format, TOTAL, `target=y&drop_lines=${number}`);
    expect(rest.summary).toMatch(/^Better than/);
    expect(rest.findings.map(({ kind }) => kind)).not.toContain('totals_row');
    const left_out = [{ cause: 'dropped', rows: 1, places: [place], words: [] }];
    expect(rest).toMatchObject({ row_count: 100, reading: { rows_sent: 101, rows_used: 100, left_out } });
    const shown = await preview(format, TOTAL, `target=y&drop_lines=${number}`);
    expect(shown).toMatchObject({ rows_read: 100 });
    expect(JSON.stringify(shown.findings)).not.toContain('totals_row');
  });

  test('a column that is filled for one class alone is named, before the training and after it', async () => {
    const leak = { kind: 'one_class_column', column: 'cancel_reason', rows: 34 };
    const { findings } = await train(format, LEAK, 'target=churned');
    expect(findings[0]).toMatchObject(leak);
    const shown = await preview(format, LEAK, 'target=churned');
    expect(shown.findings[0]).toMatchObject(leak);
  });
});

/** Homes by line, of which the one in line 42 lacks its kind: what follows stands a column too far to the left. */
const moved = (): readonly TestColumn[] => {
  const at = (row: number, cells: readonly (string | null)[], column: number) =>
    (row === 40 ? [...cells.toSpliced(2, 1), null] : cells)[column] ?? null;
  const cellsOf = (row: number) => [
    String(300 + ((row * 53) % 97)),
    String(50 + ((row * 31) % 90)),
    ['flat', 'house', 'loft'][row % 3] ?? null,
    ['north', 'south', 'east'][(row * 7) % 4] ?? 'west',
    ['gas', 'wood'][(row * 5) % 3] ?? 'oil',
    String(1950 + ((row * 37) % 70)),
  ];
  return ['price', 'size', 'kind', 'side', 'heat', 'built'].map((name, column) => ({
    kind: 'text',
    name,
    values: rows((row) => at(row, cellsOf(row), column)),
  }));
};

test.each(['csv', 'xlsx'] as const)(
  'a line of %s whose cells moved is named, before the training and after it',
  async (format) => {
    const finding = { kind: 'shifted_rows', rows: 1, places: [{ line: 42 }] };
    expect((await preview(format, moved(), 'target=price')).findings[0]).toMatchObject(finding);
    expect((await train(format, moved(), 'target=price')).findings[0]).toMatchObject(finding);
  },
);
