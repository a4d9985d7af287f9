import type { Model, PredictionRow } from 'roster-client';
import { cellText, createReader, readClearNumber } from 'roster-prediction/browser';

/** The quality of the predictions of rows whose true value the file has. */
export interface Score {
  readonly rows: number;
  /** The share of rows whose true value is in their interval or their set. */
  readonly coverage: number;
  /** Of numbers, the mean absolute error; of classes, the share of rows that were right. */
  readonly quality: number;
  /** The mean confidence of the rows. */
  readonly confidence: number;
}

/** Compares predictions with the true values, row by row. */
export class Scorer {
  readonly #model: Model;
  readonly #readNumber: (text: string) => number;
  #rows = 0;
  #covered = 0;
  #quality = 0;
  #confidence = 0;

  constructor(model: Model) {
    this.#model = model;
    const reading = model.task === 'regression' ? model.target_reading : null;
    this.#readNumber = reading === null ? readClearNumber : createReader('number', reading);
  }

  /** @param cell the true value, as it stands in the file; a missing one does not count */
  add(cell: string, row: PredictionRow): void {
    const { target, task } = this.#model;
    const text = cellText(cell);
    const predicted = row[target];
    if (text === '') return;
    if (task === 'regression') {
      const truth = this.#readNumber(text);
      const [low, high] = [row[`${target}_min`], row[`${target}_max`]];
      if (!Number.isFinite(truth) || typeof predicted !== 'number') return;
      this.#quality += Math.abs(predicted - truth);
      if (Number(low) <= truth && truth <= Number(high)) this.#covered++;
    } else {
      const truth = this.#findClass(text);
      const set: unknown = row[`${target}_set`];
      if (predicted === truth) this.#quality++;
      if (Array.isArray(set) && set.includes(truth)) this.#covered++;
    }
    this.#rows++;
    this.#confidence += Number(row[`${target}_confidence`]);
  }

  /** Returns nothing if no row had a true value. */
  get score(): Score | undefined {
    if (this.#rows === 0) return undefined;
    return {
      rows: this.#rows,
      coverage: this.#covered / this.#rows,
      quality: this.#quality / this.#rows,
      confidence: this.#confidence / this.#rows,
    };
  }

  /** The class that a text is, as the model has put rare ones together. */
  #findClass(text: string): string {
    const name = text.replace(/^([+-]?\d+)\.0+$/, '$1');
    const classes = this.#model.task === 'classification' ? (this.#model.classes ?? []) : [];
    const isKept = classes.some((kept) => kept.name === name);
    return isKept ? name : (classes.find((kept) => kept.merged_count > 0)?.name ?? name);
  }
}
