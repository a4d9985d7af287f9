import type { Forest } from '../forest/tree.js';

const MAX_ROUNDS = 400;

/** Rounds without a better prediction after which the search ends. */
const PATIENCE = 20;

/** A round counts as better when it lowers the squared error by this share: less is not worth a tree. */
const MIN_GAIN = 1e-4;

/** Finds the number of boosting rounds that predicts a validation set best (early stopping). */
export class EarlyStopping {
  readonly #predictions: Float64Array;
  readonly #target: Float64Array;
  readonly #rows: Uint32Array;
  #round = 0;
  #best: { round: number; squares: number; predictions: Float64Array };

  /**
   * @param predictions by row; brought up to date by the caller, who boosts, before each `update`.
   * @param rows the rows whose predictions count.
   */
  constructor(predictions: Float64Array, target: Float64Array, rows: Uint32Array) {
    this.#predictions = predictions;
    this.#target = target;
    this.#rows = rows;
    this.#best = { round: 0, squares: this.#squares(), predictions: predictions.slice() };
  }

  get isOver(): boolean {
    return this.#round === MAX_ROUNDS || this.#round - this.#best.round > PATIENCE;
  }

  /** Measures the predictions after one more round; returns the number of rounds. */
  update(): number {
    this.#round++;
    const squares = this.#squares();
    if (squares < this.#best.squares * (1 - MIN_GAIN)) {
      this.#best.predictions.set(this.#predictions);
      this.#best = { ...this.#best, round: this.#round, squares };
    }
    return this.#round;
  }

  /** The best number of rounds, 0 to 400. */
  get rounds(): number {
    return this.#best.round;
  }

  /** The predictions after that many. */
  get predictions(): Float64Array {
    return this.#best.predictions;
  }

  /** Returns a forest as it was after that many. */
  truncate({ base, trees }: Forest): Forest {
    return { base, trees: trees.slice(0, this.rounds) };
  }

  #squares(): number {
    let sum = 0;
    for (const row of this.#rows) {
      sum += ((this.#target[row] ?? 0) - (this.#predictions[row] ?? 0)) ** 2;
    }
    return sum;
  }
}
