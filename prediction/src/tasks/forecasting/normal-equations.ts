/** The equations of least squares, summed up row by row. */
export class NormalEquations {
  readonly #sums: Float64Array;

  constructor(private readonly width: number) {
    this.#sums = new Float64Array(width * (width + 1));
  }

  add(row: Float64Array, value: number): void {
    const { width } = this;
    for (let one = 0; one < width; one++) {
      const factor = row[one] ?? 0;
      const start = one * (width + 1);
      for (let other = one; other < width; other++) {
        this.#sums[start + other] = (this.#sums[start + other] ?? 0) + factor * (row[other] ?? 0);
      }
      this.#sums[start + width] = (this.#sums[start + width] ?? 0) + factor * value;
    }
  }

  /** Sets the sum over all rows of the products of two terms, the first not behind the other; `width` is the value. */
  set(one: number, other: number, sum: number): void {
    this.#sums[one * (this.width + 1) + other] = sum;
  }

  /**
   * Returns the weights of least squares by elimination.
   *
   * @param penalty added to the squares of all terms but the first: above 0, so that there is one solution.
   */
  solve(penalty: number): Float64Array {
    const { width } = this;
    const rows = Array.from({ length: width }, (_, one) => {
      const row = this.#sums.slice(one * (width + 1), (one + 1) * (width + 1));
      for (let other = 0; other < one; other++) row[other] = this.#sums[other * (width + 1) + one] ?? 0;
      if (one > 0) row[one] = (row[one] ?? 0) + penalty;
      return row;
    });
    for (const [pivot, row] of rows.entries()) {
      const head = row[pivot] || Number.MIN_VALUE;
      for (const [index, other] of rows.entries()) {
        if (index === pivot) continue;
        const share = (other[pivot] ?? 0) / head;
        for (let at = pivot; at <= width; at++) other[at] = (other[at] ?? 0) - share * (row[at] ?? 0);
      }
    }
    return Float64Array.from(rows, (row, at) => (row[width] ?? 0) / (row[at] || 1));
  }
}
