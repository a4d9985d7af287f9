import { buffer } from 'node:stream/consumers';
import { type Drift, findDrift } from 'roster-prediction/recording';

/** The bins of rows of two times. */
export interface DriftRows {
  readonly rowCount: number;
  /** The places of the columns in `PromiseSubject.columns`; for each the number of its bins, and whether they are categories. */
  readonly columnOf: readonly number[];
  readonly binCounts: readonly number[];
  readonly isCategory: readonly boolean[];
  /** For each row 1 if it is of now, or 0. */
  readonly isNow: Uint8Array;
  /** Column by column. */
  readonly bins: Uint8Array;
}

/** The details of a job that looks for drift; `isNow` and `bins` follow as input. */
export interface DriftJob {
  readonly drift: Omit<DriftRows, 'isNow' | 'bins'>;
  readonly target?: undefined;
}

export async function runDriftJob(
  { drift: { rowCount, columnOf, binCounts, isCategory } }: DriftJob,
  input: AsyncIterable<Uint8Array>,
): Promise<Drift | null> {
  const bytes = await buffer(input);
  const features = {
    rowCount,
    bins: bytes.subarray(rowCount),
    binCounts: [...binCounts],
    isCategory: [...isCategory],
    columnOf: [...columnOf],
  };
  return findDrift(features, bytes.subarray(0, rowCount));
}
