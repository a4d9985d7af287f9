const LF = 0x0a;

/** Lines are handed on together in about so many bytes, so that none of what is done with them takes long. */
const REGION = 64 * 1024;

/** The first size of the buffer of a line, in bytes; it grows with the line. */
const FIRST_HELD = 4096;

/**
 * Cuts bytes that arrive in pieces at the ends of lines. The beginning of a line whose end has not
 * arrived is copied into one buffer: pieces may be of a byte each, and a list of them would take a
 * hundred times what they hold.
 */
export class LineBytes {
  readonly #longest: number;
  #held: Buffer = Buffer.alloc(0);
  #length = 0;
  /** Whether the line at hand was too long, so that its rest is passed over. */
  #skipping = false;

  /** @param longest how many bytes a line may have, without its end. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** The whole lines that there are with this piece, several together; null in place of one too long. */
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

  /** The line that has no end, if there is one. */
  *end(): Generator<Buffer> {
    if (this.#length > 0) yield this.#take();
  }

  /** Returns the held bytes with those that follow. */
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

  /** Returns the held bytes, and holds them no longer: the caller may keep them. */
  #take(): Buffer {
    const taken = this.#held.subarray(0, this.#length);
    this.#held = Buffer.alloc(0);
    this.#length = 0;
    return taken;
  }
}
