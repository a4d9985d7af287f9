/** Tests of words for missing values: in trainings, by parameters, and for rows, truths and previews. */
import { answered, type Model } from 'roster-client';
import { describe, expect, test } from 'vitest';
import { settled } from '../../testkit/service/train-prices.js';
import { effortOf } from '../sent-tables.js';
import { ownProject, roster, send } from '../target.js';
import { addTruths, listIds, NONE, predictRows } from './promised-rows.js';

const ONE = '/api/projects/{projectName}/models/{modelName}';
const PREVIEW = '/api/projects/{projectName}/tables/preview';

type Query = Omit<NonNullable<Parameters<typeof roster.PUT<typeof ONE>>[1]>['params']['query'], 'target'>;

const projectName = await ownProject();

const lines = (header: string, line: (row: number) => string) =>
  [header, ...Array.from({ length: 300 }, (_, row) => line(row))].join('\n');

function put(modelName: string, body: string, query: Query = {}) {
  return roster.PUT(ONE, {
    params: { path: { projectName, modelName }, query: { target: 'y', ...effortOf(query), ...query } },
    headers: { 'Content-Type': 'text/csv' },
    body,
  });
}

async function train(modelName: string, body: string, query: Query = {}): Promise<Model> {
  return settled(roster, { projectName, modelName }, await answered(put(modelName, body, query)));
}

/** A dash in every 17th row, and in place of every 21st target a word. */
const DASHES = lines('x,y', (row) => `${row % 17 === 0 ? '-' : (row * 37) % 499},${row % 21 === 0 ? 'k.A.' : row}`);

test('None is a class, in the table, in rows to predict and in truths', async () => {
  const body = lines('x,y', (row) => `${row},${row % 5 ? 'None' : row < 150 ? 'Minor' : 'Medium'}`);
  const { reading, row_count, ...model } = await train('damage', body);
  expect(row_count).toBe(300);
  expect(reading).toMatchObject({ rows_sent: 300, rows_used: 300, left_out: [] });
  expect(reading?.missing_words).toEqual(['na', 'n/a', '#n/a', '<na>', 'nan', '-nan', 'null']);
  expect(model).toMatchObject({ classes: [{ name: 'None', rows: 240 }, { rows: 30 }, { rows: 30 }] });
  const address = `/api/projects/${projectName}/models/damage`;
  const rows = await predictRows(address, 'remember=true', [{ x: 8 }, { x: 9 }, { x: 11 }]);
  const truths = ['None', 'NA', 'Medium'].map((y, at) => ({ __service_row_id: listIds(rows)[at] ?? '', y }));
  expect(await addTruths(address, truths)).toMatchObject({
    ...{ matched: 2, unmatched: 1 },
    unmatched_rows: [{ row: 2, reason: 'target-missing' }],
  });
});

