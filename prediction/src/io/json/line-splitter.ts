const LF = 0x0a;

/** Lines are handed on together in about so many bytes, so that no step takes long. */
const REGION = 64 * 1024;

/** Bytes that an incomplete line is held in at first; they grow with it. */
const FIRST_HELD = 4096;

/**
 * Splits bytes that arrive in pieces at line ends. An incomplete line is copied into one buffer:
 * pieces may be single bytes, and a list of them would take a hundred times their size.
 */
export class LineSplitter {
  readonly #longest: number;
  #held = Buffer.alloc(0);
  #length = 0;
  /** Whether the rest of a line that was too long is left out. */
  #isSkipping = false;

  /** @param longest the most bytes of a line, without its end. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Yields the lines that a piece completes, several together; null stands for a line that is too long. */
  *read(piece: Uint8Array): Generator<Uint8Array | null> {
    let rest = piece;
    if (this.#isSkipping) {
      const end = piece.indexOf(LF);
      if (end === -1) return;
      this.#isSkipping = false;
      rest = piece.subarray(end + 1);
    }
    const whole = rest.lastIndexOf(LF) + 1;
    if (whole > 0) yield* this.#regions(this.#joined(rest.subarray(0, whole)));
    if (this.#length + rest.length - whole > this.#longest) {
      this.#take();
      this.#isSkipping = true;
      yield null;
    } else {
      this.#hold(rest.subarray(whole));
    }
  }

  /** Yields the last line, if it has no line end. */
  *end(): Generator<Uint8Array> {
    if (this.#length > 0) yield this.#take();
  }

  /** Returns the held bytes together with those that follow. */
  #joined(lines: Uint8Array): Uint8Array {
    return this.#length === 0 ? lines : Buffer.concat([this.#take(), lines]);
  }

  /** @param lines whole lines. */
  *#regions(lines: Uint8Array): Generator<Uint8Array | null> {
    let start = 0;
    while (start < lines.length) {
      const within = lines.subarray(start, start + REGION).lastIndexOf(LF);
      const end = within === -1 ? lines.indexOf(LF, start + REGION) + 1 : start + within + 1;
      yield end - start - 1 > this.#longest ? null : lines.subarray(start, end);
      start = end;
    }
  }

  #hold(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#held.length) {
      const larger = Buffer.alloc(Math.max(length, 2 * this.#held.length, FIRST_HELD));
      this.#held.copy(larger, 0, 0, this.#length);
      this.#held = larger;
    }
    this.#held.set(bytes, this.#length);
    this.#length = length;
  }

  /** Returns the held bytes, which the caller may keep. */
  #take(): Uint8Array {
    const taken = this.#held.subarray(0, this.#length);
    this.#held = Buffer.alloc(0);
    this.#length = 0;
    return taken;
  }
}
