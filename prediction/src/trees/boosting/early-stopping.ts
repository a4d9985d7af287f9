import type { Forest } from '../forest/tree.js';

/** Rounds without a better prediction after which the search ends. */
const PATIENCE = 20;

/** A round counts as better when it lowers the loss by this share: less is not worth a tree. */
const MIN_GAIN = 1e-4;

/** Finds the number of boosting rounds that predicts a validation set best (early stopping). */
export class EarlyStopping {
  readonly #predictions: Float64Array;
  readonly #loss: () => number;
  readonly #maxRounds: number;
  #round = 0;
  #best: { round: number; loss: number; predictions: Float64Array };

  /**
   * @param predictions brought up to date by the caller, who boosts, before each `update`.
   * @param loss measures them: the less, the better.
   */
  constructor(predictions: Float64Array, loss: () => number, maxRounds: number) {
    this.#predictions = predictions;
    this.#loss = loss;
    this.#maxRounds = maxRounds;
    this.#best = { round: 0, loss: loss(), predictions: predictions.slice() };
  }

  get isOver(): boolean {
    return this.#round === this.#maxRounds || this.#round - this.#best.round > PATIENCE;
  }

  /** Measures the predictions after one more round; returns the number of rounds. */
  update(): number {
    this.#round++;
    const loss = this.#loss();
    if (loss < this.#best.loss * (1 - MIN_GAIN)) {
      this.#best.predictions.set(this.#predictions);
      this.#best = { ...this.#best, round: this.#round, loss };
    }
    return this.#round;
  }

  /** The best number of rounds. */
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
}
