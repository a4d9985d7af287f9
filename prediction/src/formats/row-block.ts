import type { BinnedRows, RowBinner } from '../serving/row-binner.js';
import type { RowObject } from '../table/row-object.js';

/** Rows that are predicted together, in the form in which their format holds them. */
export interface RowBlock {
  /** At most `BlockPredictor.maxRows`. */
  readonly rowCount: number;
  /** Bins the rows as `RowBinner` does: `rowCount` bins for each feature. */
  bin(binned: BinnedRows): void;
  /** Returns a row as an object under the model's names. Costs an object; a writer that can, does without. */
  row(index: number): RowObject;
}

/** Rows as objects, under the model's names. */
export class ObjectBlock implements RowBlock {
  constructor(
    private readonly rows: readonly RowObject[],
    private readonly binner: RowBinner,
  ) {}

  get rowCount(): number {
    return this.rows.length;
  }

  bin(binned: BinnedRows): void {
    this.binner.bin(this.rows, binned);
  }

  row(index: number): RowObject {
    return this.rows[index] ?? {};
  }
}
