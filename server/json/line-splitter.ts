const LF = 0x0a;

/** The approximate size in which lines are passed on together, so that no step takes long. */
const REGION = 64 * 1024;

/** The initial size of a line's buffer, in bytes; it grows with the line. */
const FIRST_HELD = 4096;

/**
 * Splits bytes that arrive in pieces at line ends. An incomplete line is copied into one buffer:
 * pieces may be single bytes, and a list of them would take a hundred times their size.
 */
export class LineSplitter {
  readonly #longest: number;
  #held: Buffer = Buffer.alloc(0);
  #length = 0;
  /** Whether the current line was too long, so that its rest is skipped. */
  #skipping = false;

  /** @param longest the most bytes of a line, without its end. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /**
   * Yields the lines that this piece completes, several together; null stands for a line that is
   * too long.
   */
  *read(piece: Buffer): Generator<Buffer | null> {
    let rest = piece;
    if (this.#skipping) {
      const end = piece.indexOf(LF);
      if (end === -1) return;
      this.#skipping = false;
      rest = piece.subarray(end + 1);
    }
    const whole = rest.lastIndexOf(LF) + 1;
    if (whole > 0) yield* this.#regions(this.#joined(rest.subarray(0, whole)));
    yield* this.#hold(rest.subarray(whole));
  }

  /** Yields the last line if it has no line end. */
  *end(): Generator<Buffer> {
    if (this.#length > 0) yield this.#take();
  }

  /** Returns the held bytes together with those that follow. */
  #joined(lines: Buffer): Buffer {
    return this.#length === 0 ? lines : Buffer.concat([this.#take(), lines]);
  }

  /** @param lines whole lines. */
  *#regions(lines: Buffer): Generator<Buffer | null> {
    let start = 0;
    while (start < lines.length) {
      const within = lines.subarray(start, start + REGION).lastIndexOf(LF);
      const end = within === -1 ? lines.indexOf(LF, start + REGION) + 1 : start + within + 1;
      yield end - start - 1 > this.#longest ? null : lines.subarray(start, end);
      start = end;
    }
  }

  *#hold(beginning: Buffer): Generator<null> {
    if (this.#length + beginning.length > this.#longest) {
      this.#take();
      this.#skipping = true;
      yield null;
      return;
    }
    this.#append(beginning);
  }

  #append(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.#held.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#held.length, FIRST_HELD));
      this.#held.copy(larger, 0, 0, this.#length);
      this.#held = larger;
    }
    bytes.copy(this.#held, this.#length);
    this.#length = length;
  }

  /** Returns the held bytes and releases them, so that the caller may keep them. */
  #take(): Buffer {
    const taken = this.#held.subarray(0, this.#length);
    this.#held = Buffer.alloc(0);
    this.#length = 0;
    return taken;
  }
}
