/**
 * Counts the cuts below a value. A grid over their range narrows the search to a few cuts. Rounding
 * keeps the order of numbers, so a cut in an earlier field of the grid than the value's is below the
 * value, and a cut in a later one is not.
 */
export class CutGrid {
  readonly cuts: Float64Array;
  readonly #least: number;
  readonly fieldsInUnit: number;
  /** The number of cuts in the fields before each one, with one more entry for the end. */
  readonly cutsBefore: Uint16Array;

  constructor(cuts: readonly number[]) {
    this.cuts = Float64Array.from(cuts);
    const fieldCount = 4 * cuts.length + 1;
    this.#least = cuts[0] ?? 0;
    const range = (cuts.at(-1) ?? 0) - this.#least;
    this.fieldsInUnit = range > 0 && Number.isFinite(range) ? (fieldCount - 1) / range : 0;
    this.cutsBefore = new Uint16Array(fieldCount + 1);
    for (const cut of cuts) this.#count(this.#fieldOf(cut));
    for (let field = 1; field <= fieldCount; field++) {
      this.cutsBefore[field] = (this.cutsBefore[field] ?? 0) + (this.cutsBefore[field - 1] ?? 0);
    }
  }

  /** @param value any number, including infinity. */
  countBelow(value: number): number {
    const cuts = this.cuts;
    const field = this.#fieldOf(value);
    let low = this.cutsBefore[field] ?? 0;
    let high = this.cutsBefore[field + 1] ?? 0;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (value <= (cuts[middle] ?? 0)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #count(field: number): void {
    this.cutsBefore[field + 1] = (this.cutsBefore[field + 1] ?? 0) + 1;
  }

  #fieldOf(value: number): number {
    const field = (value - this.#least) * this.fieldsInUnit;
    if (!(field > 0)) return 0;
    const last = this.cutsBefore.length - 2;
    return field < last ? field | 0 : last;
  }
}
