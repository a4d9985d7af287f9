import { cellText, parseNumber } from '../table/cells.js';
import type { NumberReading } from '../table/reading/column-reading.js';
import { readerOf } from '../table/reading/tell-reading.js';
import type { Prediction } from './prediction.js';

/** The predictions of some rows, by row. */
export class PredictedRows {
  readonly values: Float64Array;
  readonly confidences: Float64Array;
  readonly mins: Float64Array;
  readonly maxs: Float64Array;

  /** Reads the text of a row's own value of the target. */
  readonly readActual: (text: string) => number;

  /**
   * @param most the most rows that it is to hold at once.
   * @param reading how the target was read in training.
   */
  constructor(most: number, reading: NumberReading | null) {
    this.readActual = readerOf('number', reading);
    this.values = new Float64Array(most);
    this.confidences = new Float64Array(most);
    this.mins = new Float64Array(most);
    this.maxs = new Float64Array(most);
  }

  /** Whether a target lies outside a row's interval; null, if it is no number. */
  anomaly(index: number, actual: number): boolean | null {
    if (Number.isNaN(actual)) return null;
    return actual < (this.mins[index] ?? 0) || actual > (this.maxs[index] ?? 0);
  }

  /**
   * @param original the row's own value of the target, as sent.
   * @param actual the number that it is read as, if it is one.
   */
  prediction(index: number, original: unknown, actual: number): Prediction {
    return {
      value: this.values[index] ?? 0,
      confidence: this.confidences[index] ?? 0,
      min: this.mins[index] ?? 0,
      max: this.maxs[index] ?? 0,
      original,
      anomaly: this.anomaly(index, actual),
    };
  }
}

/** Reads a row's own value of the target as training does; NaN if it is no number. */
export function actualValue(original: unknown, read = parseNumber): number {
  if (typeof original === 'number') return original;
  return original === null ? Number.NaN : read(cellText(original));
}
