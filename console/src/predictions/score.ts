import type { Model, PredictionRow } from 'roster-client';
import { createReader, readClearNumber, textReader } from 'roster-prediction/browser';

/** The quality of the predictions of rows whose true value the file has. */
export interface Score {
  readonly rows: number;
  /** The share of rows whose true value is in their interval or their set. */
  readonly coverage: number;
  /** For numbers, the mean absolute error; for classes, the share of rows that were right. */
  readonly quality: number;
  /** The mean confidence of the rows. */
  readonly confidence: number;
}

/** Compares predictions with the true values, row by row. */
export class Scorer {
  readonly #model: Model;
  readonly #readTruth: (cell: string) => number | string | undefined;
  #rows = 0;
  #covered = 0;
  #quality = 0;
  #confidence = 0;

  constructor(model: Model) {
    this.#model = model;
    this.#readTruth = truthReader(model);
  }

  /** @param cell the true value, as it stands in the file; a missing one does not count */
  add(cell: string, row: PredictionRow): void {
    const { target } = this.#model;
    const truth = this.#readTruth(cell);
    const predicted = row[target];
    if (truth === undefined) return;
    if (typeof truth === 'number') {
      const [low, high] = [row[`${target}_min`], row[`${target}_max`]];
      if (typeof predicted !== 'number') return;
      this.#quality += Math.abs(predicted - truth);
      if (Number(low) <= truth && truth <= Number(high)) this.#covered++;
    } else {
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
}

/**
 * Returns a reader of true values as they stand in a file: numbers, or classes as the model has put rare ones together;
 * undefined for a value that is missing or cannot be read.
 */
export function truthReader(model: Model): (cell: string) => number | string | undefined {
  const cellText = textReader(model.reading?.missing_words);
  if (model.task !== 'classification') {
    const reading = model.target_reading;
    const read = reading === null ? readClearNumber : createReader('number', reading);
    return (cell) => {
      const truth = read(cellText(cell));
      return Number.isFinite(truth) ? truth : undefined;
    };
  }
  const known = new Set(model.classes?.map(({ name }) => name));
  const others = model.classes?.find(({ merged_count }) => merged_count > 0)?.name;
  return (cell) => {
    const name = cellText(cell).replace(/^([+-]?\d+)\.0+$/, '$1');
    if (name === '') return undefined;
    return known.has(name) ? name : (others ?? name);
  };
}
