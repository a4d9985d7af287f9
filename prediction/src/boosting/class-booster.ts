import type { Forest, Tree } from '../forest/tree.js';
import type { TreeParams } from '../params.js';
import { seededRandom } from '../random.js';
import type { HistogramBuilder } from './histogram.js';
import type { KernelDataset } from './kernel-dataset.js';
import { sampleInOrder } from './row-sample.js';
import type { ScoreUpdater } from './score-updater.js';
import { type GrownTree, TreeLearner } from './tree-learner.js';

const SAMPLE_SEED = 1;

/** Added to the second derivatives of a leaf, which vanish where rows are all but certain. */
const LAMBDA = 1;

/** The largest step of a leaf before it is scaled by the learning rate, in log-odds. */
const MAX_STEP = 4;

/** The training data of a booster of classes. */
export interface ClassTarget {
  /** The class of each row of the whole table, as an index. */
  labels: Uint16Array;
  classCount: number;
  /** The share of each class. */
  shares: Float64Array;
}

/** The number of forests that tell so many classes apart: of two classes, one forest says which. */
export function forestCount(classCount: number): number {
  return classCount === 2 ? 1 : classCount;
}

/**
 * Gradient boosting for classes: for each class a forest whose sum is its score, and the softmax of the
 * scores are the probabilities; of two classes, one forest whose sum is the log-odds of the second. In a round
 * each forest gets a tree that is fitted to what its probability leaves over, with a Newton step in each leaf
 * (Friedman 2001, algorithms 5 and 6; leaves regularised as in Chen & Guestrin 2016).
 */
export class ClassBooster {
  readonly forests: readonly Forest[];
  readonly #table: KernelDataset;
  readonly #adder: ScoreUpdater;
  readonly #grower: TreeLearner;
  readonly #labels: Uint16Array;
  readonly #learningRate: number;
  readonly #rowList: Uint32Array;
  readonly #rowsPerTree: number;
  readonly #random = seededRandom(SAMPLE_SEED);
  readonly #gains: number[][][];
  /** Addresses of the rows, of the residuals by row of the whole table, and for each forest of the scores by row. */
  readonly #rows: number;
  readonly #residuals: number;
  readonly #scores: readonly number[];
  /** Probabilities, forest by forest, in the order of the rows. */
  readonly #probabilities: Float64Array;
  /** By row of the whole table: the second derivatives of the loss by the score at hand. */
  readonly #curvatures: Float64Array;

