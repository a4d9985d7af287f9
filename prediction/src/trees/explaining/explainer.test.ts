import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findLeafValue, randomTree } from '../../../../testkit/prediction/reference-trees.js';
import { scorerMemory } from '../forest/forest-scorer.js';
import { MAX_LEAVES, type Tree } from '../forest/tree.js';
import { seededRandom } from '../random.js';
import { finish } from '../steps.js';
import { expectedScore, ForestExplainer } from './explainer.js';

/** Returns the mean of a tree over the columns that are not known: their splits are met as often as training rows met them. */
function expectTree(
  { splits, leaves, covers = [] }: Tree,
  isLeft: (feature: number, bins: number[]) => boolean | null,
) {
  const visit = (child: number): { mean: number; rows: number } => {
    const split = splits[child];
    if (split === undefined) return { mean: leaves[~child] ?? 0, rows: covers[~child] ?? 0 };
    const [left, right] = [visit(split.left), visit(split.right)];
    const rows = left.rows + right.rows;
    const goesLeft = isLeft(split.feature, split.left_bins);
    if (goesLeft !== null) return { mean: (goesLeft ? left : right).mean, rows };
    return { mean: (left.mean * left.rows + right.mean * right.rows) / rows, rows };
  };
  return visit(splits.length > 0 ? 0 : ~0).mean;
}

function listOrders(players: readonly number[]): number[][] {
  if (players.length === 0) return [[]];
  return players.flatMap((first) => {
    const others = players.filter((player) => player !== first);
    return listOrders(others).map((order) => [first, ...order]);
  });
}

/** The mean over all orders of what each column changes when it becomes known. */
function bruteForce(trees: readonly Tree[], playerOf: readonly number[], players: number, binOf: number[]): number[] {
  const score = (known: ReadonlySet<number>) =>
    trees.reduce((sum, tree) => {
      const mean = expectTree(tree, (feature, ranges) => {
        if (!known.has(playerOf[feature] ?? 0)) return null;
        const bin = binOf[feature] ?? 0;
        return ranges.some((first, at) => at % 2 === 0 && first <= bin && bin <= (ranges[at + 1] ?? 0));
      });
      return sum + mean;
    }, 0);
  const values = new Array<number>(players).fill(0);
  const orders = listOrders([...values.keys()]);
  for (const order of orders) {
    const known = new Set<number>();
    let before = score(known);
    for (const player of order) {
      const after = score(known.add(player));
      values[player] = (values[player] ?? 0) + (after - before) / orders.length;
      before = after;
    }
  }
  return values;
}

const cases = fc
  .record({
    leafCounts: fc.array(fc.integer({ min: 1, max: MAX_LEAVES }), { minLength: 1, maxLength: 12 }),
    players: fc.integer({ min: 1, max: 5 }),
    more: fc.integer({ min: 0, max: 3 }),
    rowCount: fc.integer({ min: 1, max: 5 }),
    seed: fc.integer(),
  })
  .map(({ leafCounts, players, more, rowCount, seed }) => {
    const random = seededRandom(seed);
    // Some columns have several features, as dates do.
    const playerOf = [...Array(players).keys(), ...Array.from({ length: more }, () => Math.floor(players * random()))];
    const trees = leafCounts.map((count) => randomTree(count, playerOf.length, random));
    const bins = Uint8Array.from({ length: playerOf.length * rowCount }, () => 256 * random());
    return { trees, playerOf, players, bins, rowCount };
  });

/** The ways to explain: with tables, with some, by visiting the trees, and without the kernel. */
const WAYS = [
  { maxBytes: 2 ** 30, memory: scorerMemory },
  { maxBytes: 2 ** 16, memory: scorerMemory },
  { maxBytes: 0, memory: scorerMemory },
  { maxBytes: 0, memory: () => undefined },
];

function explain(
  trees: readonly Tree[],
  playerOf: readonly number[],
  players: number,
  bins: Uint8Array,
  rows: number,
  { maxBytes, memory }: (typeof WAYS)[number],
) {
  const values = new Float64Array(rows * players);
  const all = Uint32Array.from({ length: rows }, (_, row) => row);
  finish(ForestExplainer.create(trees, playerOf, memory(), maxBytes)).addTo(values, players, all, bins, rows);
  return values;
}

describe.each(WAYS)('contributions with tables of at most $maxBytes bytes', (way) => {
  test('are those of brute force over all orders in which columns become known', () => {
    fc.assert(
      fc.property(cases, ({ trees, playerOf, players, bins, rowCount }) => {
        const values = explain(trees, playerOf, players, bins, rowCount, way);
        for (let row = 0; row < rowCount; row++) {
          const binOf = playerOf.map((_, feature) => bins[feature * rowCount + row] ?? 0);
          const expected = bruteForce(trees, playerOf, players, binOf);
          for (const [player, value] of expected.entries()) {
            expect(values[row * players + player]).toBeCloseTo(value, 11);
          }
        }
      }),
      { numRuns: 15 },
    );
  });

  test('add up to the score less the expected one, with up to 31 columns on a path', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 400 }),
        (seed, players, rows) => {
          const random = seededRandom(seed);
          const trees = Array.from({ length: 10 }, () => randomTree(MAX_LEAVES, players, random));
          const playerOf = [...Array(players).keys()];
          const bins = Uint8Array.from({ length: players * rows }, () => 256 * random());
          const values = explain(trees, playerOf, players, bins, rows, way);
          const base = expectedScore({ base: 0, trees });
          for (let row = 0; row < rows; row++) {
            const score = trees.reduce((sum, tree) => sum + findLeafValue(tree, { bins, rowCount: rows }, row), 0);
            const sum = values.subarray(row * players, (row + 1) * players).reduce((all, value) => all + value, base);
            expect(Math.abs(sum - score)).toBeLessThan(1e-12);
          }
        },
      ),
      { numRuns: 8 },
    );
  });

  test('are the same to the last bit whichever rows they come with', () => {
    const random = seededRandom(5);
    const [players, rows] = [9, 1100];
    const playerOf = [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 3];
    const trees = Array.from({ length: 30 }, () => randomTree(1 + Math.floor(MAX_LEAVES * random()), 11, random));
    const bins = Uint8Array.from({ length: 11 * rows }, () => 256 * random());
    const explainer = finish(ForestExplainer.create(trees, playerOf, way.memory(), way.maxBytes));
    const together = new Float64Array(rows * players);
    const alone = new Float64Array(rows * players);
    explainer.addTo(
      together,
      players,
      Uint32Array.from({ length: rows }, (_, row) => row),
      bins,
      rows,
    );
    // It has no tables until it has explained some rows.
    const singly = finish(ForestExplainer.create(trees, playerOf, way.memory(), way.maxBytes));
    for (let row = 0; row < rows; row += 7) {
      singly.addTo(alone, players, Uint32Array.of(row), bins, rows);
      const [from, to] = [row * players, (row + 1) * players];
      expect(alone.subarray(from, to)).toEqual(together.subarray(from, to));
    }
  });
});
