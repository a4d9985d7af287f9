import type { Effort } from './boosting-plan.js';

/** The effort of a training, and the end of its time. */
export interface TrainingEffort {
  readonly effort: Effort;
  /** Returns whether a part of the training must end, with the best so far. */
  isLate(part: TimedPart): boolean;
}

/** The parts that the effort `best` divides the allowed time among, and what share of it has passed at the end of each. */
const ENDS = { search: 0.3, rounds: 0.6, forests: 0.75 };

type TimedPart = keyof typeof ENDS;

/**
 * Returns the effort of a training that ends in time, if it is `best`: other trainings take the time that they take.
 *
 * @param timeSpent returns the share of the allowed time that has passed, 0 to 1 and more.
 * @param onLate called, once or more, when a part has ended for lack of time.
 */
export function timedEffort(effort: Effort, timeSpent: () => number, onLate: () => void): TrainingEffort {
  const isLate = (part: TimedPart) => {
    const isOver = timeSpent() > ENDS[part];
    if (isOver) onLate();
    return isOver;
  };
  return { effort, isLate: effort === 'best' ? isLate : () => false };
}