describe('words that a training names', () => {
  test('are missing in columns, the target and truths, and are kept by it', async () => {
    const { columns, reading, findings, row_count } = await train('words', DASHES, {
      missing: ['k.a.'],
      missing_in: ['x=-'],
    });
    expect(row_count).toBe(285);
    expect(columns).toMatchObject([{ kind: 'number', reading: null, missing_share: expect.closeTo(17 / 285, 2) }]);
    expect(columns?.[0]).toHaveProperty('missing_words', ['-']);
    expect(reading).not.toHaveProperty('target_missing_words');
    expect(reading).toMatchObject({
      left_out: [{ cause: 'no_target', rows: 15, words: [{ word: 'k.A.', rows: 15 }] }],
    });
    expect(reading?.missing_words).toContain('k.a.');
    expect(findings).toMatchObject([{ kind: 'rows_left_out' }]);
    const address = `/api/projects/${projectName}/models/words`;
    const ids = listIds(await predictRows(address, 'remember=true', [{ x: '-' }, { x: '4' }]));
    const truths = ['K.A.', '7'].map((y, at) => ({ __service_row_id: ids[at] ?? '', y }));
    expect(await addTruths(address, truths)).toEqual({
      ...NONE,
      ...{ matched: 1, unmatched: 1, unmatched_rows: [{ row: 1, reason: 'target-missing' }] },
    });
  });

  test('are listed for the columns and the target that they are named for', async () => {
    const body = lines('x,z,y', (row) => `${row % 17 ? row : '-'},${row % 7},${row % 21 ? row : 'k.A.'}`);
    const { columns, reading } = await train('listed', body, {
      missing: ['TBD'],
      missing_in: ['y=k.A.', 'x=-', 'x=tbd'],
    });
    expect(columns).toMatchObject([{ name: 'x', missing_words: ['-'] }, { name: 'z' }]);
    expect(columns?.[1]).not.toHaveProperty('missing_words');
    expect(reading?.missing_words.at(-1)).toBe('tbd');
    expect(reading?.target_missing_words).toEqual(['k.a.']);
  });

  test.each(['csv', 'xlsx'] as const)('are missing truths in %s', async (format) => {
    const modelName = `truths-${format}`;
    await train(modelName, DASHES, { missing_in: ['x=-', 'y=k.A.'] });
    const address = `/api/projects/${projectName}/models/${modelName}`;
    const ids = listIds(await predictRows(address, 'remember=true', [{ x: '-' }, { x: '4' }, { x: '5' }]));
    const truths = ['7', 'k.A.', ' K.a. '].map((y, at) => ({ __service_row_id: ids[at] ?? '', y }));
    expect(await addTruths(address, truths, { format })).toMatchObject({
      ...{ matched: 1, unmatched: 2 },
      unmatched_rows: [2, 3].map((row) => ({ row, reason: 'target-missing' })),
    });
  });

  test('may be a frequent number, which a finding counts', async () => {
    const body = lines('x,y', (row) => `${row % 3 ? row : 0},${row}`);
    const { findings, columns } = await train('zero', body, { missing_in: ['x=0'] });
    expect(columns?.[0]).toMatchObject({ kind: 'number', min: 1, missing_share: 1 / 3 });
    expect(findings).toContainEqual(
      expect.objectContaining({ kind: 'unread_values', column: 'x', rows: 100, share: 1 / 3, places: [{ line: 2 }] }),
    );
  });

  test('are shown in a preview', async () => {
    const { data } = await roster.POST(PREVIEW, {
      params: { path: { projectName }, query: { missing: ['-'], missing_in: ['y=k.A.'] } },
      headers: { 'Content-Type': 'text/csv' },
      body: DASHES,
    });
    expect(data?.columns).toMatchObject([
      { kind: 'number', missing: [{ text: '-', rows: 18 }] },
      { kind: 'number', missing: [{ text: 'k.A.', rows: 15 }] },
    ]);
  });

  const word = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`);
  test.each<[string, Query, number, string]>([
    ['51 of them', { missing: word(51) }, 400, '/query/missing'],
    ['one of 101 characters', { missing: ['w'.repeat(101)] }, 400, '/query/missing/0'],
    ['an empty one', { missing: [''] }, 400, '/query/missing'],
    ['a blank one', { missing: [' '] }, 400, '/query/missing/0'],
    ['U+0000', { missing: ['a\0'] }, 400, '/query/missing/0'],
    ['no column', { missing_in: ['TBD'] }, 400, '/query/missing_in/0'],
    ['a column that is left out', { missing_in: ['x=0'], exclude: ['x'] }, 400, '/query/missing_in'],
    ['a column that tells series apart', SERIES('x=0'), 400, '/query/missing_in'],
    ['a column that is not there', { missing_in: ['z=0'] }, 422, 'which missing_in names'],
    ['all values of the target', { missing: word(1), missing_in: ['y=w'] }, 422, 'Only 0 rows have'],
  ])('refuse %s', async (_, query, status, at) => {
    const body = query.missing_in?.[0] === 'y=w' ? lines('x,y', (row) => `${row},w`) : DASHES;
    const { error, response } = await put('refused', body, query);
    expect(response.status).toBe(status);
    expect(JSON.stringify(error)).toContain(at);
  });

  test('are refused where they are as many, or one is as long, as an address may have', async () => {
    for (const query of ['&missing=w'.repeat(1000), `&missing=${'w'.repeat(10_000)}`]) {
      const address = `/api/projects/${projectName}/models/refused?target=y${query}`;
      const response = await send(address, { method: 'PUT', headers: { 'Content-Type': 'text/csv' }, body: DASHES });
      expect(response.status).toBe(400);
    }
  });
});

function SERIES(entry: string): Query {
  return { order_by: 'z', group_by: ['x'], horizon: 2, missing_in: [entry] };
}

describe('texts among numbers', () => {
  test('leave the column undecided, and a finding names them with what to send', async () => {
    const { columns, findings } = await train('dashes', DASHES, { as_number: ['y'] });
    expect(columns?.[0]).toMatchObject({ kind: 'category', reading: { kind: 'undecided' } });
    expect(findings.find(({ kind }) => kind === 'frequent_text')).toMatchObject({
      column: 'x',
      rows: 17,
      places: Array.from({ length: 10 }, (_, index) => ({ line: 19 + 17 * index })),
      message: expect.stringContaining('most often "-" (17)'),
      remedies: [
        { parameter: 'missing_in', value: 'x=-' },
        { parameter: 'as_number', value: 'x' },
        { parameter: 'as_category', value: 'x' },
      ],
    });
  });

  test('in the target are refused with the ways out, of which as_number leaves their rows out', async () => {
    const { error } = await put('refused', DASHES);
    expect(JSON.stringify(error)).toMatch(/missing=k\.A\..*as_number=y/);
    const { reading, task, row_count } = await train('numbers', DASHES, { as_number: ['y'] });
    expect({ task, row_count }).toEqual({ task: 'regression', row_count: 285 });
    expect(reading?.left_out).toMatchObject([{ rows: 15, words: [{ word: 'k.A.', rows: 15 }] }]);
    const { error: both, response } = await put('refused', DASHES, { as_number: ['y'], task: 'classification' });
    expect(response.status).toBe(400);
    expect(JSON.stringify(both)).toContain('/query/as_number');
  });
});
