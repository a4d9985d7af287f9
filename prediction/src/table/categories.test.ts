import { describe, expect, test } from 'vitest';
import { catchFaults, makeRows, QUICK, readRows } from '../../../testkit/prediction/sample-tables.js';
import { Predictor, train } from '../index.js';
import { CATEGORY_BYTES, categoryShare, chooseCategories } from './column-profile.js';

describe('the categories of a column', () => {
  test('take the room that they have in JSON, escapes and commas counted', () => {
    const jsonBytes = (texts: readonly string[]) => Buffer.byteLength(JSON.stringify(texts));
    const texts = ['plain', '\u0001\u0001', 'é', '"', '\ud800'];
    const room = jsonBytes(texts) - 1;
    expect(chooseCategories(texts, room)).toEqual(texts);
    expect(chooseCategories(texts, room - 1)).toEqual(texts.slice(0, -1));
  });

  test('pass over what does not fit, and go on', () => {
    expect(chooseCategories(['a', 'far too long', 'b', 'c'], 8)).toEqual(['a', 'b']);
  });

  test('have at most 1,000 characters each', () => {
    const texts = ['x'.repeat(1001), 'y'.repeat(1000)];
    expect(chooseCategories(texts, CATEGORY_BYTES)).toEqual(texts.slice(1));
  });

  test('all have room in a wide table of 100 words a column', () => {
    const words = Array.from({ length: 100 }, (_, index) => `category ${index}`);
    expect(chooseCategories(words, categoryShare(1000))).toEqual(words);
  });
});

describe('a text of more than 1,000 characters', () => {
  const long = ['l'.repeat(1001), 'm'.repeat(1001)];

  test('counts as one of the others, in training and in prediction', () => {
    const rows = makeRows(300, (random, index) => {
      const isLong = index % 3 === 0;
      return { x: isLong ? long[index % 2] : 'short', y: random() + (isLong ? 10 : 0) };
    });
    const model = train(readRows(rows, 'y'), QUICK);
    expect(model.columns[0]).toMatchObject({ used: true, categories: ['short'] });
    const answers = new Predictor(model).predict([{ x: long[0] }, { x: 'unseen' }, { x: 'short' }]);
    const [one, unseen, short] = answers.map(({ value }) => value);
    expect(one).toBe(unseen);
    expect(one).toBeGreaterThan(9);
    expect(short).toBeLessThan(2);
  });

  test('leaves a column of such texts alone unused, with the reason', () => {
    const rows = makeRows(100, (random, index) => ({ x: long[index % 2], n: index, y: random() }));
    const [column] = train(readRows(rows, 'y'), QUICK).columns;
    expect(column).toMatchObject({ used: false, categories: null });
    expect(column?.reason).toContain('too long for a category, which has at most 1,000 characters');
  });

  test('is not an input by itself', async () => {
    const rows = makeRows(100, (random, index) => ({ x: long[index % 2], y: random() }));
    const [fault] = await catchFaults(() => readRows(rows, 'y'));
    expect(fault).toMatchObject({ column: 'x' });
    expect(fault?.message).toContain('too long for a category');
  });
});

test('the categories of a wide table share 4 MiB of JSON, the most common first', () => {
  const columns = 200;
  const share = categoryShare(columns);
  // Each takes 6,003 bytes of JSON with its comma: three find room in a share of 20,971.
  const texts = [...'abcdef'].map((letter) => letter + '\u0001'.repeat(999));
  const fitting = Math.floor(share / (Buffer.byteLength(JSON.stringify(texts[0])) + 1));
  expect(fitting).toBeLessThan(texts.length);
  const rows = makeRows(60, (random, index) => {
    const text = texts[Math.floor(Math.sqrt(index % 36))];
    const cells = Array.from({ length: columns }, (_, column) => [`c${column}`, text]);
    return { ...Object.fromEntries(cells), y: random() };
  });
  const model = train(readRows(rows, 'y'), QUICK);
  for (const { categories } of model.columns) expect(categories).toHaveLength(fitting);
  const listed = model.columns.map(({ categories }) => categories);
  expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThanOrEqual(CATEGORY_BYTES + 1000);
});
