/** The time between two lines of progress, in milliseconds: on a terminal, one line is written again and again. */
const EVERY_MS = { terminal: 200, file: 10_000 };

/** Shows how far a scoring is. */
export class Progress {
  readonly #total: number;
  readonly #begun = performance.now();
  #rows = 0;
  #shown = performance.now();
  #isLineOpen = false;

  /** @param total the rows to score */
  constructor(
    total: number,
    private readonly output: NodeJS.WriteStream,
  ) {
    this.#total = total;
  }

  add(rows: number): void {
    this.#rows += rows;
    const now = performance.now();
    if (now - this.#shown < (this.output.isTTY ? EVERY_MS.terminal : EVERY_MS.file)) return;
    this.#shown = now;
    const share = this.#total === 0 ? 100 : (100 * this.#rows) / this.#total;
    const text = `${count(this.#rows)} of ${count(this.#total)} rows (${share.toFixed(0)} %), ${this.#speed()}`;
    if (!this.output.isTTY) this.note(text);
    else {
      this.output.write(`\r\x1b[K${text}`);
      this.#isLineOpen = true;
    }
  }

  /** Writes a line. */
  note(text: string): void {
    if (this.#isLineOpen) this.output.write('\r\x1b[K');
    this.#isLineOpen = false;
    this.output.write(`${text}\n`);
  }

  /** Returns the rows that were scored, with their number a second. */
  summary(): string {
    return `${count(this.#rows)} rows, ${this.#speed()}`;
  }

  #speed(): string {
    const seconds = (performance.now() - this.#begun) / 1000;
    return `${count(Math.round(this.#rows / Math.max(seconds, 0.001)))} rows/s`;
  }
}

function count(rows: number): string {
  return rows.toLocaleString('en');
}
