import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createPredictor,
  decodeModel,
  encodeModel,
  InvalidRowsError,
  readRowsTable,
  type SeriesModel,
  SeriesServer,
  train,
} from '../../index.js';

const COLUMNS = ['place', 'item', 'size'];
const HORIZON = 2;

/** Values of one, two and more bytes a letter, lone halves of pairs, one that begins another, and a missing one. */
const TEXTS = ['', 'a', 'ab', 'é', 'ÿ', 'Ā', '東京', '\ud800', '𝄞', 'null-ish', '0', '__proto__'];
const text = fc.constantFrom(...TEXTS);
const groups = fc.tuple(text, text, text);

const nameOf = (texts: readonly unknown[]) => JSON.stringify(texts);

function trainSeries(names: readonly (readonly string[])[]): SeriesModel {
  const rows = names.flatMap((name, series) =>
    Array.from({ length: 8 }, (_, t) => ({
      ...Object.fromEntries(COLUMNS.map((column, index) => [column, name[index]])),
      t,
      y: series + ((t * 7 + series) % 5),
    })),
  );
  const goal = { orderBy: 't', groupBy: COLUMNS, horizon: HORIZON, known: [] };
  const table = readRowsTable(rows, 'y', { task: goal });
  if (table.task !== 'forecast') throw new Error('The goal is a forecast');
  return train(table);
}

/** Series by three columns; in the order in which they first came. */
const names =
  fc.sample(fc.uniqueArray(groups, { minLength: 150, maxLength: 150, selector: nameOf }), { numRuns: 1, seed: 3 })[0] ??
  [];
const predictor = createPredictor(decodeModel(encodeModel(trainSeries(names))));
if (!(predictor instanceof SeriesServer)) throw new Error('The model forecasts');
const server: SeriesServer = predictor;

/** Returns the series that are answered, in their order; as text what is wrong with the rows. */
function answered(rows: readonly object[]): readonly string[] | string {
  try {
    const steps = server.predict(rows).map(({ row }) => nameOf(COLUMNS.map((column) => Object(row)[column] ?? '')));
    return steps.filter((_, index) => index % HORIZON === 0);
  } catch (error) {
    if (!(error instanceof InvalidRowsError)) throw error;
    return error.faults.map(({ row, message }) => `${row} ${message.split(':')[0]}`).join('\n');
  }
}

/** The same by looking at all series for each row. */
function scanned(rows: readonly (readonly (string | undefined)[])[]): readonly string[] | string {
  const found = new Set<string>();
  const faults: string[] = [];
  for (const [index, row] of rows.entries()) {
    const matching = names.filter((name) => row.every((part, at) => (part ?? name[at]) === name[at]));
    for (const name of matching) found.add(nameOf(name));
    const isEmpty = row.every((part) => part === undefined);
    if (isEmpty) faults.push(`${index} names no series`);
    else if (matching.length === 0) {
      faults.push(`${index} names a series that the model does not know`);
    }
  }
  return faults.length > 0 ? faults.join('\n') : [...found];
}

function asRow(row: readonly (string | undefined)[]): object {
  const given = COLUMNS.map((column, index) => [column, row[index]] as const);
  return Object.fromEntries(given.filter(([, part]) => part !== undefined));
}

describe('rows that name some or all groups', () => {
  const mask = fc.tuple(fc.boolean(), fc.boolean(), fc.boolean());
  const known = fc.tuple(fc.constantFrom(...names), mask);
  const any = fc.tuple(groups, mask);
  const keep = fc
    .oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: any })
    .map(([name, isKept]) => name.map((part, index) => (isKept[index] ? part : undefined)));

  test('are answered with the series that have them, in the order of the rows and of the model', () => {
    let answers = 0;
    fc.assert(
      fc.property(fc.array(keep, { minLength: 1, maxLength: 6 }), (rows) => {
        const expected = scanned(rows);
        if (typeof expected !== 'string') answers++;
        expect(answered(rows.map(asRow))).toEqual(expected);
      }),
      { numRuns: 150 },
    );
    expect(answers).toBeGreaterThan(20);
  });

  test('may repeat each other', () => {
    const row = asRow([names[0]?.[0], undefined, undefined]);
    expect(answered(Array.from({ length: 5000 }, () => row))).toEqual(answered([row]));
  });

  test('come before and after rows of moments', () => {
    const [first = [], second = []] = names;
    const rows = [
      { ...asRow(second), t: 8, y: 3 },
      asRow([first[0], undefined, undefined]),
      { ...asRow(first), t: 8, y: 3 },
    ];
    const order = [nameOf(second), ...scanned([[first[0], undefined, undefined]])];
    expect(answered(rows)).toEqual([...new Set(order)]);
  });
});

test('no rows ask for all series in their order', () => {
  expect(answered([])).toEqual(names.map(nameOf));
});

test('a stored model that has a series twice is refused', () => {
  const lines = Buffer.from(encodeModel(trainSeries(names)))
    .toString()
    .split('\n');
  const doubled = [...lines.slice(0, -2), lines.at(-3), ''].join('\n');
  expect(() => decodeModel(Buffer.from(doubled))).toThrow('Two series have the same values');
});
