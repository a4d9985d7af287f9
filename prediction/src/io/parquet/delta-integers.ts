const MAX_BLOCK = 1 << 20;

/** Integers of the encoding DELTA_BINARY_PACKED, and the place behind them. */
export interface DeltaIntegers {
  readonly values: BigInt64Array<ArrayBuffer>;
  readonly end: number;
}

/**
 * Reads `count` integers, each of which was written as its difference from the one before.
 *
 * @throws {RangeError} if the bytes end before, or are no such block.
 */
export function readDeltas(bytes: Uint8Array, start: number, count: number): DeltaIntegers {
  const reader = new BitReader(bytes, start);
  const blockSize = Number(reader.varint());
  const miniblocks = Number(reader.varint());
  const total = Number(reader.varint());
  const perMiniblock = blockSize / miniblocks;
  const isSound = blockSize <= MAX_BLOCK && miniblocks > 0 && perMiniblock % 8 === 0;
  if (!isSound || perMiniblock === 0 || total !== count)
    throw new RangeError('A block is damaged.');
  const values = new BigInt64Array(count);
  let value = reader.zigzag();
  if (count > 0) values[0] = value;
  for (let filled = 1; filled < count; ) {
    const least = reader.zigzag();
    const widths = reader.bytes(miniblocks);
    for (const width of widths) {
      // Miniblocks behind the last value are not there.
      if (filled >= count) break;
      const end = Math.min(filled + perMiniblock, count);
      const deltas = reader.packed(width, perMiniblock);
      for (let at = 0; filled < end; at++) {
        value = BigInt.asIntN(64, value + least + deltas(at));
        values[filled++] = value;
      }
    }
  }
  return { values, end: reader.at };
}

class BitReader {
  constructor(
    private readonly source: Uint8Array,
    public at: number,
  ) {}

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.source[this.at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new RangeError('A number is damaged.');
  }

  zigzag(): bigint {
    const value = this.varint();
    return (value >> 1n) ^ -(value & 1n);
  }

  bytes(count: number): Uint8Array {
    const start = this.at;
    this.at += count;
    if (this.at > this.source.length) throw new RangeError('A block ends early.');
    return this.source.subarray(start, this.at);
  }

  /** Passes over packed numbers, and returns what reads one of them. */
  packed(width: number, count: number): (index: number) => bigint {
    if (width > 64) throw new RangeError('The numbers have too many bits.');
    if (width === 0) return () => 0n;
    const packed = this.bytes((width * count) / 8);
    return (index) => bitsAt(packed, index * width, width);
  }
}

function bitsAt(bytes: Uint8Array, start: number, width: number): bigint {
  const first = start >> 3;
  const last = (start + width - 1) >> 3;
  let value = 0n;
  for (let at = last; at >= first; at--) value = (value << 8n) | BigInt(bytes[at] ?? 0);
  return (value >> BigInt(start & 7)) & ((1n << BigInt(width)) - 1n);
}
