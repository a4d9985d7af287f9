import { describe, expect, test } from 'vitest';
import { catchFaults, csvStream, makeRows, QUICK } from '../../../testkit/prediction/sample-tables.js';
import {
  type AnswerPart,
  answerRows,
  decodeModel,
  describeModel,
  encodeModel,
  Predictor,
  previewTable,
  type RowWarnings,
  readCsvTable,
  readRowsTable,
  type TableFault,
  train,
} from '../index.js';
import { TableDecoder } from '../table/codec/decode.js';
import { encodeTable } from '../table/codec/encode.js';
import type { ReadOptions } from './read-table.js';

const rows = makeRows(200, (random, index) => {
  const x = random();
  return { name: `row ${index}`, x: x.toFixed(3), y: (3 * x + random() / 9).toFixed(3) };
});

/** A table in CSV, each row of which is written by a function. */
function csv(header: string, line: (row: Record<string, unknown>, index: number) => string) {
  return [header, ...rows.map(line), ''].join('\n');
}

const AS_PANDAS = csv(',x,y', ({ x, y }, index) => `${index},${x},${y}`);
const AS_R = csv('"","x","y"', ({ name, x, y }) => `"${name}",${x},${y}`);
const WITH_SPACERS = csv('x,,y,', ({ x, y }) => `${x},,${y},`);

function read(text: string, options?: ReadOptions, target = 'y') {
  return readCsvTable(csvStream(text), target, options);
}

async function trainOn(text: string, options?: ReadOptions) {
  const table = await read(text, options);
  if (table.task !== 'regression') throw new Error('The table is of another task.');
  return { table, model: train(table, QUICK) };
}

async function predict(model: Awaited<ReturnType<typeof trainOn>>['model'], body: string) {
  const predictor = new Predictor(model);
  const parts: AnswerPart[] = [];
  const options = { from: 'csv', to: 'csv' } as const;
  for await (const part of answerRows(predictor, csvStream(body), options)) parts.push(part);
  const bytes = parts.flatMap((part) => (part.kind === 'bytes' ? [part.bytes] : []));
  const [warnings] = parts.flatMap((part) => (part.kind === 'warnings' ? [part.warnings] : []));
  return { lines: Buffer.concat(bytes).toString().split('\r\n'), warnings };
}

const NONE: RowWarnings = { warnings: [], more: 0 };

describe('a first column without a name', () => {
  test.each([
    ['the numbers of rows, as pandas writes', AS_PANDAS],
    ['the names of rows, as R writes', AS_R],
  ])('with %s is not learnt from, and is the column column_1', async (_what, text) => {
    const { model } = await trainOn(text);
    expect(model.columns).toMatchObject([
      { name: 'column_1', used: false, reason: expect.stringContaining('has no name') },
      { name: 'x', used: true },
    ]);
    expect(model.columns[0]).not.toHaveProperty('chosen');
    expect(decodeModel(encodeModel(model))).toEqual(model);
  });

  test('is echoed in rows of the same file without the target, and not missed in others', async () => {
    const { model } = await trainOn(AS_R);
    const [header, first] = AS_R.split('\n').map((line) => line.replace(/,[^,]*$/, ''));
    const same = await predict(model, `${header}\n${first}\n`);
    expect(same.lines[0]).toBe('column_1,x,y,y_confidence,y_min,y_max');
    expect(same.lines[1]).toMatch(/^row 0,/);
    expect(same.warnings).toEqual(NONE);
    const without = await predict(model, `x\n${first?.split(',')[1]}\n`);
    expect(without.lines[1]?.slice(1)).toBe(same.lines[1]?.slice('row 0'.length + 1));
    expect(without.warnings).toEqual(NONE);
  });

  test('is the same in rows of JSON, in tables and to predict', async () => {
    const objects = rows.map(({ x, y }, index) => ({ '': index, x: Number(x), y: Number(y) }));
    const table = readRowsTable(objects, 'y');
    if (table.task !== 'regression') throw new Error('The table is of another task.');
    const model = train(table, QUICK);
    expect(model.columns.map(({ name, used }) => [name, used])).toEqual([
      ['column_1', false],
      ['x', true],
    ]);
    const check = new Predictor(model).check();
    check.add(objects);
    expect(check.warnings(9)).toEqual(NONE);
  });

  test('is learnt from where its use is chosen, and is a target where it is asked for', async () => {
    const { model } = await trainOn(AS_PANDAS, { choices: [['column_1', 'number']] });
    expect(model.columns[0]).toMatchObject({ name: 'column_1', used: true, chosen: 'number' });
    const asTarget = await read(AS_PANDAS, {}, 'column_1');
    expect(asTarget.target).toBe('column_1');
    const goal = { orderBy: 'column_1', groupBy: [], horizon: 2, known: [] };
    for (const table of [asTarget, await read(AS_PANDAS, { task: goal })]) {
      expect(table).not.toHaveProperty('unnamedColumns');
    }
  });

  test('that another column takes the name of must be named', async () => {
    const text = csv(',column_1,y', ({ x, y }, index) => `${index},${x},${y}`);
    expect(await catchFaults(() => read(text))).toEqual([
      { line: 2, message: expect.stringContaining('"0" in column 1, which has no name') },
    ]);
  });

  test('is kept apart in series, and in a table that waits for its training', async () => {
    const text = csv(',day,y', ({ y }, index) => `${index},${index + 1},${y}`);
    const goal = { orderBy: 'day', groupBy: [], horizon: 2, known: [] };
    const series = await read(text, { task: goal });
    expect(series.columns.map(({ name }) => name)).toEqual(['column_1']);
    for (const table of [series, await read(AS_PANDAS), await read(WITH_SPACERS)]) {
      const decoder = new TableDecoder();
      for (const part of encodeTable(table)) decoder.add(part);
      expect(decoder.finish()).toEqual(table);
    }
  });
});

