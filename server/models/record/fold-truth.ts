import type { Promises } from '../../../prediction/src/predicting.js';

/** What became of the promises of a version so far: the JSON of `records.state`. */
export interface RecordState {
  /** The promises whose truth has come, and those of them that were kept. */
  readonly truths: number;
  readonly kept: number;
}

export const NEW_RECORD: RecordState = { truths: 0, kept: 0 };

/** A promise whose truth has come. */
export interface MetPromise {
  /** The batch, and the place of the row in it. */
  readonly batch: Promises;
  readonly row: number;
  /** Whether the truth is in the interval, or the set of classes. */
  readonly isKept: boolean;
}

/**
 * Adds a truth to the state of the version that made its promise. It is called once for each new truth, in the order
 * in which they are added and within the transaction that stores them; never for one that corrects another.
 *
 * @param truth a number, or the index of a class: `UNKNOWN_CLASS` for one that the version does not have
 * @param confidence the share of truths that the promise is to hold
 */
export function foldTruth(
  { isKept }: MetPromise,
  _truth: number,
  _confidence: number,
  { truths, kept }: RecordState,
): RecordState {
  return { truths: truths + 1, kept: kept + Number(isKept) };
}
