/** Columns of more values than trees distinguish as categories: statistics of the target stand for them. */
import { describe, expect, test } from 'vitest';
import { answer } from '../../../testkit/prediction/answered-rows.js';
import { readOnnx } from '../../../testkit/prediction/onnx-file.js';
import { makeRows, type Row } from '../../../testkit/prediction/sample-tables.js';
import {
  type ClassificationModel,
  Classifier,
  decodeModel,
  encodeModel,
  exportOnnx,
  Predictor,
  type RegressionModel,
  readRowsTable,
  train,
} from '../index.js';
import { finish } from '../trees/steps.js';

const VALUES = 400;

/** The effect of a value, which its number does not show. */
const effectOf = (value: number) => ((value * 7919) % 101) / 10;

const rows = makeRows(4000, (random, index) => {
  const value = Math.floor(VALUES * random());
  const x = random();
  const shop = index % 50 === 0 ? null : index % 40 === 0 ? `once ${index}` : `shop ${value} é`;
  return { shop, x, value, y: (index % 40 === 0 ? 5 : effectOf(value)) + 2 * x + random() };
});
const withoutValue = ({ value: _, ...row }: Row): Row => row;

function numbers(from: readonly Row[], options = {}): RegressionModel {
  const table = readRowsTable(from.map(withoutValue), 'y', options);
  const model = decodeModel(encodeModel(train(table, { effort: 'fast' })));
  if (model.task !== 'regression') throw new Error('The target is a number.');
  return model;
}

describe('a column of 400 values', () => {
  const model = numbers(rows);
  const predictor = new Predictor(model);

  test('is learnt from by all of its values, although 254 are listed as categories', () => {
    expect(model.columns[0]).toMatchObject({ name: 'shop', kind: 'category', used: true });
    expect(model.columns[0]?.categories).toHaveLength(254);
    // Without the values that are not listed, a third of the variance would be left.
    expect(model.metrics.r2).toBeGreaterThan(0.85);
    const listed = new Set(model.columns[0]?.categories);
    const others = rows.filter(({ shop }) => typeof shop === 'string' && shop.startsWith('shop') && !listed.has(shop));
    expect(others.length).toBeGreaterThan(500);
    const predicted = predictor.predict(others.map(withoutValue));
    const error = others.reduce((sum, { y }, at) => sum + Math.abs(Number(y) - (predicted[at]?.value ?? 0)), 0);
    expect(error / others.length).toBeLessThan(1);
  });

  test('takes values that it does not know for average ones, and reads the others as in training', () => {
    const asked = [
      { shop: '?!', x: 0.5 },
      { shop: ' shop 7 é ', x: 0.5 },
      { shop: 'shop 7 é', x: 0.5 },
    ];
    const [unknown, trimmed, known] = predictor.predict(asked).map(({ value }) => value);
    expect(trimmed).toBe(known);
    expect(Math.abs((unknown ?? 0) - 6.5)).toBeLessThan(1);
    expect(Math.abs((known ?? 0) - (effectOf(7) + 1.5))).toBeLessThan(1.5);
  });

  test('answers the same bits in all formats, with contributions of the column that add up to the prediction', async () => {
    const asked = [...rows.slice(0, 300), { shop: '?!', x: 0.1 }, { shop: '', x: 0.2 }, { x: 0.3 }].map((row) => ({
      shop: 'shop' in row ? row.shop : null,
      x: row.x,
    }));
    const expected = predictor.predict(asked).map(({ value }) => value);
    const options = { rows: 'lean', contributions: true, from: 'json', to: 'json' } as const;
    const json = await answer(predictor, Buffer.from(JSON.stringify(asked)), options);
    const answered: Record<string, number>[] = JSON.parse(json.bytes.toString());
    expect(answered.map(({ y }) => y)).toEqual(expected);
    for (const { y = 0, y_base = 0, y_contribution_shop = 0, y_contribution_x = 0 } of answered) {
      expect(y_base + y_contribution_shop + y_contribution_x).toBeCloseTo(y, 3);
    }
    const shares = answered.map((row) => Math.abs(row['y_contribution_shop'] ?? 0));
    expect(Math.max(...shares)).toBeGreaterThan(2);
    const csv = ['shop,x', ...asked.map(({ shop, x }) => `${shop ?? ''},${x}`)].join('\n');
    const inCsv = await answer(predictor, Buffer.from(csv), { ...options, from: 'csv', to: 'csv' });
    const [head = '', ...lines] = inCsv.bytes.toString().trim().split('\n');
    const at = head.trim().split(',').indexOf('y');
    expect(lines.map((line) => Number(line.split(',')[at]))).toEqual(expected);
  });

  test('is in a file of ONNX under its own name, with all of its values', () => {
    const { inputs, nodes } = readOnnx(
      Buffer.concat(finish(exportOnnx(model, { name: 'shops', version: 1, checksum: 'c0ffee' }))),
    );
    expect(inputs).toEqual(['shop', 'x', 'confidence']);
    expect(nodes.filter(({ operator }) => operator === 'LabelEncoder')).toHaveLength(2);
  });
});

test('the shares of classes stand for values, and the same table gives the same model', () => {
  const classed = rows
    .slice(0, 1500)
    .map(({ shop, x, y }) => ({ shop, x, y: Number(y) > 9 ? 'high' : Number(y) > 4 ? 'middle' : 'low' }));
  const trained = () => encodeModel(train(readRowsTable(classed, 'y'), { effort: 'fast' }));
  const bytes = trained();
  expect(Buffer.compare(bytes, trained())).toBe(0);
  const model = decodeModel(bytes);
  if (model.task !== 'classification') throw new Error('The target is a class.');
  expect(model.metrics.log_loss).toBeLessThan(0.9 * model.metrics.baseline_log_loss);
  const [answered] = new Classifier(model satisfies ClassificationModel).predict([{ shop: '?!', x: 0.5 }]);
  expect(answered?.probabilities.every((share) => share > 0)).toBe(true);
});

describe('values that say nothing', () => {
  test.each([undefined, { method: 'last' }, { method: 'group', by: 'g' }] as const)(
    'are not learnt from, since no row sees its own target: %o',
    (validation) => {
      const noise = makeRows(3000, (random) => ({
        shop: `s${Math.floor(600 * random())}`,
        x: random(),
        g: `g${Math.floor(60 * random())}`,
        y: random(),
      }));
      const model = numbers(noise, validation && { validation });
      expect(model.metrics.r2).toBeLessThan(0.05);
      expect(Math.abs(model.metrics.interval_coverage - 0.9)).toBeLessThan(0.04);
    },
  );
});