  /**
   * @param rows the rows to learn from, ascending.
   * @param start the scores that boosting begins with, forest by forest, by row of the whole table;
   *   undefined, for the log of the classes' shares, which the forests then have as their bases.
   */
  constructor(
    table: KernelDataset,
    histograms: HistogramBuilder,
    adder: ScoreUpdater,
    rows: Uint32Array,
    { labels, classCount, shares }: ClassTarget,
    params: TreeParams,
    learningRate: number,
    start?: Float64Array,
  ) {
    const { memory, rowCount } = table;
    this.#table = table;
    this.#adder = adder;
    this.#grower = new TreeLearner(table, histograms, params);
    this.#labels = labels;
    this.#learningRate = learningRate;
    this.#rowList = rows;
    this.#rowsPerTree = Math.min(params.rowsPerTree ?? rows.length, rows.length);
    const bases = start ? null : baseScores(shares);
    const count = forestCount(classCount);
    this.forests = Array.from({ length: count }, (_, index) => ({
      base: bases?.[index] ?? 0,
      trees: [],
    }));
    this.#gains = this.forests.map(() => []);
    this.#rows = memory.allocate(4 * rows.length);
    this.#residuals = memory.allocate(8 * rowCount);
    this.#scores = this.forests.map(() => memory.allocate(8 * rowCount));
    this.#probabilities = new Float64Array(count * rows.length);
    this.#curvatures = new Float64Array(rowCount);
    memory.words.set(rows, this.#rows / 4);
    for (const [index, address] of this.#scores.entries()) {
      const scores = memory.doubles.subarray(address / 8, address / 8 + rowCount);
      if (start) scores.set(start.subarray(index * rowCount, (index + 1) * rowCount));
      else scores.fill(bases?.[index] ?? 0);
    }
  }

  /** For each forest and tree, and each of its splits, by how much it lowered the squared residuals. */
  get gains(): readonly (readonly (readonly number[])[])[] {
    return this.#gains;
  }

  /** Adds a tree to each forest, and returns them. */
  addRound(): Tree[] {
    this.#findProbabilities();
    return this.forests.map((forest, index) => {
      this.#findResiduals(index);
      this.#chooseRows();
      const grown = this.#grower.grow(this.#rowsPerTree, this.#residuals, 1);
      this.#stepLeaves(grown);
      this.#addTo(this.#scores[index] ?? 0, grown);
      forest.trees.push(grown.tree);
      this.#gains[index]?.push([...grown.gains]);
      return grown.tree;
    });
  }

  #findProbabilities(): void {
    const { memory, rowCount } = this.#table;
    const scores = this.#scores.map((address) =>
      memory.doubles.subarray(address / 8, address / 8 + rowCount),
    );
    const rows = this.#rowList;
    const probabilities = this.#probabilities;
    const [only] = scores;
    if (only !== undefined && scores.length === 1) {
      for (let at = 0; at < rows.length; at++) {
        probabilities[at] = 1 / (1 + Math.exp(-(only[rows[at] ?? 0] ?? 0)));
      }
      return;
    }
    const most = new Float64Array(rows.length).fill(Number.NEGATIVE_INFINITY);
    for (const ofForest of scores) {
      for (let at = 0; at < rows.length; at++) {
        const score = ofForest[rows[at] ?? 0] ?? 0;
        if (score > (most[at] ?? 0)) most[at] = score;
      }
    }
    const sums = new Float64Array(rows.length);
    for (const [index, ofForest] of scores.entries()) {
      const begin = index * rows.length;
      for (let at = 0; at < rows.length; at++) {
        const power = Math.exp((ofForest[rows[at] ?? 0] ?? 0) - (most[at] ?? 0));
        probabilities[begin + at] = power;
        sums[at] = (sums[at] ?? 0) + power;
      }
    }
    for (let begin = 0; begin < probabilities.length; begin += rows.length) {
      for (let at = 0; at < rows.length; at++) {
        probabilities[begin + at] = (probabilities[begin + at] ?? 0) / (sums[at] ?? 1);
      }
    }
  }

  #findResiduals(index: number): void {
    const { memory, rowCount } = this.#table;
    const residuals = memory.doubles.subarray(this.#residuals / 8, this.#residuals / 8 + rowCount);
    const rows = this.#rowList;
    const curvatures = this.#curvatures;
    const labels = this.#labels;
    const label = this.forests.length === 1 ? 1 : index;
    const begin = index * rows.length;
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] ?? 0;
      const probability = this.#probabilities[begin + at] ?? 0;
      residuals[row] = (labels[row] === label ? 1 : 0) - probability;
      curvatures[row] = probability * (1 - probability);
    }
  }

  #chooseRows(): void {
    const { memory, order } = this.#table;
    const chosen = memory.words.subarray(order / 4, order / 4 + this.#rowsPerTree);
    if (this.#rowsPerTree === this.#rowList.length) chosen.set(this.#rowList);
    else sampleInOrder(this.#rowList, chosen, this.#random);
  }

  /** Turns the mean residual of each leaf into a Newton step, scaled by the learning rate. */
  #stepLeaves({ tree, ranges }: GrownTree): void {
    const { memory, order } = this.#table;
    const rows = memory.words.subarray(order / 4, order / 4 + this.#rowsPerTree);
    const count = this.forests.length;
    // The diagonal of the softmax's second derivatives alone overstates the steps of classes that compete.
    const share = count === 1 ? 1 : (count - 1) / count;
    for (const [leaf, { start, end }] of ranges.entries()) {
      let curvature = 0;
      for (let at = start; at < end; at++) curvature += this.#curvatures[rows[at] ?? 0] ?? 0;
      const residual = (tree.leaves[leaf] ?? 0) * (end - start);
      const step = (share * residual) / (curvature + LAMBDA);
      const limited = Math.min(Math.max(step, -MAX_STEP), MAX_STEP);
      tree.leaves[leaf] = Number((this.#learningRate * limited).toPrecision(6)) + 0;
    }
  }

  #addTo(scores: number, { tree, ranges }: GrownTree): void {
    const { memory, order } = this.#table;
    if (this.#rowsPerTree < this.#rowList.length) {
      this.#adder.add(tree, 1, this.#rows, this.#rowList.length, scores);
      return;
    }
    for (const [leaf, { start, end }] of ranges.entries()) {
      const value = tree.leaves[leaf] ?? 0;
      memory.kernel.addToRows(scores, order + 4 * start, end - start, value);
    }
  }
}

/** The scores that give each class its share. */
function baseScores(shares: Float64Array): number[] {
  const logs = Array.from(shares, (share) => Math.log(share));
  return logs.length === 2 ? [(logs[1] ?? 0) - (logs[0] ?? 0)] : logs;
}
