import { describe, expect, test } from 'vitest';
import { makeRows, QUICK, readRows } from '../../../testkit/prediction/sample-tables.js';
import { Predictor, readRowsTable, train } from '../index.js';

const ageRows = makeRows(400, (random, index) => {
  const age = 20 + Math.floor(60 * random());
  const city = ['Oslo', 'Rome', 'Kyiv'][index % 3];
  return { age, city, 'years at work': index % 30, rent: 10 * age + 100 * (index % 3) };
});
const predictor = new Predictor(train(readRows(ageRows, 'rent'), QUICK));

function warningsOf(rows: readonly unknown[], most = 10) {
  const check = predictor.check();
  check.add(rows);
  return check.warnings(most);
}

const ordinary = { age: 40, city: 'Rome', 'years at work': 3 };

describe('a name means the same in a table and in a row', () => {
  test.each([' age', 'age ', '\uFEFFage', '\tage\r\n'])('%j is the column age', (name) => {
    const row = { [name]: 40, city: 'Rome', 'years at work': 3 };
    expect(predictor.predict([row])).toEqual(predictor.predict([ordinary]));
    const [answer] = JSON.parse(Buffer.concat([...predictor.answer([row])]).toString());
    expect(answer.age).toBe(40);
    expect(warningsOf([row]).warnings).toEqual([]);
  });

  test('the target too, and names of properties that every object has', () => {
    const rows = ageRows.map(({ age, rent }) => JSON.parse(`{"__proto__": ${age}, "y": ${rent}}`));
    const model = new Predictor(train(readRows(rows, ' y '), QUICK));
    const [bare, padded] = model.predict([
      JSON.parse('{"__proto__": 30, "y": 5}'),
      JSON.parse('{" __proto__": 30, "y ": 5}'),
    ]);
    expect(padded).toEqual(bare);
    expect(padded?.original).toBe(5);
  });

  test('tables of rows and of CSV have the same columns', () => {
    const rows = ageRows.map(({ age, rent }, index) =>
      index % 2 ? { ' age': age, rent } : { age, '\uFEFFrent ': rent },
    );
    const table = readRowsTable(rows, 'rent');
    expect(table.columns.map(({ name }) => name)).toEqual(['age']);
    expect(table.rowCount).toBe(400);
  });

  test('a row of a table with two values under one name is refused', () => {
    const rows = [...ageRows, { age: 30, 'age ': 31, rent: 1 }];
    expect(() => readRowsTable(rows, 'rent')).toThrow(/Row 400 has two values of the column "age"/);
  });

  test('in a row to predict, the name itself goes before one that looks like it', () => {
    const row = { 'age ': 70, ...ordinary };
    expect(predictor.predict([row])).toEqual(predictor.predict([ordinary]));
    expect(warningsOf([row]).warnings).toMatchObject([{ kind: 'unknown-name', name: 'age ' }]);
  });

  test('letter case is part of a name', () => {
    expect(warningsOf([{ ...ordinary, AGE: 40 }]).warnings).toEqual([
      { kind: 'unknown-name', name: 'AGE', rows: 1, nearest: 'age' },
    ]);
  });
});

describe('what a model can make nothing of is counted', () => {
  test('unknown names, each once, with the nearest column', () => {
    const rows = [
      { ...ordinary, agee: 1 },
      { ...ordinary, citty: 'Rome', agee: 2 },
      { ...ordinary, agee: 3 },
      { ...ordinary, years_at_work: 3, 'zip code': 150 },
    ];
    expect(warningsOf(rows).warnings).toEqual([
      { kind: 'unknown-name', name: 'agee', rows: 3, nearest: 'age' },
      { kind: 'unknown-name', name: 'citty', rows: 1, nearest: 'city' },
      { kind: 'unknown-name', name: 'years_at_work', rows: 1, nearest: 'years at work' },
      { kind: 'unknown-name', name: 'zip code', rows: 1, nearest: null },
    ]);
  });

  test('rows that name no column, whether they are objects or not', () => {
    const rows = [{}, 5, null, [1], { rent: 3 }, { nothing: 1 }, ordinary];
    expect(warningsOf(rows).warnings).toEqual([
      { kind: 'no-column', name: null, rows: 6, nearest: null },
      { kind: 'unknown-name', name: 'nothing', rows: 1, nearest: null },
    ]);
  });

  test('categories that the table never had', () => {
    const rows = ['Rome', 'Rom', ' Oslo ', '', null, 'NA', 17].map((city) => ({ ...ordinary, city }));
    expect(warningsOf(rows).warnings).toEqual([{ kind: 'new-category', name: 'city', rows: 2, nearest: null }]);
  });

  test('numbers that lie outside the range by more than its width', () => {
    const ages = [40, '41', 100, 130, 1900, '1900', JSON.parse('1e400'), null, 'NA', -50];
    expect(warningsOf(ages.map((age) => ({ ...ordinary, age }))).warnings).toEqual([
      { kind: 'out-of-range', name: 'age', rows: 4, nearest: null },
    ]);
  });

  test('what the model knows is not a warning: its target, and the columns that close a row', () => {
    const row = { ...ordinary, rent: 3, select_data_query: 1, when_data: 2, __service_row_id: 3 };
    expect(warningsOf([row])).toEqual({ warnings: [], more: 0 });
  });

  test('beyond what is asked for, warnings are counted, and only so many names are distinguished', () => {
    const rows = Array.from({ length: 1500 }, (_, index) => ({ ...ordinary, [`x${index}`]: 1 }));
    const { warnings, more } = warningsOf(rows, 3);
    expect(warnings.map(({ name }) => name)).toEqual(['x0', 'x1', 'x2']);
    expect(more).toBe(997);
  });

  test('a long name is cut', () => {
    const [warning] = warningsOf([{ ...ordinary, ['ä'.repeat(500)]: 1 }]).warnings;
    expect(warning?.name).toBe(`${'ä'.repeat(99)}…`);
  });

  test('rows that come in parts count together', () => {
    const check = predictor.check();
    const rows = [{ agee: 1 }, { agee: 2 }, ordinary, { agee: 3 }];
    check.add(rows, 0, 1);
    check.add(rows, 1);
    expect(check.unknownNames(5)).toEqual([{ name: 'agee', firstRow: 0, rows: 3, nearest: 'age' }]);
  });
});
