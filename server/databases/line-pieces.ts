/** The size from which lines are handed on, in characters. */
const PIECE_CHARACTERS = 64 * 1024;

/** Joins lines of rows to pieces of about 64 KiB, and of more only if one line has more. */
export class LinePieces {
  #lines = '';

  /** @param write gets whole lines */
  constructor(private readonly write: (lines: Uint8Array) => void) {}

  /** @param line without its end */
  add(line: string): void {
    this.#lines += `${line}\n`;
    if (this.#lines.length >= PIECE_CHARACTERS) this.flush();
  }

  /** Hands on the lines that wait. */
  flush(): void {
    if (this.#lines !== '') this.write(Buffer.from(this.#lines));
    this.#lines = '';
  }
}
