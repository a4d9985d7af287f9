import { gzipSync } from 'node:zlib';
import { MEDIA_TYPES } from 'roster-client';
import { diamondTable, slowTable } from '../../testkit/data/diamonds.js';
import { columnsOf, FILE_FORMATS, fileOf } from '../../testkit/data/table-files.js';
import type { Session } from './session.js';

type Row = Readonly<Record<string, string | number | null>>;

const MODELS = '/api/projects/default/models';
const CSV = { 'Content-Type': 'text/csv' };
const LINES = { 'Content-Type': 'application/x-ndjson' };
const JSON_ROWS = { 'Content-Type': 'application/json' };

const { rows: diamonds, csv: diamondsCsv } = diamondTable(400);

/** Rows that a model knows, and others that it warns of. */
const ROWS: readonly (readonly [name: string, rows: readonly Row[]])[] = [
  ['one row', diamonds.slice(0, 1)],
  ['rows', diamonds.slice(0, 20)],
  ['many rows', Array.from({ length: 1500 }, (_, at) => diamonds[at % diamonds.length] ?? {})],
  [
    'odd rows',
    [
      { carat: 0.7, cut: 'Ideal', colour: 'G', ' color ': 'E', price: 1 },
      { carat: 99, cut: 'Broken', colour: null, ' color ': '', price: 2 },
      { carat: -0, cut: '=1+1', colour: 'é, "quoted"\n', ' color ': '💎', price: 1e300 },
    ],
  ],
  [
    'rows of other columns',
    [
      { weight: 1, height: 'tall' },
      { weight: 2, height: null },
    ],
  ],
];

/** Bodies that only a text can have. */
const TEXTS: readonly (readonly [headers: Record<string, string>, body: string])[] = [
  [JSON_ROWS, '[]'],
  [JSON_ROWS, '{}'],
  [JSON_ROWS, '{"data":[{"carat":0.7}],"params":{}}'],
  [JSON_ROWS, '{"rows":[{"carat":0.7}]}'],
  [JSON_ROWS, '{"data":[{"carat":0.7}],"more":1}'],
  [JSON_ROWS, '[null,1,"text",[],{},true,{"carat":"0.7"},{"carat":{"a":1}},{"carat":[1]}]'],
  [JSON_ROWS, '[{"carat":1e400},{"carat":-1e400},{"carat":0.1e-400}]'],
  [JSON_ROWS, '[{"carat":0.7},]'],
  [JSON_ROWS, '[{"carat":0.7}'],
  [JSON_ROWS, '\ufeff[{"carat":0.7}]'],
  [JSON_ROWS, '[{"carat":"0,7","cut":"Ideal "},{"\\u0063arat":"1,234.5"}]'],
  [JSON_ROWS, `[${'['.repeat(200)}${']'.repeat(200)}]`],
  [JSON_ROWS, '[{"carat":0.7,"carat":0.8},{"__proto__":{"carat":1}}]'],
  [LINES, ''],
  [LINES, '\n\r\n{"carat":0.7}\r\n{"carat":\n{"carat":0.8}'],
  [LINES, '{"carat":0.7,"colour":"G"}\n[1]\nnull\n"x"\n{"cut":"\ud83d"}\n'],
  [LINES, `{"cut":"${'x'.repeat(1_100_000)}"}\n{"carat":0.7}\n`],
  [CSV, ''],
  [CSV, 'carat\n'],
  [CSV, '\ufeffcarat,cut\r\n0.7,Ideal\r\n\r\n0.8,"a ""b"", c"\r\n'],
  [CSV, 'carat,cut\n0.7\n0.8,Ideal,G\n'],
  [CSV, 'carat;cut\n"0,7";Ideal\n1.234,5;Fair\n'],
  [CSV, 'carat\tcut\n0.7\tIdeal\n'],
  [CSV, 'carat,cut\n0.3,Ideal\n0.5,"Ideal'],
  [CSV, 'carat,carat\n1,2\n'],
  [CSV, 'carat,price_min,price\n1,2,3\n'],
  [CSV, '0.7,Ideal\n0.3,Fair\n'],
];

const QUERIES = ['', '?explain=true', '?confidence=0.5&explain=true', '?unknown=refuse'];
const TEXT_QUERIES = ['', '?unknown=refuse', '?header=false', '?delimiter=semicolon'];

