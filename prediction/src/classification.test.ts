import { describe, expect, test } from 'vitest';
import { band, makeRows, type Row } from '../../testkit/prediction/sample-tables.js';
import {
  type ClassificationModel,
  Classifier,
  type ClassPrediction,
  decodeModel,
  encodeModel,
  readRowsTable,
  train,
} from './index.js';

function trainOn(rows: readonly Row[]): ClassificationModel {
  const model = train(readRowsTable(rows, 'y', { task: 'classification' }));
  if (model.task === 'classification') return model;
  throw new Error('The model is of numbers.');
}

/** The probability that a row of x and z is of each class: known, so that answers can be held against it. */
function truth(x: number, z: number, names: readonly string[]): number[] {
  const powers = names.map((_, index) => Math.exp(4 * x * index - 3 * (x + z / 4) * index ** 1.5));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

function draw(probabilities: readonly number[], at: number): number {
  let left = at;
  const index = probabilities.findIndex((probability) => {
    left -= probability;
    return left < 0;
  });
  return Math.max(index, 0);
}

function noisyRows(count: number, names: readonly string[]): Row[] {
  return makeRows(count, (random) => {
    const x = random();
    const z = random();
    return { x, z, y: names[draw(truth(x, z, names), random())] };
  });
}

/** The share of predictions whose set holds the row's own class. */
function held(predictions: readonly ClassPrediction[]): number {
  return predictions.filter(({ anomaly }) => anomaly === false).length / predictions.length;
}

describe.each([{ names: ['no', 'yes'] }, { names: ['low', 'middle', 'high'] }])(
  'a classifier of $names',
  ({ names }) => {
    const rows = noisyRows(8000, names);
    const model = trainOn(rows.slice(0, 4000));
    const classifier = new Classifier(model);
    const others = rows.slice(4000);
    const predictions = classifier.predict(others);

    test('is measured beside the shares of the classes and the commonest class', () => {
      const { metrics } = model;
      expect(metrics.log_loss).toBeLessThan(metrics.baseline_log_loss);
      expect(metrics.accuracy).toBeGreaterThan(metrics.baseline_accuracy);
      expect(metrics.held_out_rows).toBe(4000);
      expect(metrics.confusion.flat().reduce((sum, count) => sum + count, 0)).toBe(4000);
      expect(metrics.by_class.map((one) => one.class)).toEqual(model.classes.map(({ name }) => name));
      const loss = predictions.reduce((sum, { probabilities, original }) => {
        const index = model.classes.findIndex(({ name }) => name === original);
        return sum - Math.log(probabilities[index] ?? 0);
      }, 0);
      expect(Math.abs(loss / predictions.length - metrics.log_loss)).toBeLessThan(0.05);
    });

    test('gives probabilities that are near the true ones, and make 1', () => {
      const errors = predictions.map(({ probabilities }, row) => {
        const true_ = truth(Number(others[row]?.['x']), Number(others[row]?.['z']), names);
        const indexes = model.classes.map(({ name }) => names.indexOf(name));
        expect(probabilities.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 4);
        return Math.max(...probabilities.map((each, index) => Math.abs(each - (true_[indexes[index] ?? 0] ?? 0))));
      });
      expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(0.08);
    });

    test('gives confidences that come true, high ones and low ones', () => {
      const sorted = predictions.toSorted((one, other) => one.confidence - other.confidence);
      for (let fifth = 0; fifth < 5; fifth++) {
        const some = sorted.slice((fifth * 4000) / 5, ((fifth + 1) * 4000) / 5);
        const nominal = some.reduce((sum, { confidence }) => sum + confidence, 0) / some.length;
        const right = some.filter((one) => one.class === one.original).length / some.length;
        expect(Math.abs(right - nominal)).toBeLessThan(band(nominal, 800, 800));
      }
    });

    test.each([0.5, 0.8, 0.9, 0.95])('gives sets that hold every class at %d', (confidence) => {
      const sets = classifier.predict(others, { confidence });
      for (const { name, rows: count } of model.classes) {
        const ofClass = sets.filter(({ original }) => original === name);
        const tolerance = band(confidence, count, ofClass.length);
        expect(held(ofClass), name).toBeGreaterThan(confidence - tolerance);
      }
    });

    test('widens sets with the confidence; the class is the first of its set', () => {
      const narrow = classifier.predict(others, { confidence: 0.5 });
      const wide = classifier.predict(others, { confidence: 0.99 });
      for (const [row, { set }] of wide.entries()) {
        expect(set).toEqual(expect.arrayContaining(narrow[row]?.set ?? []));
        expect(set[0]).toBe(narrow[row]?.class);
      }
    });

    test('gives less confidence to rows that leave columns out, and sets that hold all the same', () => {
      const partial = others.map(({ x, y }) => ({ x, y }));
      const answers = classifier.predict(partial, { confidence: 0.9 });
      expect(held(answers)).toBeGreaterThan(0.9 - band(0.9, 4000, 4000));
      const nominal = answers.reduce((sum, { confidence }) => sum + confidence, 0) / 4000;
      const right = answers.filter((one) => one.class === one.original).length / 4000;
      expect(right).toBeGreaterThan(nominal - 0.03);
    });

    test('comes back from bytes, and answers the same to the last bit', () => {
      const decoded = decodeModel(encodeModel(model));
      expect(decoded).toEqual({ ...model, ranking: null });
      if (decoded.task !== 'classification') throw new Error('The model is of numbers.');
      const asked = [...others.slice(0, 300), {}, { x: 0.1 }];
      const text = (from: Classifier) => Buffer.concat([...from.answer(asked)]).toString();
      expect(text(new Classifier(decoded))).toBe(text(classifier));
    });
  },
);

test('columns that say nothing leave each class its share', () => {
  const rows = makeRows(1500, (random) => ({ x: random(), y: random() < 0.7 ? 'a' : 'b' }));
  const model = trainOn(rows);
  const { metrics } = model;
  expect(metrics.log_loss / metrics.baseline_log_loss).toBeCloseTo(1, 1);
  for (const { confidence } of new Classifier(model).predict(rows.slice(0, 20))) {
    expect(confidence).toBeGreaterThan(0.6);
    expect(confidence).toBeLessThan(0.8);
  }
});

test('sets hold a rare class in as many of its rows as they promise, and as measured', () => {
  const drawn = (count: number, share: number) =>
    makeRows(count, (random) => {
      const isRare = random() < share;
      return { x: random() + (isRare ? 0.5 : 0), y: isRare ? 'bad' : 'good' };
    });
  const bad = drawn(8000, 0.5).filter(({ y }) => y === 'bad');
  for (const share of [0.02, 0.06]) {
    const model = trainOn(drawn(1000, share));
    const measured = model.metrics.by_class.find((one) => one.class === 'bad')?.set_coverage ?? 0;
    const shown = held(new Classifier(model).predict(bad));
    for (const covered of [shown, measured]) expect(covered).toBeGreaterThan(0.75);
  }
});

test('a large table is trained with a hold-out', () => {
  const rows = noisyRows(21_000, ['low', 'middle', 'high']);
  const model = trainOn(rows);
  expect(model.metrics.held_out_rows).toBe(3780);
  expect(model.metrics.log_loss).toBeLessThan(model.metrics.baseline_log_loss);
  expect(Math.abs(model.metrics.set_coverage - 0.9)).toBeLessThan(0.05);
});

test('the same seed gives the same model', () => {
  const rows = noisyRows(200, ['no', 'yes']);
  expect(encodeModel(trainOn(rows))).toEqual(encodeModel(trainOn(rows)));
});

describe('classes', () => {
  /** Sixty rows, and some of a class each. */
  function rowsOf(...classes: [unknown, number][]): Row[] {
    return classes.flatMap(([y, count], index) =>
      Array.from({ length: count }, (_, row) => ({ x: 10 * index + (row % 7), y })),
    );
  }

  test('that are rare are merged, and unknown texts are of that class', () => {
    const model = trainOn(rowsOf(['a', 40], ['b', 30], ['e', 5], ['c', 4], ['d', 1], ['', 5], [null, 5]));
    expect(model.classes).toEqual([
      { name: 'a', rows: 40, merged_count: 0, merged: [] },
      { name: 'b', rows: 30, merged_count: 0, merged: [] },
      { name: 'e', rows: 5, merged_count: 0, merged: [] },
      { name: 'other', rows: 5, merged_count: 2, merged: ['c', 'd'] },
    ]);
    const [ofOther, ofFive] = new Classifier(model).predict([
      { x: 34, y: 'never seen' },
      { x: 24, y: 'e' },
    ]);
    expect(ofOther?.anomaly).toBe(false);
    // A class of five rows has its own probability, which is that of a row of the class, not of any.
    expect(ofFive?.probabilities[2]).toBeGreaterThan(5 * (5 / 80));
    expect(ofOther?.probabilities.every((share) => share > 0)).toBe(true);
  });

  test('that are rare join a class that is named as they would be', () => {
    const { classes } = trainOn(rowsOf(['a', 40], ['other', 30], ['c', 2]));
    expect(classes.map(({ name, rows }) => [name, rows])).toEqual([
      ['a', 40],
      ['other', 32],
    ]);
  });

  test('are one if they differ by blanks at their ends, or by how a boolean or a number is written', () => {
    const { classes } = trainOn(
      rowsOf([' a', 20], ['a ', 20], [true, 15], ['TRUE', 15], [1, 10], ['1.0', 10], ['01', 20]),
    );
    expect(classes.map(({ name, rows }) => [name, rows])).toEqual([
      ['a', 40],
      ['true', 30],
      ['1', 20],
      ['01', 20],
    ]);
  });

  test('may bear the names of what objects inherit', () => {
    const rows = rowsOf(['__proto__', 30], ['constructor', 30]);
    const classifier = new Classifier(trainOn(rows));
    const [row] = JSON.parse(Buffer.concat([...classifier.answer([{ x: 1, y: 'toString' }])]).toString());
    expect(row).toMatchObject({ y: '__proto__', y_original: 'toString', y_anomaly: true });
    const explained = JSON.parse(row.y_explain);
    expect(Object.keys(explained)).toEqual([
      'predicted_value',
      'confidence',
      'anomaly',
      'truth',
      'probability_class___proto__',
      'probability_class_constructor',
    ]);
  });

  test('stand in an answer row in this order, between the inputs and what closes it', () => {
    const model = trainOn(rowsOf(['a "b"', 40], ['c\\d', 40]));
    const sent = { x: 1, y: 'c\\d', when_data: 'now' };
    const text = Buffer.concat([...new Classifier(model).answer([sent, null])]).toString();
    const [row, empty] = JSON.parse(text);
    expect(Object.keys(row)).toEqual([
      'x',
      'y',
      'y_original',
      'y_confidence',
      'y_min',
      'y_max',
      'y_anomaly',
      'y_explain',
      'y_set',
      'select_data_query',
      'when_data',
      '__service_row_id',
    ]);
    expect(row).toMatchObject({ y: 'a "b"', y_min: null, y_max: null, when_data: 'now' });
    expect(JSON.parse(row.y_explain)).toEqual({
      predicted_value: 'a "b"',
      confidence: row.y_confidence,
      anomaly: row.y_anomaly,
      truth: 'c\\d',
      'probability_class_a "b"': row.y_confidence,
      'probability_class_c\\d': expect.closeTo(1 - row.y_confidence, 5),
    });
    expect(empty).toMatchObject({ y_original: null, y_anomaly: null });
    expect(`[${JSON.stringify(row)}]`).toBe(new Classifier(model).answerOne(sent));
  });

  test('take a confidence from 0.01 to 0.99 for their sets', () => {
    const classifier = new Classifier(trainOn(rowsOf(['a', 40], ['b', 40])));
    for (const confidence of [0, 1, Number.NaN]) {
      expect(() => classifier.predict([], { confidence })).toThrow(RangeError);
      expect(() => classifier.answer([], { confidence })).toThrow(RangeError);
    }
  });
});
