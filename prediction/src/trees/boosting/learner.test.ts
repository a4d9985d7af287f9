import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findLeafValue, learnForest, referenceForest } from '../../../../testkit/prediction/reference-trees.js';
import type { BinnedFeatures } from '../binning/dataset.js';
import { seededRandom } from '../random.js';
import { Learner } from './learner.js';
import { squaredLoss } from './squared-loss.js';

const limits = { maxLeaves: 31, minRowsPerLeaf: 5 };

/** A table of random bins, with gaps, and a target that follows from them. */
function makeTable(rowCount: number, binCounts: readonly number[], isCategory: readonly boolean[]) {
  const random = seededRandom(rowCount);
  const bins = new Uint8Array(binCounts.length * rowCount);
  const target = new Float64Array(rowCount);
  for (const [feature, binCount] of binCounts.entries()) {
    for (let row = 0; row < rowCount; row++) {
      const bin = random() < 0.1 ? 0 : 1 + Math.floor(random() * (binCount - 1));
      bins[feature * rowCount + row] = bin;
      target[row] = (target[row] ?? 0) + Math.sin(bin * (feature + 1)) + random() / 10;
    }
  }
  const features = {
    rowCount,
    bins,
    binCounts: [...binCounts],
    isCategory: [...isCategory],
    columnOf: binCounts.map((_, feature) => feature),
  };
  return { features, target, rows: allRows(features) };
}

function allRows({ rowCount }: Pick<BinnedFeatures, 'rowCount'>): Uint32Array {
  return Uint32Array.from({ length: rowCount }, (_, row) => row);
}

/** Tables of one to twenty features, a few of them categories, and a target of few or many values. */
const tables = fc
  .record({
    rowCount: fc.integer({ min: 1, max: 500 }),
    features: fc.array(
      fc.record({
        binCount: fc.oneof(fc.integer({ min: 2, max: 8 }), fc.integer({ min: 9, max: 256 })),
        isCategory: fc.boolean(),
      }),
      { minLength: 1, maxLength: 20 },
    ),
    scale: fc.constantFrom(0, 1e-300, 1, 1e6),
    seed: fc.integer(),
  })
  .map(({ rowCount, features, scale, seed }) => {
    const random = seededRandom(seed);
    const bins = Uint8Array.from(
      features.flatMap(({ binCount }) =>
        Array.from({ length: rowCount }, () => Math.floor(random() * random() * binCount)),
      ),
    );
    const binned: BinnedFeatures = {
      rowCount,
      bins,
      binCounts: features.map(({ binCount }) => binCount),
      isCategory: features.map(({ isCategory }) => isCategory),
      columnOf: features.map((_, feature) => feature),
    };
    const target = Float64Array.from({ length: rowCount }, () => scale * (random() ** 3 - 0.3));
    const rows = allRows(binned).filter(() => random() < 0.8);
    return { binned, target, rows: rows.length > 0 ? rows : Uint32Array.of(0) };
  });

