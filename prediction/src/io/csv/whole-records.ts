const [LINE_FEED, CARRIAGE_RETURN, QUOTE] = [0x0a, 0x0d, 0x22];

/** Bytes to begin with. */
const CAPACITY = 64 * 1024;

/**
 * Gathers the bytes of CSV, in pieces of any size, until they hold whole records. A quote opens or closes a quoted
 * field, and one that is written twice does both, so counting quotes is enough to find the ends of records; where a
 * quote may not stand, the parser of the records stops.
 */
export class WholeRecords {
  #held = Buffer.allocUnsafe(CAPACITY);
  #length = 0;
  /** The end of the records that were handed over and not let go yet. */
  #handedOver = 0;
  #isQuoted = false;
  #endedWithReturn = false;

  /** The bytes of the record that has not ended. */
  get pending(): number {
    return this.#length - this.#handedOver;
  }

  /** Adds a piece. Returns the records that it ends, which the next call overwrites. */
  add(added: Uint8Array): Buffer {
    this.#letGo();
    // CRLF was cut in two, and its record has been handed over.
    const isCut = this.#endedWithReturn && this.#length === 0 && added[0] === LINE_FEED;
    const piece = isCut ? added.subarray(1) : added;
    if (added.length > 0) this.#endedWithReturn = added.at(-1) === CARRIAGE_RETURN;
    const start = this.#length;
    this.#reserve(piece.length);
    this.#held.set(piece, start);
    this.#length += piece.length;
    const end = this.#lastEnd(piece);
    this.#handedOver = end === 0 ? 0 : start + end;
    return this.#held.subarray(0, this.#handedOver);
  }

  /** Returns what is left when there are no more pieces: a record without an end of line, or nothing. */
  end(): Buffer {
    this.#letGo();
    this.#handedOver = this.#length;
    return this.#held.subarray(0, this.#length);
  }

  /** Returns the place behind the last line end of a piece that is not in quotes; 0 if there is none. */
  #lastEnd(piece: Uint8Array): number {
    if (!this.#isQuoted && !piece.includes(QUOTE)) {
      return Math.max(piece.lastIndexOf(LINE_FEED), piece.lastIndexOf(CARRIAGE_RETURN)) + 1;
    }
    let isQuoted = this.#isQuoted;
    let end = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] ?? 0;
      if (byte > QUOTE) continue;
      if (byte === QUOTE) isQuoted = !isQuoted;
      else if (!isQuoted && (byte === LINE_FEED || byte === CARRIAGE_RETURN)) end = at + 1;
    }
    this.#isQuoted = isQuoted;
    return end;
  }

  #letGo(): void {
    this.#held.copyWithin(0, this.#handedOver, this.#length);
    this.#length -= this.#handedOver;
    this.#handedOver = 0;
  }

  #reserve(room: number): void {
    const needed = this.#length + room;
    if (needed <= this.#held.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#held.length));
    this.#held.copy(larger, 0, 0, this.#length);
    this.#held = larger;
  }
}