/** Tables that are unusable, or that are read in a way of their own. */
const TABLES: readonly (readonly [name: string, csv: string, query?: string])[] = [
  ['empty', ''],
  ['header', 'x,t\n'],
  ['few rows', table(10, (row) => `${row % 3},${row}`)],
  ['constant target', table(60, (row) => `${row},1`)],
  ['no target', table(60, (row) => `${row},${row}`), '?target=price'],
  ['no target, similar', table(60, (row) => `${row},${row}`), '?target=T'],
  ['no parameter', table(60, (row) => `${row},${row}`), ''],
  ['no columns', `t\n${Array.from({ length: 60 }, (_, row) => `${row}\n`).join('')}`],
  ['identifiers', table(60, (row) => `id${row},${row}`)],
  ['same names', `t,${table(60, (row) => `${row},${row},1`)}`],
  ['reserved name', table(60, (row) => `${row},${row}`).replace('x,', 't_min,')],
  ['wide row', `${table(60, (row) => `${row % 5},${row}`)}1,2,3\n`],
  ['narrow row', `${table(60, (row) => `${row % 5},${row}`)}1\n`],
  ['open quote', `${table(60, (row) => `${row % 5},${row}`)}"1,2\n`],
  ['infinite', `${table(60, (row) => `${row % 5},${row}`)}1,1e400\n`],
  ['NUL', `${table(60, (row) => `${row % 5},${row}`)}\u0000,1\n`],
  ['text in numbers', `${table(60, (row) => `${row % 5},${row}`)}1,many\n`],
  ['long cell', `${table(60, (row) => `${row % 5},${row}`)}${'x'.repeat(1_100_000)},1\n`],
  ['classes', table(90, (row) => `${row % 7},${['a', 'b ', 'TRUE'][row % 3]}`)],
  [
    'rare classes',
    table(90, (row) => `${row % 7},${row < 80 ? row % 2 : row}`),
    '?target=t&task=classification',
  ],
  ['many classes', table(200, (row) => `${row % 7},c${row}`)],
  ['one class', table(60, (row) => `${row},yes`)],
  ['classes as numbers', table(60, (row) => `${row % 7},c${row % 2}`), '?target=t&task=regression'],
  ['booleans', table(60, (row) => `${row % 7},${row % 7 > 3}`)],
  ['dates', table(80, (row) => `2026-01-${String((row % 28) + 1).padStart(2, '0')},${row}`)],
  ['decimal commas', table(80, (row) => `"${row},5","1.${String(100 + row)},25"`)],
  [
    'missing values',
    table(80, (row) => `${['', 'NA', 'null', 'NaN', row][row % 5]},${row % 9 ? row : ''}`),
  ],
  [
    'semicolons',
    table(80, (row) => `${row % 9};${row}`).replace(',', ';'),
    '?target=t&delimiter=semicolon',
  ],
  ['no header', table(80, (row) => `${row % 9},${row}`).slice(4), '?target=2&header=false'],
  [
    'no header, named',
    table(80, (row) => `${row % 9},${row}`).slice(4),
    '?target=column_2&header=false',
  ],
  ['texts', table(120, (row) => `"word${row % 11} other${row % 5}",${row % 50}`)],
];

function table(rows: number, line: (row: number) => string): string {
  return `x,t\n${Array.from({ length: rows }, (_, row) => `${line(row)}\n`).join('')}`;
}

/** Trains models from tables of each format, and predicts rows of each format in each. */
export async function sendPredictions(session: Session): Promise<void> {
  for (const format of FILE_FORMATS) {
    const headers = { 'Content-Type': MEDIA_TYPES[format] };
    const body = fileOf(format, columnsOf(diamonds));
    for (const [name, query] of [
      ['prices', '?target=price'],
      ['cuts', '?target=cut'],
    ]) {
      const sent = { method: 'PUT', path: `${MODELS}/${name}${query}`, headers, body };
      await session.send(`${name} from ${format}`, 'trainModel', sent);
    }
    for (const at of [0, 8, Math.floor(body.length / 2), body.length - 9]) {
      const changed = Buffer.from(body);
      changed[at] = (changed[at] ?? 0) ^ 0x55;
      const path = `${MODELS}/changed?target=price`;
      const sent = { method: 'PUT', path, headers, body: changed };
      await session.send(`table of ${format} changed at ${at}`, 'trainModel', sent);
    }
  }
  await sendTables(session);
  for (const model of ['prices', 'cuts', 'prices.1', 'cuts.99', 'none']) {
    await sendRows(session, model);
  }
  await sendVersions(session);
}

