import type { Booster } from '../trees/boosting/booster.js';
import type { Learner } from '../trees/boosting/learner.js';
import { emptyScores, type Forest, viewScores } from '../trees/forest/tree.js';
import type { BoostingPlan } from './boosting-plan.js';
import type { Objective } from './folds.js';

/**
 * Adds rounds to boosters while the loss of some rows falls, at least one.
 *
 * @param limits of which `isLate` ends the boosting before the next round.
 * @param parts each booster with the rows, of the learner's, that it is tested on.
 * @param onRound receives the number of rounds.
 */
export function boostToBest<O extends Objective<O>>(
  learner: Learner,
  objective: O,
  rows: Uint32Array,
  parts: readonly { test: Uint32Array; booster: Booster }[],
  { maxRounds, patience, isLate }: BoostingLimits,
  onRound: (done: number) => void,
): EarlyStopping {
  const scores = emptyScores(objective.forestCount, learner.rowCount);
  for (const { test, booster } of parts) learner.score(booster.forests, test, scores);
  const loss = () => objective.loss(scores, rows);
  const stopping = new EarlyStopping(scores.values, loss, maxRounds, patience);
  while (!stopping.isOver) {
    for (const { test, booster } of parts) {
      for (const [forest, tree] of booster.addRound().entries()) {
        learner.addTo(viewScores(scores, forest), test, [tree]);
      }
    }
    onRound(stopping.update());
    if (isLate()) break;
  }
  return stopping;
}

/** The conditions that end a boosting. */
export interface BoostingLimits extends Pick<BoostingPlan, 'maxRounds' | 'patience'> {
  isLate(): boolean;
}

/** A round counts as better when it lowers the loss by this share: less is not worth a tree. */
const MIN_GAIN = 1e-4;

/** Finds the number of boosting rounds that predicts a validation set best (early stopping). */
export class EarlyStopping {
  readonly #predictions: Float64Array;
  readonly #measure: () => number;
  readonly #maxRounds: number;
  readonly #patience: number;
  #round = 0;
  #best: { round: number; loss: number; predictions: Float64Array };

  /**
   * @param predictions brought up to date by the caller, who boosts, before each `update`.
   * @param loss measures them: the less, the better.
   * @param patience the number of rounds without a better prediction after which the search ends.
   */
  constructor(predictions: Float64Array, loss: () => number, maxRounds: number, patience: number) {
    this.#predictions = predictions;
    this.#measure = loss;
    this.#maxRounds = maxRounds;
    this.#patience = patience;
    this.#best = { round: 0, loss: loss(), predictions: predictions.slice() };
  }

  get isOver(): boolean {
    return this.#round === this.#maxRounds || this.#round - this.#best.round > this.#patience;
  }

  /** Measures the predictions after one more round; returns the number of rounds. */
  update(): number {
    this.#round++;
    const loss = this.#measure();
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

  /** The loss of the rows after that many. */
  get loss(): number {
    return this.#best.loss;
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