describe('columns without a name and without values', () => {
  test('are left out, and counted in the summary', async () => {
    const { table, model } = await trainOn(WITH_SPACERS);
    expect(model.columns.map(({ name }) => name)).toEqual(['x']);
    expect(describeModel(model, table)).toMatch(
      /variance\. 2 columns without a name and without values are left out\.$/,
    );
    const blankFirst = await read(csv(',x,y', ({ x, y }) => `,${x},${y}`));
    expect(blankFirst).toMatchObject({ unnamedColumns: 1, columns: [{ name: 'x' }] });
  });

  test('may be thousands', async () => {
    const commas = ','.repeat(5000);
    const wide = csv(`x,y${commas}`, ({ x, y }) => `${x},${y}${commas}`);
    expect(await read(wide)).toMatchObject({ unnamedColumns: 5000, columns: [{ name: 'x' }] });
    const preview = await previewTable(csvStream(wide), 'csv');
    expect(preview).toMatchObject({ unnamed_columns: 5000, columns: [{ name: 'x' }, { name: 'y' }] });
    const endless = `x,y${','.repeat(1_000_000)}\n`;
    expect(await catchFaults(() => read(endless))).toEqual([
      expect.objectContaining({ message: expect.stringContaining('more than 10,000 fields') }),
    ]);
    expect(await catchFaults(() => read(`${commas}\n${commas}\n`))).toEqual([
      { message: expect.stringContaining('No column has a name') },
    ]);
  });

  test('are no unknown names in rows to predict; with values, the rows with them are', async () => {
    const { model } = await trainOn(WITH_SPACERS);
    expect((await predict(model, 'x,,\n0.5,,\n0.6,,\n')).warnings).toEqual(NONE);
    expect((await predict(model, 'x,,\n0.5,,\n0.6,7,\n')).warnings?.warnings).toEqual([
      { kind: 'unknown-name', name: '', rows: 1, nearest: null },
    ]);
  });

  test('with a value are refused at its line', async () => {
    const fault = async (text: string): Promise<TableFault[]> => [...(await catchFaults(() => read(text)))];
    const text = csv('x,,y', ({ x, y }, index) => `${x},${index === 70 ? 'note' : ''},${y}`);
    expect(await fault(text)).toEqual([
      {
        line: 72,
        message:
          'Line 72 has the value "note" in column 2, which has no name. Name the column in the header, or remove it.',
      },
    ]);
  });
});

test('a preview names an index, counts columns without a name and a value, and shows those with one', async () => {
  const shown = async (text: string) => previewTable(csvStream(text), 'csv');
  expect((await shown(AS_PANDAS)).columns).toMatchObject([
    { name: 'column_1', kind: 'number', is_index: true },
    { name: 'x', is_index: false },
    { name: 'y', is_index: false },
  ]);
  const named = (target?: string) =>
    previewTable(csvStream(AS_PANDAS), 'csv', { target }).then(({ findings }) => findings.map(({ column }) => column));
  expect(await named()).not.toContain('column_1');
  expect(await named('y')).not.toContain('column_1');
  expect(await shown(WITH_SPACERS)).toMatchObject({
    columns: [{ name: 'x' }, { name: 'y' }],
    unnamed_columns: 2,
    rows: expect.arrayContaining([[rows[0]?.['x'], rows[0]?.['y']]]),
  });
  const noted = await shown('x,,y\n1,note,2\n');
  expect(noted.columns.map(({ name }) => name)).toEqual(['x', '', 'y']);
  expect(noted.unnamed_columns).toBe(0);
});
