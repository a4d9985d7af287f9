import type { AdaptedCalibration } from '../calibration/adapting.js';

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
 * The bytes of a batch, in little-endian order: a head of 16 bytes, then column by column what is promised, the
 * confidences, the bins, and as JSON the calibration unless it is the trained one. See decision 0086.
 */
const FORMAT = 2;
const HEAD = 16;
const KIND = { interval: 1, classes: 2 } as const;

/**
 * @param levels by row
 * @returns bytes with their own memory
 */
export function encodePromises(
  { rows, bins, promised, adapted }: Omit<Promises, 'level'>,
  levels: Float64Array,
): Uint8Array {
  const tail = adapted ? Buffer.from(JSON.stringify(adapted)) : Buffer.alloc(0);
  packed.begin();
  const head = packed.take(HEAD);
  head.writeUInt8(FORMAT, 0);
  head.writeUInt8(KIND[promised.kind], 1);
  head.writeUInt16LE(promised.kind === 'classes' ? promised.count : 0, 2);
  head.writeUInt32LE(rows, 4);
  head.writeUInt16LE(bins.length, 8);
  head.writeUInt32LE(tail.length, 12);
  if (promised.kind === 'interval') {
    for (const column of [promised.values, promised.lower, promised.upper]) packNumbers(column);
  } else {
    const { probabilities, likeliest, sets } = promised;
    for (const part of [probabilities, likeliest, sets]) packed.add(part);
  }
  packNumbers(levels);
  for (const column of bins) packed.add(column);
  packed.add(tail);
  return packed.copy();
}

/** Collects bytes in memory that is used again: memory outside of the heap costs a collection every few megabytes. */
class PackedBytes {
  #memory = Buffer.alloc(0);
  #end = 0;

  begin(): void {
    this.#end = 0;
  }

  /** Returns the next bytes, to be written until more are taken. */
  take(length: number): Buffer {
    const start = this.#end;
    this.#end += length;
    if (this.#end > this.#memory.length) {
      this.#memory = Buffer.concat([this.#memory.subarray(0, start)], 2 * this.#end);
    }
    return this.#memory.subarray(start, this.#end);
  }

  add(array: TypedArray): void {
    this.take(array.byteLength).set(viewBytes(array));
  }