describe('a learner', () => {
  test('grows the trees that the plainest way grows, to the last bit', () => {
    fc.assert(
      fc.property(tables, fc.integer({ min: 1, max: 12 }), fc.constantFrom(0, 2), (table, minRowsPerLeaf, lambda) => {
        const { binned, target, rows } = table;
        const within = { maxLeaves: 8, minRowsPerLeaf, lambda };
        const forest = learnForest(binned, rows, target, within, 3);
        expect(forest).toEqual(referenceForest(binned, rows, target, within, 3));
      }),
      { numRuns: 100 },
    );
  });

  test('scores rows tree by tree as it scores them by the whole forest, and as a walk does', () => {
    fc.assert(
      fc.property(tables, ({ binned, target, rows }) => {
        const learner = new Learner(binned);
        const within = { maxLeaves: 32, minRowsPerLeaf: 1 };
        const forest = learnForest(binned, rows, target, within, 9);
        const everyRow = allRows(binned).reverse();
        const sums = new Float64Array(binned.rowCount).fill(forest.base);
        learner.addTo(sums, everyRow, forest.trees);
        const walked = Float64Array.from(everyRow, (row) =>
          forest.trees.reduce((sum, tree) => sum + findLeafValue(tree, binned, row), forest.base),
        );
        expect(sums.reverse()).toEqual(walked);
        expect(learner.score([forest], everyRow).values.reverse()).toEqual(walked);
      }),
      { numRuns: 25 },
    );
  });

  test('touches the sums of the given rows alone', () => {
    const { features, target, rows } = makeTable(50, [9], [false]);
    const learner = new Learner(features);
    const { trees } = learnForest(features, rows, target, limits, 1);
    const sums = new Float64Array(50).fill(7);
    learner.addTo(sums, Uint32Array.of(3, 1), trees);
    expect(sums.findIndex((sum) => sum !== 7)).toBe(1);
    expect(sums.findLastIndex((sum) => sum !== 7)).toBe(3);
    expect(sums[2]).toBe(7);
  });

  test('grows several forests in turns as one after the other', () => {
    const { features, target, rows } = makeTable(400, [30, 6], [false, true]);
    const doubled = target.map((value) => value ** 2);
    const inTurns = new Learner(features);
    const [first, second] = [target, doubled].map((y) => inTurns.booster(rows, limits, squaredLoss(y)));
    for (let round = 0; round < 5; round++) {
      first?.addRound();
      second?.addRound();
    }
    const alone = (y: Float64Array) => learnForest(features, rows, y, limits, 5);
    expect(first?.forests).toEqual([alone(target)]);
    expect(second?.forests).toEqual([alone(doubled)]);
  });

  describe('that samples rows', () => {
    const { features, target, rows } = makeTable(3000, [200, 50, 12], [false, false, true]);
    const boost = (rowsPerTree?: number) =>
      learnForest(features, rows, target, rowsPerTree === undefined ? limits : { ...limits, rowsPerTree }, 40);
    const squaredError = (forest: ReturnType<typeof boost>) =>
      new Learner(features)
        .score([forest], rows)
        .values.reduce((sum, prediction, row) => sum + ((target[row] ?? 0) - prediction) ** 2, 0);

    test('draws the same ones every time', () => {
      expect(boost(1000)).toEqual(boost(1000));
    });

    test('draws other ones for each tree, so that it learns from more than a sample', () => {
      const sample = rows.filter((row) => row % 10 === 0);
      const once = learnForest(features, sample, target, limits, 40);
      expect(squaredError(boost(300))).toBeLessThan(0.9 * squaredError(once));
    });

    test('learns nearly as well as from all rows', () => {
      expect(squaredError(boost(1500))).toBeLessThan(1.1 * squaredError(boost()));
    });

    test('draws none if there are few enough', () => {
      expect(boost(3000)).toEqual(boost());
      expect(boost(5000)).toEqual(boost());
    });
  });

  describe('that samples rows and features', () => {
    const { features, target, rows } = makeTable(600, [200, 50, 12, 40], [false, false, true, false]);
    const within = { ...limits, rowShare: 0.6, featureShare: 0.5 };
    const boost = (seed?: number) =>
      learnForest(features, rows, target, seed === undefined ? within : { ...within, seed }, 20);

    test('grows the same trees from the same seed, and others from another', () => {
      expect(boost(7)).toEqual(boost(7));
      expect(boost(8).trees).not.toEqual(boost(7).trees);
    });

    test('tries other features at the first split of other trees', () => {
      const first = new Set(boost().trees.map(({ splits }) => splits[0]?.feature));
      expect(first.size).toBeGreaterThan(2);
    });

    test('keeps the scores of rows that a tree was not grown on', () => {
      // The bins decide the target, and each tree corrects all that it sees: two rounds leave nothing over.
      const decided = { ...features, bins: features.bins.map((bin, at) => (at < 600 ? 1 + (at % 4) : bin)) };
      const ofBin = Float64Array.from(rows, (row) => [3, -1, 8, 2][row % 4] ?? 0);
      const learner = new Learner({ ...decided, binCounts: [5, 50, 12, 40] });
      const booster = learner.booster(rows, { ...limits, rowShare: 0.6 }, squaredLoss(ofBin, 1));
      const scores = learner.score(booster.addRounds(4), rows).values;
      for (const row of rows) expect(scores[row]).toBeCloseTo(ofBin[row] ?? 0, 5);
    });

    test('learns from a table of one row, and of one feature', () => {
      const narrow = makeTable(40, [12], [false]);
      expect(learnForest(narrow.features, narrow.rows, narrow.target, within, 3).trees).toHaveLength(3);
      expect(learnForest(narrow.features, narrow.rows.subarray(0, 1), narrow.target, within, 3).trees).toHaveLength(3);
    });
  });

  test('learns from a million rows', () => {
    const { features, target, rows } = makeTable(1_000_000, [256, 256, 20], [false, false, true]);
    const within = { maxLeaves: 31, minRowsPerLeaf: 20 };
    const forest = learnForest(features, rows, target, within, 2);
    expect(forest.trees[1]?.leaves).toHaveLength(31);
  });

  test('learns from a thousand columns', () => {
    const binCounts = Array.from({ length: 1000 }, () => 256);
    const table = makeTable(
      500,
      binCounts,
      binCounts.map((_, index) => index % 9 === 0),
    );
    const forest = learnForest(table.features, table.rows, table.target, limits, 2);
    expect(forest.trees[1]?.leaves).toHaveLength(31);
  });
});
