/** Tests of tables of which there is much to say: hundreds of findings, more columns than a model may have, and series. */
import { answered, type FileFormat, MEDIA_TYPES, type Model, untilReady } from 'roster-client';
import { expect, test } from 'vitest';
import { FILE_FORMATS, type TestColumn, writeFile } from '../../testkit/data/table-files.js';
import { ownProject, roster, send } from '../target.js';

const CSV = { 'Content-Type': 'text/csv' };

/** A table in which 300 columns have one value. */
const CONSTANT = [
  ['x', 'y', ...Array.from({ length: 300 }, (_, column) => `c${column}`)],
  ...Array.from({ length: 100 }, (_, row) => [row % 9, (row % 9) * 2 + (row % 4), ...Array(300).fill(7)]),
]
  .map((row) => row.join())
  .join('\n');

type Findings = Pick<Model, 'findings'>;

test('of 300 findings, the most important are listed, and the last one counts the others', async () => {
  const projectName = await ownProject();
  const previewed = await send(`/api/projects/${projectName}/tables/preview`, {
    method: 'POST',
    headers: CSV,
    body: CONSTANT,
  });
  const ofPreview = ((await previewed.json()) as Findings).findings;
  expect(ofPreview).toHaveLength(100);
  expect(ofPreview.at(-1)).toMatchObject({
    kind: 'further_findings',
    message: '201 more findings are not listed: 201 of the kind constant_column.',
  });
  const sent = await send(`/api/projects/${projectName}/models/m?target=y`, {
    method: 'PUT',
    headers: CSV,
    body: CONSTANT,
  });
  expect(sent.status).toBe(202);
  const { findings } = await untilReady(roster, { projectName, modelName: 'm' }, { every: 100 });
  expect(findings).toHaveLength(100);
  expect(findings.filter(({ kind }) => kind === 'constant_column')).toHaveLength(99);
  expect(findings.at(-1)).toMatchObject({ kind: 'further_findings', rows: null, remedies: [] });
  const [listed] = await answered(
    roster.GET('/api/projects/{projectName}/models', { params: { path: { projectName } } }),
  );
  expect(listed?.findings).toEqual(findings.slice(0, 10));
});

/** The bound that refuses such a table: of columns, or of values in a row. */
const BOUND: Record<FileFormat, RegExp> = {
  csv: /1,000 columns/,
  json: /1,000 columns/,
  ndjson: /10000 values/,
  'arrow-stream': /1,000 columns/,
  'arrow-file': /1,000 columns/,
  parquet: /1,000 columns/,
  xlsx: /1,000 columns/,
};

/** A table of more columns than a model may have. */
const wide = (format: FileFormat) => {
  const columns = Array.from(
    { length: 10_000 },
    (_, column): TestColumn => ({ kind: 'number', name: `c${column}`, values: [1, 2, 3] }),
  );
  return new Uint8Array(writeFile(format, columns));
};

test.each(FILE_FORMATS)(
  'a table of 10,000 columns in %s is refused by a training, and bounded in a preview',
  async (format) => {
    const headers = { 'Content-Type': MEDIA_TYPES[format] };
    const address = `/api/projects/${await ownProject()}`;
    const body = wide(format);
    const refused = await send(`${address}/models/m?target=c7`, { method: 'PUT', headers, body });
    expect(refused.status).toBe(422);
    const { errors } = (await refused.json()) as { errors: { message: string }[] };
    expect(errors.map(({ message }) => message)).toEqual([expect.stringMatching(BOUND[format])]);
    const previewed = await send(`${address}/tables/preview`, { method: 'POST', headers, body });
    const { columns = [], fault = '' } = (await previewed.json()) as { columns?: unknown[]; fault?: string };
    expect([previewed.status === 422 || fault !== null, columns.length <= 1000]).toEqual([true, true]);
  },
);

test('a training of a forecast reports that a series is the sum of the others', async () => {
  const projectName = await ownProject();
  const sold = (month: number, shop: number) => 100 * shop + ((month * 37 + shop * 11) % 30) + month;
  const lines = Array.from({ length: 36 }, (_, month) => {
    const date = new Date(Date.UTC(2022, month, 1)).toISOString().slice(0, 10);
    const shops = [1, 2, 3].map((shop) => sold(month, shop));
    const total = shops.reduce((sum, each) => sum + each, 0);
    return [...shops.map((each, shop) => `Shop ${shop},${date},${each}`), `Total,${date},${total}`];
  });
  const body = ['shop,date,sales', ...lines.flat()].join('\n');
  const query = 'target=sales&order_by=date&group_by=shop&horizon=3';
  const sent = await send(`/api/projects/${projectName}/models/m?${query}`, { method: 'PUT', headers: CSV, body });
  expect(sent.status).toBe(202);
  const { findings } = await untilReady(roster, { projectName, modelName: 'm' }, { every: 100 });
  expect(findings).toMatchObject([
    { kind: 'total_series', column: 'shop', rows: 36, message: expect.stringContaining('"Total" is the sum') },
  ]);
});