  copy(): Uint8Array {
    return new Uint8Array(this.#memory.subarray(0, this.#end));
  }
}

const packed = new PackedBytes();

/** @throws {Error} if the bytes are not what `encodePromises` wrote */
export function decodePromises(bytes: Uint8Array): Promises {
  const { kind, count, rows, tailBytes } = readHead(bytes);
  let at = HEAD;
  const take = (length: number): ArrayBuffer => {
    const part = new Uint8Array(length);
    part.set(bytes.subarray(at, at + length));
    at += length;
    return part.buffer;
  };
  const numbers = () => unpackNumbers(rows, take);
  const promised: Promises['promised'] =
    kind === KIND.interval
      ? { kind: 'interval', values: numbers(), lower: numbers(), upper: numbers() }
      : {
          kind: 'classes',
          count,
          probabilities: new Uint16Array(take(2 * rows * count)),
          likeliest: new Uint8Array(take(rows)),
          sets: new Uint8Array(take(rows * setBytes(count))),
        };
  const levels = numbers();
  const bins = decodeBins(bytes);
  at += rows * bins.length;
  const tail = Buffer.from(take(tailBytes)).toString();
  const adapted: AdaptedCalibration | undefined = tail === '' ? undefined : JSON.parse(tail);
  if (at !== bytes.length) throw new Error('A batch of promises has not the length that it names');
  return { rows, bins, promised, adapted, level: (row) => levels[row] ?? Number.NaN };
}

/**
 * Joins batches to one that has their rows in order, as `encodePromises` writes it.
 *
 * @returns undefined if they differ in something that all rows of a batch share
 * @throws {Error} if bytes are not what `encodePromises` wrote
 */
export function joinPromises(parts: readonly Uint8Array[]): Uint8Array | undefined {
  const batches = parts.map(decodePromises);
  const [first] = batches;
  if (!first) return undefined;
  const { bins, adapted } = first;
  const calibration = JSON.stringify(adapted);
  const isLike = (other: Promises) =>
    other.bins.length === bins.length && JSON.stringify(other.adapted) === calibration;
  const promised = batches.every(isLike) ? joinPromised(batches.map((batch) => batch.promised)) : undefined;
  if (!promised) return undefined;
  const levels = batches.flatMap((batch) => Array.from({ length: batch.rows }, (_, row) => batch.level(row)));
  const joined = {
    rows: levels.length,
    bins: bins.map((_, column) => joinBytes(batches.map((batch) => batch.bins[column] ?? new Uint8Array()))),
    promised,
    adapted,
  };
  return encodePromises(joined, Float64Array.from(levels));
}

function joinPromised(parts: readonly Promises['promised'][]): Promises['promised'] | undefined {
  const intervals = parts.filter((part) => part.kind === 'interval');
  if (intervals.length === parts.length) {
    const join = (column: 'values' | 'lower' | 'upper') =>
      Float64Array.from(intervals.flatMap((part) => [...part[column]]));
    return { kind: 'interval', values: join('values'), lower: join('lower'), upper: join('upper') };
  }
  const classes = parts.filter((part) => part.kind === 'classes');
  const count = classes[0]?.count ?? 0;
  if (classes.length < parts.length || classes.some((part) => part.count !== count)) return undefined;
  return {
    kind: 'classes',
    count,
    probabilities: Uint16Array.from(classes.flatMap((part) => [...part.probabilities])),
    likeliest: joinBytes(classes.map((part) => part.likeliest)),
    sets: joinBytes(classes.map((part) => part.sets)),
  };
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/**
 * Decodes `Promises.bins` alone.
 *
 * @throws {Error} if the bytes are not what `encodePromises` wrote
 */
export function decodeBins(bytes: Uint8Array): Uint8Array[] {
  const { rows, columns, tailBytes } = readHead(bytes);
  const start = bytes.length - tailBytes - rows * columns;
  return Array.from(
    { length: columns },
    (_, column) =>
      // Bytes of a database may be those of a larger buffer.
      new Uint8Array(bytes.subarray(start + rows * column, start + rows * (column + 1))),
  );
}

function readHead(bytes: Uint8Array) {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEAD || head.readUInt8(0) !== FORMAT) {
    throw new Error('A batch of promises is damaged, or was written by another release');
  }
  return {
    kind: head.readUInt8(1),
    count: head.readUInt16LE(2),
    rows: head.readUInt32LE(4),
    columns: head.readUInt16LE(8),
    tailBytes: head.readUInt32LE(12),
  };
}

/** The most decimals of numbers that are kept as whole ones. Those that have more are kept as they are. */
const MAX_DECIMALS = 9;

/** Room for the whole numbers of a column, and for those of fewer bits. */
let wholes = new Int32Array(0);
let narrow = new ArrayBuffer(0);

/**
 * Packs a column of numbers, which is read as it was: its form and its decimals, a byte each, and the numbers. Answers
 * are rounded, so most columns are whole numbers of few bits once their decimals are taken off.
 */
function packNumbers(column: Float64Array): void {
  const [first = 0] = column;
  const rows = column.length;
  if (isConstant(column, first)) {
    packed.add(Uint8Array.of(0, 0));
    packed.add(Float64Array.of(first));
    return;
  }
  if (wholes.length < rows) {
    wholes = new Int32Array(rows);
    narrow = new ArrayBuffer(2 * rows);
  }
  for (let decimals = 0; decimals <= MAX_DECIMALS; decimals++) {
    const bits = scaleTo(wholes, column, 10 ** decimals);
    if (bits === undefined) continue;
    const Form = bits < 2 ** 7 ? Int8Array : bits < 2 ** 15 ? Int16Array : undefined;
    const scaled = wholes.subarray(0, rows);
    packed.add(Uint8Array.of((Form ?? Int32Array).BYTES_PER_ELEMENT, decimals));
    if (!Form) packed.add(scaled);
    else {
      const few = new Form(narrow, 0, rows);
      few.set(scaled);
      packed.add(few);
    }
    return;
  }
  packed.add(Uint8Array.of(8, 0));
  packed.add(column);
}

function isConstant(column: Float64Array, first: number): boolean {
  for (const value of column) if (value !== first) return false;
  return true;
}

/**
 * Scales a column to whole numbers, and returns all the bits that one of them has beside its sign. Returns undefined
 * if one would not be read as it was.
 */
function scaleTo(whole: Int32Array, column: Float64Array, scale: number): number | undefined {
  let bits = 0;
  for (let row = 0; row < column.length; row++) {
    const value = column[row] ?? 0;
    const scaled = Math.round(value * scale) | 0;
    if (scaled / scale !== value) return undefined;
    whole[row] = scaled;
    bits |= scaled < 0 ? ~scaled : scaled;
  }
  return bits;
}

function unpackNumbers(rows: number, take: (length: number) => ArrayBuffer): Float64Array {
  const [bytes = 0, decimals = 0] = new Uint8Array(take(2));
  if (bytes === 0) return new Float64Array(rows).fill(new Float64Array(take(8))[0] ?? 0);
  const packed = take(bytes * rows);
  if (bytes === 8) return new Float64Array(packed);
  const Form = bytes === 1 ? Int8Array : bytes === 2 ? Int16Array : Int32Array;
  const scale = 10 ** decimals;
  return Float64Array.from(new Form(packed), (whole) => whole / scale);
}

type TypedArray = Float64Array | Int32Array | Int16Array | Int8Array | Uint16Array | Uint8Array;

function viewBytes(array: TypedArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
