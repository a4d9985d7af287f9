/** Shorter copies are made byte by byte. */
const SHORT = 64;

/** Memory of the length of decompressed bytes, which are literals and copies of what came before. */
export class BlockOutput {
  #length = 0;

  constructor(readonly bytes: Uint8Array) {}

  get isFull(): boolean {
    return this.#length === this.bytes.length;
  }

  /** @throws {RangeError} if there is no room for them, or they end early. */
  literal(source: Uint8Array, start: number, count: number): void {
    if (start + count > source.length) throw new RangeError('The bytes end early.');
    const to = this.#length;
    this.#reserve(count);
    const { bytes } = this;
    if (count < SHORT) for (let at = 0; at < count; at++) bytes[to + at] = source[start + at] ?? 0;
    else bytes.set(source.subarray(start, start + count), to);
  }

  /** Repeats bytes from `distance` before the end on, which may reach into the copy itself. */
  copy(distance: number, count: number): void {
    const to = this.#length;
    if (distance === 0 || distance > to) throw new RangeError('A copy begins before the bytes.');
    this.#reserve(count);
    if (distance >= count) {
      this.bytes.copyWithin(to, to - distance, to - distance + count);
      return;
    }
    const { bytes } = this;
    if (count < SHORT) {
      for (let at = to; at < to + count; at++) bytes[at] = bytes[at - distance] ?? 0;
      return;
    }
    // What was copied repeats, too, so that each step copies more.
    for (let copied = 0; copied < count; ) {
      const size = Math.min(distance + copied, count - copied);
      bytes.copyWithin(to + copied, to - distance, to - distance + size);
      copied += size;
    }
  }

  #reserve(count: number): void {
    this.#length += count;
    if (this.#length > this.bytes.length) throw new RangeError('There are too many bytes.');
  }
}
