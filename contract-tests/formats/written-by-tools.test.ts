/** Tests of tables as pandas, R and spreadsheets write them by default. */
import { beforeAll, describe, expect, test } from 'vitest';
import { settled } from '../../testkit/service/train-prices.js';
import { ownProject, roster, send } from '../target.js';

let project: string;
beforeAll(async () => {
  project = await ownProject();
});

const at = (path: string) => `/api/projects/${project}${path}`;

const post = (path: string, body: string | Buffer, type = 'text/csv') =>
  send(at(path), { method: 'POST', headers: { 'Content-Type': type }, body: toBody(body) });

function toBody(body: string | Buffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(body));
}

function train(name: string, body: string | Buffer, target: string, type = 'text/csv') {
  const init = { method: 'PUT', headers: { 'Content-Type': type }, body: toBody(body) };
  return send(at(`/models/${name}?effort=fast&target=${encodeURIComponent(target)}`), init);
}

async function trained(...sent: Parameters<typeof train>) {
  const response = await train(...sent);
  expect(response.status, await response.text()).toBe(202);
  return settled(roster, { projectName: project, modelName: sent[0] });
}

const lines = (header: string, line: (row: number) => string) =>
  [header, ...Array.from({ length: 120 }, (_, row) => line(row)), ''].join('\n');

test('a model of a table with an index does not learn from it, and answers repeat it', async () => {
  const table = lines(',x,y', (row) => `${row},${row % 9},${3 * (row % 9) + (row % 2)}`);
  const model = await trained('indexed', table, 'y');
  expect(model.columns).toMatchObject([
    { name: 'column_1', used: false, reason: expect.stringContaining('no name') },
    { name: 'x', used: true },
  ]);
  const rows = table.replaceAll(/,[^,\n]*\n/g, '\n');
  const answer = await post('/models/indexed/predict?unknown=refuse', rows);
  expect(answer.headers.get('Row-Warnings')).toBeNull();
  expect((await answer.text()).split('\r\n').slice(0, 3)).toEqual([
    'column_1,x,y,y_confidence,y_min,y_max',
    expect.stringMatching(/^0,0,/),
    expect.stringMatching(/^1,1,/),
  ]);
  const others = await post('/models/indexed/predict', 'x\n1\n');
  expect(others.headers.get('Row-Warnings')).toBeNull();
});

test('separators at the ends of lines, and between columns, are passed over and counted', async () => {
  const table = lines('x,,y,', (row) => `${row % 9},,${3 * (row % 9) + (row % 2)},`);
  const model = await trained('spaced', table, 'y');
  expect(model.columns).toMatchObject([{ name: 'x' }]);
  expect(model.summary).toContain('2 columns without a name and without values are left out.');
  const answer = await post('/models/spaced/predict?unknown=refuse', 'x,,\n3,,\n');
  expect([answer.status, answer.headers.get('Row-Warnings')]).toEqual([200, null]);
  const noted = await train('noted', table.replace('\n0,,', '\n0,note,'), 'y');
  expect(await noted.json()).toMatchObject({
    status: 422,
    errors: [{ line: 2, message: expect.stringContaining('in column 2, which has no name') }],
  });
});

describe('text in another encoding', () => {
  const table = lines('straße,größe,miete', (row) => {
    return `Weg ${row % 7} – Ö,${30 + (row % 80)},${300 + 9 * (row % 80)}`;
  });
  const encodings = {
    'windows-1252': (text: string) => Buffer.from(text.replaceAll('–', '\x96'), 'latin1'),
    'ISO-8859-1': (text: string) => Buffer.from(text.replaceAll('–', '\x96'), 'latin1'),
    'utf-16le': (text: string) => Buffer.from(text, 'utf16le'),
    'utf-16be': (text: string) => Buffer.from(text, 'utf16le').swap16(),
    'UTF-16': (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  };

  test.each(Object.entries(encodings))('is read where Content-Type names it: %s', async (charset, encode) => {
    const type = `text/csv; charset=${charset}`;
    const preview = await post('/tables/preview', encode(table), type);
    expect(await preview.json()).toMatchObject({
      columns: [{ name: 'straße', examples: ['Weg 0 – Ö', 'Weg 1 – Ö', 'Weg 2 – Ö'] }, {}, {}],
    });
    const model = await trained('rents', encode(table), 'miete', type);
    expect(model.columns).toMatchObject([{ name: 'straße' }, { name: 'größe', used: true }]);
    const row = encode('straße,größe\nWeg 3 – Ö,40\n');
    const path = '/models/rents/predict?remember=true&id=straße';
    const answer = await post(encodeURI(path), row, type);
    expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
    expect(await answer.text()).toContain('\r\nWeg 3 – Ö,40,');
    const truths = encode('straße,miete\nWeg 3 – Ö,390\n');
    const actuals = await post(encodeURI('/models/rents/actuals?id=straße'), truths, type);
    expect(await actuals.json()).toMatchObject({ matched: 1 });
  });

  test('is refused where nothing, or another encoding, is named', async () => {
    const bytes = encodings['windows-1252'](table);
    expect(await (await train('rents', bytes, 'miete')).json()).toMatchObject({
      status: 422,
      errors: [{ line: 1, message: expect.stringContaining('charset=windows-1252') }],
    });
    const cut = encodings['utf-16le'](table).subarray(0, -1);
    const odd = await train('rents', cut, 'miete', 'text/csv; charset=utf-16');
    expect(await odd.json()).toMatchObject({
      errors: [{ line: 121, message: expect.stringContaining('ends within a character') }],
    });
    const unknown = await train('rents', bytes, 'miete', 'text/csv; charset=koi8-r');
    expect(await unknown.json()).toMatchObject({
      status: 415,
      detail:
        'The charset "koi8-r" is not taken here; name utf-8, windows-1252, iso-8859-1, utf-16le or utf-16be, or send the rows in UTF-8.',
    });
    const json = await post('/models/rents/predict', '[]', 'application/json; charset=latin1');
    expect(json.status).toBe(415);
  });
});
