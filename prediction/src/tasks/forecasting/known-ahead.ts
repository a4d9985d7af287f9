import type { RowObject } from '../../table/cells.js';
import type { SeriesIndex } from './series-index.js';

/** A column that is known ahead, and the rows of moments to forecast that lack it. */
export interface MissingAhead {
  readonly name: string;
  readonly rows: number;
}

/** Counts, for the columns that are known ahead, the rows of moments to forecast without a value of them. */
export class KnownAhead {
  readonly #index: SeriesIndex;
  readonly #known: SeriesIndex['covariates'];
  readonly #missing: number[];
  #asked = 0;

  constructor(index: SeriesIndex) {
    this.#index = index;
    this.#known = index.covariates.filter(({ isKnown }) => isKnown);
    this.#missing = this.#known.map(() => 0);
  }

  /** Adds a row, under the model's names. Rows of history, and those that name series alone, are passed over. */
  add(row: RowObject): void {
    if (this.#known.length === 0) return;
    const { order, orderText, target, targetText } = this.#index;
    if (orderText(order.of(row)) === '' || targetText(target.of(row)) !== '') return;
    this.#asked++;
    for (const [column, { cell, isMissing }] of this.#known.entries()) {
      if (isMissing(cell.of(row))) this.#missing[column] = (this.#missing[column] ?? 0) + 1;
    }
  }

  /** Returns the columns that some rows lack, the most rows first; all, of 0 rows, if no row asks for a moment. */
  missing(): MissingAhead[] {
    return this.#known
      .map(({ cell: { name } }, column) => ({ name, rows: this.#missing[column] ?? 0 }))
      .filter(({ rows }) => rows > 0 || this.#asked === 0)
      .sort((one, other) => other.rows - one.rows);
  }
}
