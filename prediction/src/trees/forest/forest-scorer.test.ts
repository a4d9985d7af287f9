import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { findLeafValue, randomTree } from '../../../../testkit/prediction/reference-trees.js';
import { KernelMemory } from '../../kernel/kernel-memory.js';
import { seededRandom } from '../random.js';
import { finish } from '../steps.js';
import { createScorer, type ForestScorer, scorerMemory, WasmScorer } from './forest-scorer.js';
import { JsScorer } from './js-scorer.js';
import { MAX_LEAVES, type Tree } from './tree.js';

const cases = fc
  .record({
    leafCounts: fc.array(fc.integer({ min: 1, max: MAX_LEAVES }), { maxLength: 40 }),
    featureCount: fc.integer({ min: 1, max: 300 }),
    rowCount: fc.integer({ min: 0, max: 600 }),
    seed: fc.integer(),
  })
  .map(({ leafCounts, featureCount, rowCount, seed }) => {
    const random = seededRandom(seed);
    const trees = leafCounts.map((count) => randomTree(count, featureCount, random));
    const bins = Uint8Array.from({ length: featureCount * rowCount }, () => 256 * random());
    const sums = Float64Array.from({ length: rowCount }, () => (random() < 0.1 ? -0 : random()));
    const chosen = Uint32Array.from({ length: rowCount }, (_, row) => row)
      .filter(() => random() < 0.5)
      .reverse();
    return { trees, bins, rowCount, sums, chosen };
  });

afterEach(() => void vi.unstubAllGlobals());

describe('scores', () => {
  test.each([
    ['with the kernel', (trees: Tree[]) => finish(WasmScorer.create(trees, new KernelMemory()))],
    ['without it', (trees: Tree[]) => new JsScorer(trees)],
  ])('%s equal the sum of a walk down the trees, to the last bit', (_name, create) => {
    fc.assert(
      fc.property(cases, ({ trees, bins, rowCount, sums, chosen }) => {
        const scorer = create(trees);
        const walk = (sum: number, row: number) =>
          trees.reduce((all, tree) => all + findLeafValue(tree, { bins, rowCount }, row), sum);
        const all = sums.slice();
        scorer.addToAll(all, bins, rowCount);
        expect(all).toEqual(sums.map(walk));
        const some = sums.slice();
        scorer.addTo(some, chosen, bins, rowCount);
        const isChosen = new Set(chosen);
        expect(some).toEqual(sums.map((sum, row) => (isChosen.has(row) ? walk(sum, row) : sum)));
      }),
      { numRuns: 30 },
    );
  });

  test('work in a process without WebAssembly', () => {
    const random = seededRandom(1);
    const trees = [randomTree(20, 3, random), randomTree(9, 3, random)];
    const bins = Uint8Array.from({ length: 300 }, () => 256 * random());
    const score = () => {
      const sums = new Float64Array(100);
      finish(createScorer(trees)).addToAll(sums, bins, 100);
      return sums;
    };
    const expected = score();
    vi.stubGlobal('WebAssembly', undefined);
    expect(() => new KernelMemory()).toThrow();
    expect(score()).toEqual(expected);
  });

  test('of several forests in one memory are those of each by itself', () => {
    const random = seededRandom(3);
    const forests = [5, 30, 9].map((count) => Array.from({ length: count }, () => randomTree(20, 3, random)));
    const bins = Uint8Array.from({ length: 300 }, () => 256 * random());
    const score = (scorer: ForestScorer) => {
      const sums = new Float64Array(100);
      scorer.addToAll(sums, bins, 100);
      return sums;
    };
    const memory = scorerMemory();
    const shared = forests.map((trees) => finish(createScorer(trees, memory)));
    for (const [index, trees] of forests.entries()) {
      const scorer = shared[index];
      expect(scorer && score(scorer)).toEqual(score(finish(createScorer(trees))));
    }
  });
});
