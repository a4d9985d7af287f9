import type { Learner } from './learner.js';
import type { GrowthLimits } from './split-finder.js';
import type { Forest } from './tree.js';
import { rowsToLearn, type UnseenRows } from './trials.js';

/** A forest, and by row what is said by the forest of a trial that judges the row. */
export interface TriedForest {
  forest: Forest;
  said: Float64Array;
}

/**
 * Learns something about rows that a model has not seen.
 *
 * @param wanted what to learn, by row.
 * @param onRound told how many rounds are done, of `roundsOf(unseen, rounds)`.
 */
export function learnInTrials(
  learner: Learner,
  unseen: UnseenRows,
  wanted: Float64Array,
  limits: GrowthLimits,
  rounds: number,
  onRound: (done: number) => void,
): TriedForest {
  let done = 0;
  const learn = (rows: Uint32Array) =>
    learner.boost(rows, wanted, limits, rounds, () => onRound(++done));
  const forest = learn(rowsToLearn(unseen));
  const said = new Float64Array(wanted.length);
  const tell = (by: Forest, rows: Uint32Array) => {
    for (const [index, word] of learner.predict(by, rows).entries()) said[rows[index] ?? 0] = word;
  };
  // In the single trial some rows are judged by none: the forest tells of those that it knows.
  for (const { learnt } of unseen.trials) tell(forest, learnt);
  for (const { learnt, judged } of unseen.trials) {
    tell(unseen.trials.length === 1 ? forest : learn(learnt), judged);
  }
  return { forest, said };
}

/** The rounds that a forest of so many takes with all of its trials. */
export function roundsOf({ trials }: UnseenRows, rounds: number): number {
  return trials.length === 1 ? rounds : rounds * (trials.length + 1);
}
