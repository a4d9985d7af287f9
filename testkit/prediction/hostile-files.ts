import type { Vector } from 'roster-prediction/internals';
import { ByteBudget, seededRandom } from 'roster-prediction/internals';

/** Makes a file of a format; `set` receives each number in it, and returns the one that is written. */
export type MakeFile = (numbers: MadeNumbers) => Uint8Array;

/**
 * The numbers of a file that is made: counts, lengths, offsets, places. All are as they should be, but for those that
 * were chosen to be others.
 */
export class MadeNumbers {
  readonly #random: () => number;
  readonly #changed: ReadonlySet<number>;
  #count = 0;
  #last = 0;

  /** @param changed the numbers that are changed, by their order in the file. */
  constructor(seed: number, changed: ReadonlySet<number>) {
    this.#random = seededRandom(seed);
    this.#changed = changed;
  }

  get count(): number {
    return this.#count;
  }

  /** Returns a whole number below `end`, the same for each seed. */
  pick(end: number): number {
    return Math.floor(this.#random() * end);
  }

  /** Returns a number of the file, or what is written in its place. */
  set(value: number): number {
    const last = this.#last;
    this.#last = value;
    if (!this.#changed.has(this.#count++)) return value;
    const others = [...OTHERS, value + 1, value - 1, 2 * value, value + 8, -value, last, last + value];
    return others[this.pick(others.length)] ?? 0;
  }
}

const OTHERS = [0, 1, -1, 7, 8, 255, 1e3, 65_535, 2 ** 20, 2 ** 24, 2 ** 26, 2 ** 31 - 1, 2 ** 31].concat([
  2 ** 32 - 1,
  2 ** 32,
  2 ** 40,
  2 ** 53,
  2 ** 62,
  2 ** 63,
  -(2 ** 31),
  -(2 ** 53),
  -(2 ** 63),
]);

/** Each sixteenth file stays as it should be, and must be read. */
const isSound = (seed: number) => seed % 16 === 0;

/** Makes a file with one to three of its numbers changed. */
export function makeHostile(make: MakeFile, seed: number): Uint8Array {
  const sound = new MadeNumbers(seed, new Set());
  const bytes = make(sound);
  if (isSound(seed)) return bytes;
  const random = seededRandom(seed + 1);
  const changes = 1 + Math.floor(3 * random());
  const changed = Array.from({ length: changes }, () => Math.floor(sound.count * random()));
  return make(new MadeNumbers(seed, new Set(changed)));
}

/** Returns one of some files with one to four of its bytes changed, half of them near its end; an eighth is cut off. */
export function changeBytes(files: readonly Uint8Array[], seed: number): Uint8Array {
  const random = seededRandom(seed);
  const pick = (end: number) => Math.floor(random() * end);
  const bytes = Buffer.from(files[pick(files.length)] ?? []);
  if (isSound(seed)) return bytes;
  const start = pick(2) * Math.max(0, bytes.length - 1024);
  for (let left = 1 + pick(4); left > 0; left--) {
    bytes[start + pick(bytes.length - start)] = pick(256);
  }
  return pick(8) === 0 ? bytes.subarray(0, pick(bytes.length)) : bytes;
}

/** Bytes in which whole numbers are written. */
export class Written {
  readonly #bytes: number[] = [];

  get length(): number {
    return this.#bytes.length;
  }

  bytes(bytes: Iterable<number>): this {
    for (const byte of bytes) this.#bytes.push(byte & 0xff);
    return this;
  }

  /** Writes a number in so many bytes, the lowest first. */
  little(value: number, bytes: number): this {
    if (value >= 0 && value < 2 ** 31) {
      for (let at = 0; at < bytes; at++) this.#bytes.push(at < 4 ? (value >>> (8 * at)) & 255 : 0);
      return this;
    }
    const bits = BigInt.asUintN(8 * bytes, BigInt(value));
    for (let at = 0; at < bytes; at++) this.#bytes.push(Number((bits >> BigInt(8 * at)) & 255n));
    return this;
  }

  /** Writes a number in as many bytes as it needs, seven bits each (LEB128). */
  varint(value: number): this {
    if (value >= 0 && value < 128) return this.bytes([value]);
    return this.#leb(BigInt.asUintN(64, BigInt(value)));
  }

  zigzag(value: number): this {
    const bits = BigInt.asIntN(64, BigInt(value));
    return this.#leb(BigInt.asUintN(64, (bits << 1n) ^ (bits >> 63n)));
  }

  done(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.#bytes);
  }

  #leb(bits: bigint): this {
    let left = bits;
    for (; left >= 128n; left >>= 7n) this.#bytes.push(Number(left & 127n) | 128);
    this.#bytes.push(Number(left));
    return this;
  }
}

/** The number of files that each reader is tried with in each way: some, or as many as the environment asks for. */
export const MADE_FILES = Number(process.env['MADE_FILES'] ?? 150);

/** Files that are made are of few bytes; a reader that takes longer for some hundred thousand hangs. */
export const TIMEOUT = 60_000 + 60 * MADE_FILES;

/** The outcomes of files. */
export interface Outcomes {
  read: number;
  refused: number;
}

/**
 * Reads files of their seeds one after the other. Each is read, or refused as `isRefusal` says.
 *
 * @param read reads a file, and counts what it holds in the budget, if it is of a format that counts.
 * @throws {Error} with the seed of the first file that ends otherwise.
 */
export async function tryFiles(
  make: (seed: number) => Uint8Array,
  read: (bytes: Uint8Array, budget: ByteBudget, seed: number) => Promise<void>,
  isRefusal: (error: unknown) => boolean,
): Promise<Outcomes> {
  const outcomes = { read: 0, refused: 0 };
  for (let seed = 0; seed < MADE_FILES; seed++) {
    const budget = new ByteBudget();
    try {
      await read(make(seed), budget, seed);
      outcomes.read++;
    } catch (error) {
      if (!isRefusal(error) || isSound(seed)) throw new Error(`File ${seed}`, { cause: error });
      outcomes.refused++;
    }
  }
  return outcomes;
}

/** Looks at the first and the last values of columns. */
export function useValues(vectors: ReadonlyMap<number, Vector>, length: number): void {
  for (const vector of vectors.values()) {
    for (let row = 0; row < Math.min(length, 30); row++) vector.value(row);
    vector.value(length - 1);
  }
}
