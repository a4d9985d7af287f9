import fc from 'fast-check';
import { readRowsTable } from 'roster-prediction';
import { type AnyPredictor, createPredictor } from 'roster-prediction/predicting';
import { train } from 'roster-prediction/training';
import { makeRows, readRows } from './sample-tables.js';

/** Models and texts of the tests of JSON. */

/** A column of each kind, with values that need care, and some missing. */
const mixedRows = makeRows(100, (random, index) => {
  const kind = ['a', 'say "b"', 'ünï😀', '1.5', 'true', ' odd '][index % 6] ?? '';
  const day = `20${20 + (index % 5)}-0${1 + (index % 9)}-1${index % 9}`;
  const x = index % 11 === 0 ? null : Math.round(1000 * random()) / 100;
  const y = 10 + 3 * (index % 6) + (x ?? 5) + Math.round(10 * random()) / 10;
  return { x, kind, day, '__proto__ ': index % 7, 'say "hi"': random() < 0.5 ? 'é' : 'f', y };
});

/** Rows that always have all columns, so that rows without some are partial. */
const fullRows = makeRows(120, (random, index) => {
  const size = Math.floor(50 * random());
  const place = ['north', 'south', 'west'][index % 3] ?? '';
  return { size, place, 2019: index % 9, y: 10 * size + (place === 'north' ? 300 : 0) + random() };
});

const classRows = makeRows(120, (random, index) => {
  const x = Math.round(100 * random());
  const y = x + 20 * random() > 60 ? 'say "high"' : x % 3 === 0 ? 'mid\n' : 'löw';
  return { x, place: index % 4 === 0 ? 'north' : 'south', y };
});

export interface Subject {
  readonly name: string;
  readonly predictor: AnyPredictor;
  /** The names of its columns, and the texts that mean something in them. */
  readonly names: readonly string[];
}

const classes = train(readRowsTable(classRows, 'y', { task: 'classification' }));

export const subjects: readonly Subject[] = [
  {
    name: 'mixed columns',
    predictor: createPredictor(train(readRows(mixedRows, 'y'))),
    names: ['x', 'kind', 'day', '__proto__', 'say "hi"', 'y'],
  },
  {
    name: 'columns that are always there',
    predictor: createPredictor(train(readRows(fullRows, 'y'))),
    names: ['size', 'place', '2019', 'y'],
  },
  { name: 'classes', predictor: createPredictor(classes), names: ['x', 'place', 'y'] },
];

const CLOSING = ['select_data_query', 'when_data', '__service_row_id'];
const OTHER_NAMES = ['id', 'toJSON', '10', 'ünknown', 'x'.repeat(120), '\ud800', 'constructor'];

/** Numbers as JSON may write them. */
const numberText = fc.oneof(
  fc.integer({ min: -2000, max: 2000 }).map(String),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => JSON.stringify(value)),
  fc.tuple(fc.maxSafeInteger(), fc.integer({ min: -30, max: 30 })).map(([digits, exponent]) => `${digits}e${exponent}`),
  fc.tuple(fc.nat(9999), fc.nat(99999)).map(([whole, part]) => `${whole}.${part}`),
  fc.constantFrom('-0', '-0.0', '1.50', '0.0000001', '0.000001', '1e400', '-1E+2', '1e-400'),
  fc.constantFrom('9007199254740993', '0.1234567890123456', '123456789012345678901234567890'),
);

const plainText = fc.oneof(
  fc.constantFrom('a', 'say "b"', 'ünï😀', '1.5', 'TRUE', 'true', ' odd ', 'odd', 'north', 'é', 'löw'),
  fc.constantFrom('', ' ', 'NA', 'n/a', '#N/A', '<na>', '-NaN', 'null', 'None', 'none ', 'nonee'),
  fc.constantFrom('1,5', '1,234.5', '1.234,5', '+7', '.5', '5.', '1e3', ' 12 ', 'Infinity', '\u00a05'),
  fc.constantFrom('2021-03-04', '2021-02-30', '2022-05-06T07:08:09Z', '2020-01-01 05:06', '1e999'),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ maxLength: 40 }),
);

/** A string of JSON, in one of the ways in which it may be written. */
function written(text: string, isEscaped: boolean): string {
  const json = JSON.stringify(text);
  if (!isEscaped) return json;
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}

const stringText = fc.tuple(plainText, fc.integer({ min: 0, max: 9 })).map(([text, dice]) => written(text, dice === 0));

const valueText = fc.oneof(
  { arbitrary: numberText, weight: 4 },
  { arbitrary: stringText, weight: 4 },
  { arbitrary: fc.constantFrom('null', 'true', 'false', '[]', '{}', '{"a":[1,{"b":"\\n"}]}'), weight: 2 },
  { arbitrary: fc.json({ maxDepth: 3 }), weight: 1 },
);

const blank = fc.constantFrom('', '', '', '', ' ', '\t', ' \r ');

/** The text of a row, on one line. */
export function rowText(names: readonly string[]): fc.Arbitrary<string> {
  const name = fc.oneof(
    { arbitrary: fc.constantFrom(...names), weight: 12 },
    { arbitrary: fc.constantFrom(...CLOSING), weight: 1 },
    { arbitrary: fc.constantFrom(...OTHER_NAMES), weight: 2 },
    { arbitrary: fc.constantFrom(...names).map((text) => ` ${text}\ufeff`), weight: 1 },
  );
  const key = fc.tuple(name, fc.integer({ min: 0, max: 12 })).map(([text, dice]) => written(text, dice === 0));
  const member = fc
    .tuple(key, valueText, blank, blank)
    .map(([text, value, before, after]) => `${before}${text}${after}:${before}${value}${after}`);
  const object = fc
    .tuple(fc.array(member, { maxLength: 8 }), blank)
    .map(([members, space]) => `{${members.join() || space}}${space}`);
  const usual = fc
    .tuple(...names.map(() => fc.oneof(numberText, stringText)))
    .map((values) => `{${names.map((text, at) => `${JSON.stringify(text)}:${values[at]}`).join()}}`);
  return fc.oneof(
    { arbitrary: object, weight: 5 },
    { arbitrary: usual, weight: 5 },
    { arbitrary: valueText, weight: 1 },
  );
}

/** Texts as they are, or with a byte that is left out, doubled or another. */
export function damaged(text: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  return fc.tuple(text, fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat(3)).map((parts) => {
    const [whole, place, byte, how] = parts;
    const bytes = Buffer.from(whole);
    const at = place % Math.max(bytes.length, 1);
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
    if (how === 0) return Buffer.concat([before, after.subarray(1)]);
    if (how === 1) return Buffer.concat([before, after.subarray(0, 1), after]);
    if (how === 2) return Buffer.concat([before, Buffer.from([byte]), after.subarray(1)]);
    return bytes;
  });
}
