/** Tests of tables that contradict themselves, the calendar or their headers: each is refused or reported, with the line. */
import { beforeAll, describe, expect, test } from 'vitest';
import { settled } from '../../testkit/service/train-prices.js';
import { ownProject, readObject, roster, send } from '../target.js';

let project: string;
beforeAll(async () => {
  project = await ownProject();
});

/** A table of `v`, of `ripe`, from which a model can learn, and of the target `y`. */
const tableOf = (cells: readonly string[]) =>
  `v,ripe,y\n${cells.map((cell, row) => `"${cell}",${row % 7},${100 + (row % 7)}`).join('\n')}\n`;
const many = (cell: (row: number) => string, ...last: string[]) => [
  ...Array.from({ length: 120 }, (_, row) => cell(row)),
  ...last,
];

function put(modelName: string, table: string | Buffer, query: string, type: string): Promise<Response> {
  return send(
    `/api/projects/${project}/models/${modelName}?${query}${query.includes('order_by') ? '' : '&effort=fast'}`,
    { method: 'PUT', headers: { 'Content-Type': type }, body: new Uint8Array(Buffer.from(table)) },
  );
}

async function refusal(table: string | Buffer, query: string, type = 'text/csv') {
  const response = await put('refused', table, query, type);
  const { status, errors } = await readObject(response);
  expect(status).toBe(422);
  return errors;
}

async function trained(table: string) {
  expect((await put('trained', table, 'target=y', 'text/csv')).status).toBe(202);
  return (await settled(roster, { projectName: project, modelName: 'trained' })).columns;
}

/** Returns the columns as a preview shows them, which read as those of a training. */
async function previewed(table: string | Buffer, type = 'text/csv') {
  const response = await send(`/api/projects/${project}/tables/preview`, {
    method: 'POST',
    headers: { 'Content-Type': type },
    body: new Uint8Array(Buffer.from(table)),
  });
  expect(response.status).toBe(200);
  return (await readObject(response))['columns'];
}

describe.each([
  [
    'changes its form in its last line',
    many((row) => String(row + 0.25), '1.234,5'),
    /"0\.25" in line 2, and "1\.234,5" in line 122/,
  ],
  [
    'has two forms',
    many((row) => (row % 2 ? `1,${200 + row}.5` : `1.${200 + row},5`)),
    /"1,201\.5" in line 3, and "1\.200,5" in line 2/,
  ],
  ['may mean thousands or decimals', many((row) => `${1 + (row % 9)},${111 + (row % 7)}`), /"1,111" in line 2/],
])('a column that %s', (_, cells, lines) => {
  test('is reported as undecided, with its lines', async () => {
    const reading = { kind: 'undecided', reason: expect.stringMatching(lines) };
    expect(await previewed(tableOf(cells))).toMatchObject([{ kind: 'category', reading }, {}, {}]);
    expect(await trained(tableOf(cells))).toMatchObject([{ kind: 'category', reading }, {}]);
  });

  test('is refused as a target, with its lines', async () => {
    expect(await refusal(tableOf(cells), 'target=v')).toMatchObject([
      { column: 'v', message: expect.stringMatching(lines) },
    ]);
  });
});

describe('days', () => {
  const date = (row: number) => new Date(Date.UTC(2020, 2, 3 + row)).toISOString().slice(0, 10);
  const SERIES = 'target=y&order_by=v&horizon=3';

  test('that the calendar does not have are reported, with the first line', async () => {
    const reason = expect.stringMatching(/the calendar has no such days, such as "31\/06\/1900" in line 2/);
    expect(await previewed(tableOf(many((row) => `31/06/${1900 + (row % 60)}`)))).toMatchObject([
      { kind: 'category', reading: { kind: 'undecided', reason } },
      {},
      {},
    ]);
  });

  test.each(['2020-06-31', '2021-02-29', '31/06/2020'])(
    'that the calendar does not have order no series: %s',
    async (day) => {
      expect(await refusal(tableOf(many(date, day)), SERIES)).toMatchObject([
        { column: 'v', line: 122, message: expect.stringContaining(`"${day}", which is no day of the calendar`) },
      ]);
    },
  );

  test('in two orders are reported, with their lines', async () => {
    const cells = many((row) => `${13 + (row % 15)}/0${1 + (row % 9)}/2020`, '06/28/2020');
    const reason = expect.stringMatching(/"13\/01\/2020" in line 2, and "06\/28\/2020" in line 122/);
    expect(await previewed(tableOf(cells))).toMatchObject([{ reading: { kind: 'undecided', reason } }, {}, {}]);
    expect(await refusal(tableOf(cells), SERIES)).toMatchObject([
      { message: expect.stringMatching(/line 2, .* in line 122/) },
    ]);
  });

  test('of the years 0 and 9999 are days', async () => {
    const table = tableOf(many((row) => `${row % 2 ? '0000' : '9999'}-06-${10 + (row % 20)}`));
    expect(await trained(table)).toMatchObject([
      { kind: 'date', min: '0000-06-11T00:00:00.000Z', max: '9999-06-28T00:00:00.000Z' },
      {},
    ]);
  });

  test.each(['0000-01-01', '9999-12-31'])(
    'far from the others are refused in a series, with the line: %s',
    async (day) => {
      expect(await refusal(tableOf(many(date, day)), SERIES)).toMatchObject([
        {
          line: day.startsWith('9') ? 122 : 2,
          message: expect.stringMatching(/no value for [\d,]{7,} steps of 1 day/),
        },
      ]);
    },
  );
});

describe('a charset', () => {
  const table = tableOf(many((row) => `Größe ${row % 5} €`)).replace('ripe', 'größe');
  const UTF16 = Buffer.from(`\ufeff${table}`, 'utf16le');

  test.each<[string, Buffer]>([
    ['windows-1252', Buffer.from(`\ufeff${table}`)],
    ['utf-16le', Buffer.from(`\ufeff${table}`)],
    ['utf-8', UTF16],
    ['windows-1252', UTF16],
    ['utf-16be', UTF16],
  ])('that contradicts the byte order mark is passed over: %s', async (charset, bytes) => {
    expect(await previewed(bytes, `text/csv; charset=${charset}`)).toMatchObject([
      { examples: ['Größe 0 €', 'Größe 1 €', 'Größe 2 €'] },
      { name: 'größe' },
      {},
    ]);
  });

  test('that is wrong is refused, with the line or the names as they were read', async () => {
    const errors = async (bytes: Buffer, charset: string) =>
      JSON.stringify(await refusal(bytes, `target=${encodeURIComponent('größe')}`, `text/csv; charset=${charset}`));
    expect(await errors(Buffer.from(table), 'windows-1252')).toContain('grÃ¶ÃŸe');
    expect(await errors(Buffer.from(table.replaceAll('€', ''), 'latin1'), 'utf-8')).toMatch(
      /charset=windows-1252.*"line":1/,
    );
    expect(await errors(Buffer.from(table), 'utf-16le')).toMatch(/no column|line/);
  });

  test('that is unknown is refused, with those that are taken', async () => {
    const response = await put('refused', table, 'target=y', 'text/csv; charset=shift_jis');
    expect(await readObject(response)).toMatchObject({ status: 415, detail: expect.stringContaining('windows-1252') });
  });
});
