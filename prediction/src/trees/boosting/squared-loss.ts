import type { BoostedRows, CreateLoss, Loss } from './booster.js';
import type { GrownTree } from './tree-learner.js';

/** The learning rate of trees that predict errors and corrections: each corrects a tenth of what is left. */
const LEARNING_RATE = 0.1;

/** Squared error: one forest, which begins with the mean. */
class SquaredLoss implements Loss {
  readonly bases: readonly number[];
  readonly #rows: BoostedRows;
  /** Address, by row of the whole table. */
  readonly #residuals: number;

  constructor(
    rows: BoostedRows,
    target: Float64Array,
    readonly shrinkage: number,
  ) {
    this.#rows = rows;
    const { table, list } = rows;
    let sum = 0;
    for (const row of list) sum += target[row] ?? 0;
    const base = sum / list.length;
    this.bases = [base];
    this.#residuals = table.memory.allocate(8 * table.rowCount);
    const residuals = table.memory.doubles.subarray(this.#residuals / 8);
    for (const row of list) residuals[row] = (target[row] ?? 0) - base;
  }

  findResiduals(): number {
    return this.#residuals;
  }

  /** Subtracts what a tree says from the residuals. */
  addTree(_forest: number, { tree, ranges }: GrownTree): void {
    const { table, adder, left } = this.#rows;
    if (left.count > 0) adder.add(tree, -1, left.address, left.count, this.#residuals);
    for (const [leaf, { start, end }] of ranges.entries()) {
      const value = -(tree.leaves[leaf] ?? 0);
      const ofLeaf = table.order + 4 * start;
      table.memory.kernel.addToRows(this.#residuals, ofLeaf, end - start, value);
    }
  }
}

/**
 * @param target by row of the whole table.
 * @param learningRate the share of the error that a tree corrects.
 */
export function squaredLoss(target: Float64Array, learningRate = LEARNING_RATE): CreateLoss {
  return (rows) => new SquaredLoss(rows, target, learningRate);
}
