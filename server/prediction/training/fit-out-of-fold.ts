import type { Learner } from '../boosting/learner.js';
import type { Forest } from '../forest/tree.js';
import type { GrowthLimits } from '../params.js';
import { rowsToLearn, type UnseenRows } from './folds.js';

/** How to learn something about rows that a model has not seen. */
export interface Lesson {
  /** What to learn, by row, where a given forest predicts the target. */
  wanted: (forest: Forest) => Float64Array;
  limits: GrowthLimits;
  rounds: number;
}

/** What was learnt, and by row what is said of it by a forest of a trial that judges the row. */
export interface TriedForest {
  forest: Forest;
  said: Float64Array;
}

/**
 * Learns something about a forest's predictions: in each trial about the trial's forest, and in
 * the end about the one that answers.
 *
 * @param onRound told how many rounds are done, of `roundsOf(unseen, rounds)`.
 */
export function learnInTrials(
  learner: Learner,
  unseen: UnseenRows,
  answering: Forest,
  { wanted, limits, rounds }: Lesson,
  onRound: (done: number) => void,
): TriedForest {
  let done = 0;
  const learn = (of: Forest, rows: Uint32Array) =>
    learner.boost(rows, wanted(of), limits, rounds, () => onRound(++done));
  const last = learn(answering, rowsToLearn(unseen));
  const forests = unseen.trials.map(({ forest, learnt }) =>
    forest === answering ? last : learn(forest, learnt),
  );
  return { forest: last, said: sayInTrials(learner, unseen, forests) };
}

/** The rounds that a forest of so many takes with all of its trials. */
export function roundsOf({ trials }: UnseenRows, rounds: number): number {
  return trials.length === 1 ? rounds : rounds * (trials.length + 1);
}

/**
 * By row, what is said by the forest of the trial that judges the row. What the only trial has
 * learnt from is judged by none: there its forest says what it knows.
 *
 * @param forests one a trial.
 */
export function sayInTrials(
  learner: Learner,
  { trials }: UnseenRows,
  forests: readonly Forest[],
): Float64Array {
  const said = new Float64Array(learner.rowCount);
  for (const [index, { learnt, judged }] of trials.entries()) {
    const forest = forests[index] ?? { base: 0, trees: [] };
    for (const rows of trials.length === 1 ? [learnt, judged] : [judged]) {
      for (const [at, word] of learner.predict(forest, rows).entries()) said[rows[at] ?? 0] = word;
    }
  }
  return said;
}
