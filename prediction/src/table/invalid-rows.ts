/** One thing that is wrong with a request, as the end of a sentence that begins with where it is. */
export interface RowFault {
  /** The index of the row, from 0. */
  readonly row?: number;
  /** The column of the row. */
  readonly name?: string;
  /** The option that is at fault, in place of a row. */
  readonly parameter?: string;
  readonly message: string;
}

/** The rows, or how they are to be answered, do not fit the model. */
export class InvalidRowsError extends Error {
  override readonly name = 'InvalidRowsError';

  constructor(readonly faults: readonly RowFault[]) {
    super(faults[0]?.message ?? 'The rows do not fit the model');
  }
}
