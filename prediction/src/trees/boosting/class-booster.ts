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

/**
 * Where this many rounds still help, as with classes that follow from the columns without noise, larger steps
 * reach the same loss in half as many more.
 */
const LATE_ROUND = 150;
const LATE_LEARNING_RATE = 0.2;

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
  readonly #learningRate: number;
  readonly #rowList: Uint32Array;
  readonly #rowsPerTree: number;
  readonly #random = seededRandom(SAMPLE_SEED);
  readonly #gains: number[][][];
  /** Addresses of the rows, and by row of the whole table of the classes and of the residuals. */
  readonly #rows: number;
  readonly #labels: number;
  readonly #residuals: number;
  /**
   * Addresses, for each forest, of e to the scores by row, and of their sums. Scores are moderate: some hundred
   * rounds of at most `MAX_STEP` times the learning rate.
   */
  readonly #powers: readonly number[];
  readonly #sums: number;

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
    this.#labels = memory.allocate(2 * rowCount);
    this.#residuals = memory.allocate(8 * rowCount);
    this.#powers = this.forests.map(() => memory.allocate(8 * rowCount));
    this.#sums = memory.allocate(8 * rowCount);
    memory.words.set(rows, this.#rows / 4);
    const bytes = new Uint8Array(labels.buffer, labels.byteOffset, labels.byteLength);
    memory.bytes.set(bytes, this.#labels);
    for (const [index, address] of this.#powers.entries()) {
      const powers = memory.doubles.subarray(address / 8, address / 8 + rowCount);
      if (start) powers.set(start.subarray(index * rowCount, (index + 1) * rowCount).map(Math.exp));
      else powers.fill(Math.exp(bases?.[index] ?? 0));
    }
  }

  /** For each forest and tree, and each of its splits, by how much it lowered the squared residuals. */
  get gains(): readonly (readonly (readonly number[])[])[] {
    return this.#gains;
  }

  /** Adds a tree to each forest, and returns them. */
  addRound(): Tree[] {
    this.#findSums();
    const rate = this.#rateOfRound();
    return this.forests.map((forest, index) => {
      this.#findResiduals(index);
      this.#chooseRows();
      const grown = this.#grower.grow(this.#rowsPerTree, this.#residuals, 1);
      this.#stepLeaves(grown, rate);
      this.#raise(this.#powers[index] ?? 0, grown);
      forest.trees.push(grown.tree);
      this.#gains[index]?.push([...grown.gains]);
      return grown.tree;
    });
  }

  #rateOfRound(): number {
    const round = this.forests[0]?.trees.length ?? 0;
    return round < LATE_ROUND
      ? this.#learningRate
      : Math.max(this.#learningRate, LATE_LEARNING_RATE);
  }

  /** Adds up the powers of all classes; that of the first of two classes is 1. */
  #findSums(): void {
    const { memory, rowCount } = this.#table;
    const start = this.forests.length === 1 ? 1 : 0;
    memory.doubles.fill(start, this.#sums / 8, this.#sums / 8 + rowCount);
    for (const powers of this.#powers) {
      memory.kernel.addPowers(this.#sums, this.#rows, this.#rowList.length, powers);
    }
  }

  #findResiduals(index: number): void {
    this.#table.memory.kernel.classResiduals(
      this.#rows,
      this.#rowList.length,
      this.#powers[index] ?? 0,
      this.#sums,
      this.#labels,
      this.forests.length === 1 ? 1 : index,
      this.#residuals,
    );
  }

  #chooseRows(): void {
    const { memory, order } = this.#table;
    const chosen = memory.words.subarray(order / 4, order / 4 + this.#rowsPerTree);
    if (this.#rowsPerTree === this.#rowList.length) chosen.set(this.#rowList);
    else sampleInOrder(this.#rowList, chosen, this.#random);
  }

  /** Turns the mean residual of each leaf into a Newton step, scaled by the learning rate. */
  #stepLeaves({ tree, ranges }: GrownTree, rate: number): void {
    const { memory, order } = this.#table;
    const count = this.forests.length;
    // The diagonal of the softmax's second derivatives alone overstates the steps of classes that compete.
    const share = count === 1 ? 1 : (count - 1) / count;
    for (const [leaf, { start, end }] of ranges.entries()) {
      const ofLeaf = order + 4 * start;
      const curvature = memory.kernel.curvature(ofLeaf, end - start, this.#residuals);
      const residual = (tree.leaves[leaf] ?? 0) * (end - start);
      const step = (share * residual) / (curvature + LAMBDA);
      const limited = Math.min(Math.max(step, -MAX_STEP), MAX_STEP);
      tree.leaves[leaf] = Number((rate * limited).toPrecision(6)) + 0;
    }
  }

  /** Multiplies the powers of the rows by e to what the tree says of them. */
  #raise(powers: number, { tree, ranges }: GrownTree): void {
    const { memory, order } = this.#table;
    if (this.#rowsPerTree < this.#rowList.length) {
      this.#adder.raise(tree, this.#rows, this.#rowList.length, powers);
      return;
    }
    for (const [leaf, { start, end }] of ranges.entries()) {
      const factor = Math.exp(tree.leaves[leaf] ?? 0);
      memory.kernel.multiplyRows(powers, order + 4 * start, end - start, factor);
    }
  }
}

/** The scores that give each class its share. */
function baseScores(shares: Float64Array): number[] {
  const logs = Array.from(shares, (share) => Math.log(share));
  return logs.length === 2 ? [(logs[1] ?? 0) - (logs[0] ?? 0)] : logs;
}
