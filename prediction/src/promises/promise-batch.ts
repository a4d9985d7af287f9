import type { AdaptedCalibration } from '../record/running-record.js';

/** Promises that are stored together. */
export interface Promises {
  readonly rows: number;
  /** The confidence that was promised for a row. */
  level(row: number): number;
  /** The bins of a column of `PromiseSubject.columns`, by row. */
  readonly bins: readonly Uint8Array[];
  readonly promised: Intervals | ClassSets;
  /** The calibration that they were made with in place of the trained one. */
  readonly adapted?: AdaptedCalibration | undefined;
}

interface Intervals {
  readonly kind: 'interval';
  readonly values: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

export interface ClassSets {
  readonly kind: 'classes';
  readonly count: number;
  /** Row by row, one for each class, in 65535ths. */
  readonly probabilities: Uint16Array;
  readonly likeliest: Uint8Array;
  /** Row by row, a bit for each class. */
  readonly sets: Uint8Array;
}

/** Returns whether the true value, a number or the index of a class, is within what was promised. */
export function isKept({ promised }: Promises, row: number, truth: number): boolean {
  if (promised.kind === 'classes') return truth >= 0 && isInSet(promised, row, truth);
  const { lower, upper } = promised;
  return truth >= (lower[row] ?? Number.NaN) && truth <= (upper[row] ?? Number.NaN);
}

export function isInSet({ sets, count }: ClassSets, row: number, member: number): boolean {
  const place = row * setBytes(count) + (member >> 3);
  return ((sets[place] ?? 0) & (1 << (member & 7))) !== 0;
}

/** The bytes of a set of some classes. */
export function setBytes(classes: number): number {
  return (classes + 7) >> 3;
}

/*
 * The bytes of a batch, in little-endian order: a head of 24 bytes, then column by column what is promised, the
 * confidences unless all are the same, the bins, and as JSON the calibration unless it is the trained one. It is not
 * compressed: see decision 0077.
 */
const FORMAT = 1;
const HEAD = 24;
const KIND = { interval: 1, classes: 2 } as const;

/** @param levels by row, as float32 where they differ */
export function encodePromises(
  { rows, bins, promised, adapted }: Omit<Promises, 'level'>,
  levels: Float64Array,
): Uint8Array {
  const [level = 0] = levels;
  const areEqual = levels.every((one) => one === level);
  const head = Buffer.alloc(HEAD);
  head.writeUInt8(FORMAT, 0);
  head.writeUInt8(KIND[promised.kind], 1);
  head.writeUInt16LE(promised.kind === 'classes' ? promised.count : 0, 2);
  head.writeUInt32LE(rows, 4);
  head.writeUInt16LE(bins.length, 8);
  head.writeUInt8(areEqual ? 0 : 1, 10);
  head.writeDoubleLE(level, 16);
  const parts =
    promised.kind === 'interval'
      ? [promised.values, promised.lower, promised.upper]
      : [promised.probabilities, promised.likeliest, promised.sets];
  const all = [...parts, ...(areEqual ? [] : [new Float32Array(levels)]), ...bins];
  const tail = adapted ? Buffer.from(JSON.stringify(adapted)) : Buffer.alloc(0);
  head.writeUInt32LE(tail.length, 12);
  return Buffer.concat([head, ...all.map(bytesOf), tail]);
}

/** @throws {Error} if the bytes are not what `encodePromises` wrote */
export function decodePromises(bytes: Uint8Array): Promises {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEAD || head.readUInt8(0) !== FORMAT) {
    throw new Error('A batch of promises is damaged, or was written by a later release');
  }
  const count = head.readUInt16LE(2);
  const rows = head.readUInt32LE(4);
  const columns = head.readUInt16LE(8);
  const level = head.readDoubleLE(16);
  let at = HEAD;
  const take = (length: number): ArrayBuffer => {
    const part = new Uint8Array(length);
    part.set(bytes.subarray(at, at + length));
    at += length;
    return part.buffer;
  };
  const doubles = () => new Float64Array(take(8 * rows));
  const promised: Promises['promised'] =
    head.readUInt8(1) === KIND.interval
      ? { kind: 'interval', values: doubles(), lower: doubles(), upper: doubles() }
      : {
          kind: 'classes',
          count,
          probabilities: new Uint16Array(take(2 * rows * count)),
          likeliest: new Uint8Array(take(rows)),
          sets: new Uint8Array(take(rows * setBytes(count))),
        };
  const levels = head.readUInt8(10) === 0 ? undefined : new Float32Array(take(4 * rows));
  const bins = Array.from({ length: columns }, () => new Uint8Array(take(rows)));
  const tail = Buffer.from(take(head.readUInt32LE(12))).toString();
  const adapted: AdaptedCalibration | undefined = tail === '' ? undefined : JSON.parse(tail);
  if (at !== bytes.length) throw new Error('A batch of promises has not the length that it names');
  // A float32 has seven digits, and confidences have fewer.
  const round = (value: number) => Math.round(value * 1e6) / 1e6;
  return {
    ...{ rows, bins, promised, adapted },
    level: (row) => (levels ? round(levels[row] ?? level) : level),
  };
}

function bytesOf(array: Float64Array | Float32Array | Uint16Array | Uint8Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