async function sendTables(session: Session): Promise<void> {
  for (const [name, body, query = '?target=t'] of TABLES) {
    const path = `${MODELS}/table${query}`;
    await session.send(`table, ${name}`, 'trainModel', { method: 'PUT', path, headers: CSV, body });
    const rows = { method: 'POST', path: `${MODELS}/table/predict`, headers: CSV, body: 'x\n3\n' };
    await session.send(`row after table, ${name}`, 'predict', rows);
  }
  const headers = { ...CSV, 'Content-Encoding': 'gzip' };
  const packed = { headers, method: 'PUT', path: `${MODELS}/packed?target=price` };
  const body = gzipSync(diamondsCsv);
  await session.send('packed table', 'trainModel', { ...packed, body });
  await session.send('cut table', 'trainModel', { ...packed, body: body.subarray(0, -20) });
}

async function sendRows(session: Session, model: string): Promise<void> {
  const path = `${MODELS}/${model}/predict`;
  const isMain = model === 'prices' || model === 'cuts';
  for (const format of FILE_FORMATS) {
    for (const [name, rows] of ROWS.slice(0, isMain ? ROWS.length : 1)) {
      const body = fileOf(format, columnsOf(rows));
      for (const accepted of ['*/*', ...FILE_FORMATS.map((one) => MEDIA_TYPES[one])]) {
        const headers = { 'Content-Type': MEDIA_TYPES[format], Accept: accepted };
        for (const query of isMain && accepted !== '*/*' ? QUERIES : ['']) {
          const what = `${model}, ${name} of ${format} as ${accepted}${query}`;
          const sent = { method: 'POST', path: path + query, headers, body };
          await session.send(what, 'predict', sent);
        }
      }
      const headers = { 'Content-Type': MEDIA_TYPES[format], 'Content-Encoding': 'gzip' };
      const packed = { method: 'POST', path, headers, body: gzipSync(body) };
      await session.send(`${model}, ${name} of ${format}, packed`, 'predict', packed);
    }
  }
  if (!isMain) return;
  for (const [number, [headers, body]] of TEXTS.entries()) {
    for (const query of TEXT_QUERIES) {
      const sent = { method: 'POST', path: path + query, headers, body };
      await session.send(`${model}, text ${number}${query}`, 'predict', sent);
    }
  }
}

async function sendVersions(session: Session): Promise<void> {
  const versions = `${MODELS}/prices/versions`;
  await session.json('versions', 'listVersions', 'GET', versions);
  for (const number of [1, 2, 6, 99]) {
    const body = { serving: { version: number } };
    await session.json(`version ${number}`, 'getVersion', 'GET', `${versions}/${number}`);
    await session.json(`serve ${number}`, 'serveVersion', 'PUT', `${MODELS}/prices/serving`, body);
    await session.json(`delete ${number}`, 'deleteVersion', 'DELETE', `${versions}/${number}`);
  }
  await session.json('models', 'listModels', 'GET', MODELS);
  const slow = `${MODELS}/slow`;
  const sent = { method: 'PUT', path: `${slow}?target=price`, headers: CSV, body: slowTable() };
  session.recorder.isSettling = false;
  await session.send('slow', 'trainModel', sent);
  await session.send('slow, again', 'trainModel', sent);
  const row = { method: 'POST', path: `${slow}/predict`, headers: JSON_ROWS, body: '[{}]' };
  await session.send('slow, row', 'predict', row);
  await session.json('slow, serve', 'serveVersion', 'PUT', `${slow}/serving`, {
    serving: { version: 1 },
  });
  await session.json('slow, version', 'deleteVersion', 'DELETE', `${slow}/versions/1`);
  await session.json('slow, delete', 'deleteModel', 'DELETE', slow);
  session.recorder.isSettling = true;
}
