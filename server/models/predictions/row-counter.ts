import type { RateLimits } from '../../api/limits/rate-limits.js';
import type { Caller } from '../../auth/caller.js';

/** Counts predicted rows in the limits of their callers and in the metrics. */
export class RowCounter {
  constructor(
    private readonly rates: Pick<RateLimits, 'spend' | 'giveBack'>,
    private readonly metrics: { predicted(rows: number): void },
  ) {}

  /** Begins the count of one answer. */
  begin(caller: Caller): RowCount {
    return new RowCount(caller, this.rates, this.metrics);
  }
}

/** The count of one answer: rows are counted before they are predicted, and given back if they are not answered. */
export class RowCount {
  readonly #begun = performance.now();
  #counted = 0;
  #answered = 0;

  constructor(
    private readonly caller: Caller,
    private readonly rates: Pick<RateLimits, 'spend' | 'giveBack'>,
    private readonly metrics: { predicted(rows: number): void },
  ) {}

  /**
   * Counts rows that are about to be predicted.
   * @returns undefined, or a promise if the store is asked
   * @throws {ProblemError} if the caller may have no more rows; nothing is counted then
   */
  add(rows: number): Promise<void> | undefined {
    const counted = this.rates.spend(this.caller, 'rows', rows);
    if (counted) {
      return counted.then(() => {
        this.#counted += rows;
      });
    }
    this.#counted += rows;
    return undefined;
  }

  /** Notes rows that are answered. */
  answer(rows: number): void {
    this.#answered += rows;
    this.metrics.predicted(rows);
  }

  /** Gives back the rows that were counted and not answered. */
  end(): void {
    const rest = this.#counted - this.#answered;
    this.#counted = this.#answered;
    if (rest > 0) this.rates.giveBack(this.caller, 'rows', rest, this.#begun);
  }
}
