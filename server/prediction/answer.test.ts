import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeRows, rentRows } from './fixtures.js';
import { type Prediction, Predictor, readRowsTable, train } from './index.js';

const rent = new Predictor(train(readRowsTable(rentRows(200), 'rent')));

/** Names that need care: quotes, integer-like ones, those of Object, lone surrogates. */
const inputs = ['2019', 'say "hi"\n', '__proto__', 'constructor', 'lone \ud800', 'ünï😀', 'toJSON'];
const hostileTarget = '"\\ud800\ud800';
const hostileRows = makeRows(80, (random, index) => {
  const cells = inputs.map((name) => `${JSON.stringify(name)}: ${Math.floor(9 * random())}`);
  return JSON.parse(`{${cells.join()}, ${JSON.stringify(hostileTarget)}: ${index}}`);
});
const hostile = new Predictor(train(readRowsTable(hostileRows, hostileTarget)));

/** The contract's answer row, written the plain way. */
function plainRow(
  row: unknown,
  columns: readonly string[],
  target: string,
  { value, confidence, min, max, original, anomaly }: Prediction,
): string {
  const isObject = typeof row === 'object' && row !== null && !Array.isArray(row);
  const sent = new Map<string, unknown>(isObject ? Object.entries(row) : []);
  const explain = {
    predicted_value: value,
    confidence,
    anomaly,
    truth: original,
    confidence_lower_bound: min,
    confidence_upper_bound: max,
  };
  const echo = (name: string): [string, unknown] => [name, sent.get(name) ?? null];
  const cells: [string, unknown][] = [
    ...columns.map(echo),
    [target, value],
    [`${target}_original`, original],
    [`${target}_confidence`, confidence],
    [`${target}_min`, min],
    [`${target}_max`, max],
    [`${target}_anomaly`, anomaly],
    [`${target}_explain`, JSON.stringify(explain)],
    ...['select_data_query', 'when_data', '__service_row_id'].map(echo),
  ];
  return `{${cells.map((pair) => pair.map((part) => JSON.stringify(part)).join(':')).join()}}`;
}

function join(pieces: Iterable<string>): string {
  return [...pieces].join('');
}

describe('the answer', () => {
  test('is what JSON.stringify would write, for any rows and names', () => {
    const names = fc.constantFrom(
      ...inputs,
      hostileTarget,
      'select_data_query',
      '__service_row_id',
    );
    const text = fc.string({ unit: 'binary' });
    const cell = fc.oneof(fc.jsonValue(), fc.double(), text, fc.constantFrom(-0, '\ud800', '1,5'));
    const row = fc.array(fc.tuple(names, cell)).map((cells) => {
      const members = cells.map(
        ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
      );
      return JSON.parse(`{${members.join()}}`);
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(row, fc.jsonValue())), (rows) => {
        const predictions = hostile.predict(rows);
        const columns = ['2019', ...inputs.slice(1)];
        const plain = predictions.map((p, index) =>
          plainRow(rows[index], columns, hostileTarget, p),
        );
        expect(join(hostile.answer(rows))).toBe(`[${plain.join()}]`);
      }),
      { numRuns: 300 },
    );
  });

  test('has its columns in the contracted order', () => {
    const [row] = JSON.parse(join(rent.answer([{ place: 'north', rent: 900 }])));
    expect(Object.keys(row)).toEqual([
      'rooms',
      'place',
      'index',
      'rent',
      'rent_original',
      'rent_confidence',
      'rent_min',
      'rent_max',
      'rent_anomaly',
      'rent_explain',
      'select_data_query',
      'when_data',
      '__service_row_id',
    ]);
    expect(row).toMatchObject({ rooms: null, place: 'north', rent_original: 900, when_data: null });
    expect(JSON.parse(row.rent_explain)).toEqual({
      predicted_value: row.rent,
      confidence: row.rent_confidence,
      anomaly: row.rent_anomaly,
      truth: 900,
      confidence_lower_bound: row.rent_min,
      confidence_upper_bound: row.rent_max,
    });
  });

  test('echoes what was sent, also where it was not understood', () => {
    const sent = { rooms: { deep: [1, 'a'] }, place: ' NORTH ', index: false, when_data: { a: 1 } };
    const [row] = JSON.parse(join(rent.answer([{ ...sent, __service_row_id: 7, other: 1 }])));
    expect(row).toMatchObject({ ...sent, __service_row_id: 7 });
    expect(row).not.toHaveProperty('other');
  });

  test('echoes numbers that JSON cannot carry as null', () => {
    const [row] = JSON.parse(join(rent.answer(JSON.parse('[{"rooms":1e400,"rent":-1e400}]'))));
    expect(row).toMatchObject({ rooms: null, rent_original: null, rent_anomaly: true });
    expect(JSON.parse(row.rent_explain).truth).toBeNull();
  });

  test('echoes values nested deeper than a call stack', () => {
    const deep = `${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`;
    const text = join(rent.answer(JSON.parse(`[{"rooms":${deep},"rent":${deep}}]`)));
    expect(text).toContain(`{"rooms":${deep},"place"`);
    expect(text).toContain(`"rent_original":${deep},`);
  });

  test('to no rows is "[]"', () => {
    expect([...rent.answer([])]).toEqual(['[]']);
  });

  test.each([1, 255, 256, 257, 1000])('to %d rows comes in a piece a row', (count) => {
    const rows = rentRows(count);
    const pieces = [...rent.answer(rows)];
    expect(pieces).toHaveLength(count + 1);
    const answered = JSON.parse(pieces.join(''));
    expect(answered.map(({ index }: { index: number }) => index)).toEqual(rows.map((_, i) => i));
    const predictions = rent.predict(rows);
    expect(answered.map((row: { rent: number }) => row.rent)).toEqual(
      predictions.map(({ value }) => value),
    );
  });

  test('keeps the level that was asked for', () => {
    const [row] = JSON.parse(join(rent.answer([{}], { confidence: 0.8 })));
    expect(row.rent_confidence).toBe(0.8);
  });
});
