import type { BoostedRows, CreateLoss, Loss } from './booster.js';
import type { GrownTree } from './tree-learner.js';

/** Added to the second derivatives of a leaf, which vanish where rows are all but certain. */
const LAMBDA = 1;

/** The largest step of a leaf before it is scaled by the learning rate, in log-odds. */
const MAX_STEP = 4;

/**
 * Where so many rounds, times the learning rate, still help, as with classes that follow from the columns without
 * noise, larger steps reach the same loss in fewer rounds.
 */
const LATE_ROUNDS = 20;
const LATE_LEARNING_RATE = 0.2;

export interface ClassTarget {
  /** The class of each row of the whole table, as an index. */
  labels: Uint16Array;
  classCount: number;
  shares: Float64Array;
}

/** The number of forests that distinguish so many classes: of two classes, one forest says which. */
export function forestCount(classCount: number): number {
  return classCount === 2 ? 1 : classCount;
}

/**
 * Log loss of classes: for each class a forest whose sum is its score, and the softmax of the scores are the
 * probabilities; of two classes, one forest whose sum is the log-odds of the second. A tree is fitted to what the
 * probability leaves over, with a Newton step in each leaf (Friedman 2001, algorithms 5 and 6; leaves regularised
 * as in Chen & Guestrin 2016).
 */
class SoftmaxLoss implements Loss {
  readonly bases: readonly number[];
  readonly shrinkage = 1;
  readonly #rows: BoostedRows;
  readonly #learningRate: number;
  #rate = 0;
  /** Addresses, by row of the whole table, of the classes and of the residuals. */
  readonly #labels: number;
  readonly #residuals: number;
  /**
   * Addresses, for each forest, of e to the scores by row, and of their sums. Scores are moderate: some hundred
   * rounds of at most `MAX_STEP` times the learning rate.
   */
  readonly #powers: readonly number[];
  readonly #sums: number;

  constructor(
    rows: BoostedRows,
    { labels, shares, classCount }: ClassTarget,
    learningRate: number,
    start: Float64Array | undefined,
  ) {
    const { memory, rowCount } = rows.table;
    this.#rows = rows;
    this.#learningRate = learningRate;
    this.bases = start ? new Array<number>(forestCount(classCount)).fill(0) : baseScores(shares);
    this.#labels = memory.allocate(2 * rowCount);
    this.#residuals = memory.allocate(8 * rowCount);
    this.#powers = this.bases.map(() => memory.allocate(8 * rowCount));
    this.#sums = memory.allocate(8 * rowCount);
    const bytes = new Uint8Array(labels.buffer, labels.byteOffset, labels.byteLength);
    memory.bytes.set(bytes, this.#labels);
    for (const [index, address] of this.#powers.entries()) {
      const powers = memory.doubles.subarray(address / 8, address / 8 + rowCount);
      if (start) powers.set(start.subarray(index * rowCount, (index + 1) * rowCount).map(Math.exp));
      else powers.fill(Math.exp(this.bases[index] ?? 0));
    }
  }

  findResiduals(forest: number, round: number): number {
    if (forest === 0) this.#beginRound(round);
    this.#rows.table.memory.kernel.classResiduals(
      this.#rows.address,
      this.#rows.list.length,
      this.#powers[forest] ?? 0,
      this.#sums,
      this.#labels,
      this.bases.length === 1 ? 1 : forest,
      this.#residuals,
    );
    return this.#residuals;
  }

  addTree(forest: number, grown: GrownTree): void {
    this.#stepLeaves(grown);
    this.#raise(this.#powers[forest] ?? 0, grown);
  }

  /** Adds up the powers of all classes; that of the first of two classes is 1. */
  #beginRound(round: number): void {
    const isLate = round * this.#learningRate >= LATE_ROUNDS;
    this.#rate = isLate ? Math.max(this.#learningRate, LATE_LEARNING_RATE) : this.#learningRate;
    const { table, address, list } = this.#rows;
    const { memory, rowCount } = table;
    const start = this.bases.length === 1 ? 1 : 0;
    memory.doubles.fill(start, this.#sums / 8, this.#sums / 8 + rowCount);
    for (const powers of this.#powers) {
      memory.kernel.addPowers(this.#sums, address, list.length, powers);
    }
  }

  /** Turns the mean residual of each leaf into a Newton step, scaled by the learning rate. */
  #stepLeaves({ tree, ranges, lambda }: GrownTree): void {
    const { memory, order } = this.#rows.table;
    const count = this.bases.length;
    // The diagonal of the softmax's second derivatives alone overstates the steps of classes that compete.
    const share = count === 1 ? 1 : (count - 1) / count;
    for (const [leaf, { start, end }] of ranges.entries()) {
      const ofLeaf = order + 4 * start;
      const curvature = memory.kernel.curvature(ofLeaf, end - start, this.#residuals);
      const residual = (tree.leaves[leaf] ?? 0) * (end - start + lambda);
      const step = (share * residual) / (curvature + LAMBDA);
      const limited = Math.min(Math.max(step, -MAX_STEP), MAX_STEP);
      tree.leaves[leaf] = Number((this.#rate * limited).toPrecision(6)) + 0;
    }
  }

  /** Multiplies the powers of the rows by e to what the tree says of them. */
  #raise(powers: number, { tree, ranges }: GrownTree): void {
    const { table, adder, left } = this.#rows;
    if (left.count > 0) adder.raise(tree, left.address, left.count, powers);
    for (const [leaf, { start, end }] of ranges.entries()) {
      const factor = Math.exp(tree.leaves[leaf] ?? 0);
      table.memory.kernel.multiplyRows(powers, table.order + 4 * start, end - start, factor);
    }
  }
}

/** The scores that give each class its share. */
function baseScores(shares: Float64Array): number[] {
  const logs = Array.from(shares, (share) => Math.log(share));
  return logs.length === 2 ? [(logs[1] ?? 0) - (logs[0] ?? 0)] : logs;
}

/**
 * @param learningRate the share of its step that a tree takes.
 * @param start the scores that boosting begins with, forest by forest, by row of the whole table; undefined, for
 *   the log of the classes' shares, which the forests then have as their bases.
 */
export function softmaxLoss(target: ClassTarget, learningRate: number, start?: Float64Array): CreateLoss {
  return (rows) => new SoftmaxLoss(rows, target, learningRate, start);
}
