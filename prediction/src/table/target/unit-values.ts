import { valuesByRow } from '../chunked-array.js';
import type { NumberReading, UndecidedReading } from '../number-formats/column-reading.js';
import { NumberForm, numberOf } from '../number-formats/number-form.js';

/** The values of a target of numbers with a unit, whose separators are known when all are there. */
export class UnitValues {
  readonly #form = new NumberForm();
  readonly #ways = { '.': valuesByRow(), ',': valuesByRow() };

  /** Adds a text. Returns whether it agrees with those before. */
  put(row: number, text: string): boolean {
    const parts = this.#form.add(text);
    if (parts === undefined) return false;
    for (const decimal of ['.', ','] as const) {
      this.#ways[decimal].set(row, numberOf(parts, decimal));
    }
    return true;
  }

  reading(): NumberReading | UndecidedReading {
    return this.#form.reading();
  }

  /** The values of all rows; they are given up with it. */
  take(rowCount: number, { decimal }: NumberReading): Float64Array {
    return this.#ways[decimal].take(rowCount);
  }
}
