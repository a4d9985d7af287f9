import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeRows, QUICK, readRows, rentRows } from '../../../testkit/prediction/sample-tables.js';
import { type Prediction, Predictor, train } from '../index.js';
import { columnName } from '../table/column-names.js';

const rent = new Predictor(train(readRows(rentRows(200), 'rent'), QUICK));

/** Names that need care: quotes, integer-like ones, those of Object, lone surrogates. */
const inputs = ['2019', 'say\n"hi"', '__proto__', 'constructor', 'lone \ud800', 'ünï😀', 'toJSON'];
const hostileTarget = '"\\ud800\ud800';
const hostileRows = makeRows(80, (random, index) => {
  const cells = inputs.map((name) => `${JSON.stringify(name)}: ${Math.floor(9 * random())}`);
  return JSON.parse(`{${cells.join()}, ${JSON.stringify(hostileTarget)}: ${index}}`);
});
const hostile = new Predictor(train(readRows(hostileRows, hostileTarget), QUICK));

/** Targets of many sizes, and columns of all kinds: a model for each. */
const sized = [1e-300, 1e-9, 1e-4, 0.37, 1, 5000, 1e12, 1e200].map((size) => {
  const rows = makeRows(60, (random, index) => {
    const kind = ['a', 'say "b"', 'ünï😀', '1,5'][index % 4] ?? '';
    const day = `2024-0${1 + (index % 9)}-01`;
    return { x: random(), kind, day, y: size * (10 + (index % 4) + random()) };
  });
  return { size, predictor: new Predictor(train(readRows(rows, 'y'), QUICK)) };
});

/** The contract's answer row, written the plain way. */
function plainRow(
  row: unknown,
  columns: readonly string[],
  target: string,
  { value, confidence, min, max, original, anomaly }: Prediction,
): string {
  const isObject = typeof row === 'object' && row !== null && !Array.isArray(row);
  const members = isObject ? Object.entries(row) : [];
  const meant = members.map(([name, cell]) => [columnName(name), cell] as const);
  // A cell under the name itself comes before one under a name with blanks.
  const sent = new Map<string, unknown>([...meant, ...members]);
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

function join(portions: Iterable<Uint8Array>): string {
  return Buffer.concat([...portions]).toString();
}

const text = fc.string({ unit: 'binary' });
/** Numbers as tables have them: whole, and with a few decimals. */
const plainNumber = fc
  .tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 18 }))
  .map(([digits, decimals]) => Number(`${digits}e-${decimals}`));
const cell = fc.oneof(
  fc.jsonValue(),
  fc.double(),
  plainNumber,
  text,
  fc.constantFrom(-0, 1e21, 1e15, 0.1 + 0.2, 5e-7, '\ud800', '1,5', 'a', 'say "b"', 'ünï😀'),
);

/** Rows with some of the given names, whatever they hold, and elements that are not rows. */
function anyRows(...names: string[]) {
  const row = fc.array(fc.tuple(fc.constantFrom(...names), cell)).map((cells) => {
    const members = cells.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
    return JSON.parse(`{${members.join()}}`);
  });
  return fc.array(fc.oneof(row, fc.jsonValue()), { maxLength: 20 });
}

describe('the answer', () => {
  test('is what JSON.stringify would write, for any rows and names', () => {
    const closing = ['select_data_query', 'when_data', '__service_row_id'];
    fc.assert(
      fc.property(anyRows(...inputs, ' toJSON\t', hostileTarget, ...closing), (rows) => {
        const columns = ['2019', ...inputs.slice(1)];
        const plain = hostile.predict(rows).map((p, index) => plainRow(rows[index], columns, hostileTarget, p));
        expect(join(hostile.answer(rows))).toBe(`[${plain.join()}]`);
        const ones = rows.map((row) => hostile.answerOne(row));
        expect(ones).toEqual(plain.map((row) => `[${row}]`));
      }),
      { numRuns: 300 },
    );
  });

  test.each(sized)('is so for targets of size $size', ({ predictor }) => {
    const confidence = fc.option(fc.constantFrom(0.01, 0.123456789, 0.9, 0.99));
    fc.assert(
      fc.property(anyRows('x', 'x ', 'kind', 'day', 'y'), confidence, (rows, level) => {
        const options = level === null ? {} : { confidence: level };
        const plain = predictor
          .predict(rows, options)
          .map((p, index) => plainRow(rows[index], ['x', 'kind', 'day'], 'y', p));
        expect(join(predictor.answer(rows, options))).toBe(`[${plain.join()}]`);
      }),
    );
  });

  test.each(sized)('writes targets of size $size in steps that suit them', ({ size, predictor }) => {
    const xs = Array.from({ length: 50 }, (_, index) => ({ x: index / 50, kind: 'a' }));
    for (const { value, min, max } of predictor.predict(xs)) {
      expect(min).toBeLessThan(value);
      expect(value).toBeLessThan(max);
      const digits = (number: number) => String(number).replace(/e.*|[-.]|^0\.0*/g, '').length;
      if (size >= 1e-4 && size <= 5000) expect(Math.max(...[value, min, max].map(digits))).toBeLessThan(8);
    }
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

  test('echoes values nested as deep as a body may be', () => {
    const deep = `${'[{"a":'.repeat(50)}1${'}]'.repeat(50)}`;
    const text = join(rent.answer(JSON.parse(`[{"rooms":${deep},"rent":${deep}}]`)));
    expect(text).toContain(`{"rooms":${deep},"place"`);
    expect(text).toContain(`"rent_original":${deep},`);
  });

  test('to no rows is "[]"', () => {
    expect(join(rent.answer([]))).toBe('[]');
  });

  test.each([1, 255, 256, 257, 5000])('to %d rows has each in its place', (count) => {
    const rows = rentRows(count);
    const answered = JSON.parse(join(rent.answer(rows)));
    expect(answered.map(({ index }: { index: number }) => index)).toEqual(rows.map((_, i) => i));
    expect(answered.map((row: { rent: number }) => row.rent)).toEqual(rent.predict(rows).map(({ value }) => value));
  });

  test('comes in portions of some hundred rows at most, which may be kept', () => {
    const rows = rentRows(5000);
    const portions = [...rent.answer(rows)];
    expect(portions.length).toBeGreaterThan(5000 / 256);
    for (const portion of portions) expect(portion.length).toBeLessThan(66_000);
    expect(new Set(portions.map(({ buffer }) => buffer)).size).toBe(portions.length);
    expect(JSON.parse(join(portions))).toHaveLength(5000);
  });

  test('of rows with large cells comes in portions of a row', () => {
    const rows = Array.from({ length: 20 }, () => ({ place: 'x'.repeat(100_000) }));
    expect([...rent.answer(rows)]).toHaveLength(21);
  });

  test('may be made in turns with another of the same model', () => {
    const [one, other] = [rentRows(1500), rentRows(1500).reverse()];
    const [ones, others] = [rent.answer(one), rent.answer(other)].map((it) => it);
    const parts: [Uint8Array[], Uint8Array[]] = [[], []];
    for (let ended = 0; ended < 2; ) {
      ended = 0;
      for (const [index, iterator] of [ones, others].entries()) {
        const next = iterator?.next();
        if (next?.done === false) parts[index]?.push(next.value);
        else ended++;
      }
    }
    expect(parts.map(join)).toEqual([join(rent.answer(one)), join(rent.answer(other))]);
  });

  test('keeps the level that was asked for', () => {
    const [row] = JSON.parse(join(rent.answer([{}], { confidence: 0.8 })));
    expect(row.rent_confidence).toBe(0.8);
  });
});
