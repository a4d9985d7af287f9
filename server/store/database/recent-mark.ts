/** The time for which what was read may be used, in milliseconds, whatever other instances have written since. */
const RECENT_MS = 1000;

/** The tables that decide which version answers predictions, in a statement that writes. */
const SERVING = /"(?:projects|models|model_versions|records)"/;

/**
 * A mark of the state that decides which version answers predictions, on a database that reports no changes: another
 * object a second later, and as soon as this instance has written to it.
 */
export class RecentMark {
  #mark: object = {};
  #until = Number.NEGATIVE_INFINITY;

  readonly read = (): object => {
    const now = performance.now();
    if (now >= this.#until) {
      this.#mark = {};
      this.#until = now + RECENT_MS;
    }
    return this.#mark;
  };

  /** Returns what a connection calls after each statement that has succeeded. */
  watch(): (statement: string) => void {
    let hasWritten = false;
    return (statement) => {
      if (statement === 'rollback') hasWritten = false;
      if (statement.startsWith('select ')) return;
      if (SERVING.test(statement)) hasWritten = true;
      // A statement without a transaction is visible at once; within one, with its commit.
      if (hasWritten) this.#mark = {};
      if (statement === 'commit') hasWritten = false;
    };
  }
}
