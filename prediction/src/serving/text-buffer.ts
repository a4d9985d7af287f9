/** Bytes that are written often: whole words of four, of which the first `length` bytes count. */
export interface Literal {
  readonly length: number;
  readonly words: Int32Array;
}

/** Makes a literal of text, in UTF-8. */
export function literal(text: string): Literal {
  const bytes = new Uint8Array(Math.ceil(Buffer.byteLength(text) / 4) * 4);
  const view = new DataView(bytes.buffer);
  const length = Buffer.from(bytes.buffer).write(text);
  const words = Int32Array.from({ length: bytes.length / 4 }, (_, at) => view.getInt32(4 * at, true));
  return { length, words };
}

/** The longest text of a double, as -1.2345678901234567e-300, and room for a word beyond it. */
const NUMBER_ROOM = 32;

/** Longer text is handed to native code, which costs about as much as a look at so many characters. */
const SHORT = 128;

const NOTHING: Buffer = Buffer.alloc(0);

/** Collects JSON or CSV as bytes. Constant text and plain numbers become bytes without becoming strings. */
export class TextBuffer {
  #memory = NOTHING;
  protected end = 0;
  #view = createView(NOTHING);
  readonly #capacity: number;

  /** @param capacity bytes to begin with; it grows. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The number of bytes since the last `take`. */
  get length(): number {
    return this.end;
  }

  /** Hands over what was written, and begins anew with other memory. */
  take(): Uint8Array {
    const written = this.#memory.subarray(0, this.end);
    this.#use(NOTHING, 0);
    return written;
  }

  /** Returns what was written as text, and begins anew in the same memory. */
  takeText(): string {
    const text = this.#memory.toString('utf8', 0, this.end);
    this.end = 0;
    return text;
  }

  literal({ length, words }: Literal): void {
    this.reserve(4 * words.length);
    const view = this.#view;
    const at = this.end;
    for (let index = 0; index < words.length; index++) {
      view.setInt32(at + 4 * index, words[index] ?? 0, true);
    }
    this.end = at + length;
  }

  /** Writes a number as JSON.stringify does: what is not finite becomes null. */
  number(value: number): void {
    this.reserve(NUMBER_ROOM);
    const end = writeDigits(this.#memory, this.end, value);
    if (end > 0) this.end = end;
    else this.#ascii(Number.isFinite(value) ? String(value) : 'null');
  }

  /** Writes a string with its quotes, as JSON.stringify does. */
  string(text: string): void {
    if (text.length > SHORT || !this.#plainString(text)) this.raw(JSON.stringify(text));
  }

  /** Writes text as it is. */
  raw(text: string): void {
    this.reserve(3 * text.length);
    this.end += this.#memory.write(text, this.end);
  }

  /** Writes bytes as they are. */
  bytes(source: Uint8Array): void {
    if (this.end === 0) {
      this.#use(Buffer.from(source), source.length);
      return;
    }
    this.reserve(source.length);
    this.#memory.set(source, this.end);
    this.end += source.length;
  }

  /** Writes once more what was written from one place up to another since the last `take`. */
  again(from: number, to: number): void {
    const room = to - from + 4;
    this.reserve(room);
    const view = this.#view;
    const at = this.end - from;
    // In words, as literals: what is copied beyond the end is written over.
    if (this.end - from >= room) {
      for (let place = from; place < to; place += 4) view.setInt32(at + place, view.getInt32(place, true), true);
    } else {
      this.#memory.copyWithin(this.end, from, to);
    }
    this.end += to - from;
  }

  /** Not as a `Buffer`, whose type those who use the package may not have. */
  protected get memory(): Uint8Array {
    return this.#memory;
  }

  /** Makes room for so many bytes more. */
  protected reserve(room: number): void {
    const needed = this.end + room;
    if (needed <= this.#memory.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#capacity, 2 * this.#memory.length, needed));
    this.#memory.copy(larger, 0, 0, this.end);
    this.#use(larger, this.end);
  }

  /** Writes a string that needs no escapes; false, and nothing is written, if it needs some. */
  #plainString(text: string): boolean {
    this.reserve(text.length + 2);
    const bytes = this.#memory;
    let at = this.end;
    bytes[at++] = QUOTE;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code < SPACE || code > TILDE || code === QUOTE || code === BACKSLASH) return false;
      bytes[at++] = code;
    }
    bytes[at++] = QUOTE;
    this.end = at;
    return true;
  }

  #ascii(text: string): void {
    for (let index = 0; index < text.length; index++) {
      this.#memory[this.end++] = text.charCodeAt(index);
    }
  }

  #use(memory: Buffer, end: number): void {
    this.#memory = memory;
    this.#view = createView(memory);
    this.end = end;
  }
}

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const TILDE = 0x7e;

function createView({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

const ZERO = 0x30;
const MINUS = 0x2d;
const POINT = 0x2e;

/** A decimal of up to 15 digits is the shortest text of the double that is nearest to it. */
const FIFTEEN_DIGITS = 1e15;

const BILLION = 1e9;
const MILLION = 1e6;

/**
 * Writes a number as `String` does, if it is a whole number or has few decimals; else, which is
 * rare in tables, it writes nothing.
 *
 * Different decimals of up to 15 digits have different nearest doubles. So if n ÷ 10^d gives a
 * double, and n has up to 15 digits, then its decimal, without zeros at the end, is the shortest one
 * that means this double, which is what `String` writes (ECMA-262, Number::toString).
 *
 * @param bytes with room for 18 bytes.
 * @returns the place after the number; 0 if it was not written.
 */
function writeDigits(bytes: Uint8Array, at: number, value: number): number {
  const size = Math.abs(value);
  if (!(size < FIFTEEN_DIGITS)) return 0;
  const whole = Math.floor(size);
  if (whole === size) return writeWhole(bytes, writeSign(bytes, at, value), whole);
  if (size >= BILLION) return 0;
  const millionths = Math.round(size * MILLION);
  if (millionths / MILLION !== size) return 0;
  const unit = Math.floor(millionths / MILLION);
  const end = writeWhole(bytes, writeSign(bytes, at, value), unit);
  return writeFraction(bytes, end, millionths - unit * MILLION);
}

function writeSign(bytes: Uint8Array, at: number, value: number): number {
  if (value >= 0) return at;
  bytes[at] = MINUS;
  return at + 1;
}

function writeWhole(bytes: Uint8Array, at: number, value: number): number {
  if (value < BILLION) return writeSmall(bytes, at, value, countDigits(value));
  const billions = Math.floor(value / BILLION);
  const end = writeSmall(bytes, at, billions, countDigits(billions));
  return writeSmall(bytes, end, value - billions * BILLION, 9);
}

/** Writes a whole number below a billion with so many digits, zeros in front. */
function writeSmall(bytes: Uint8Array, at: number, value: number, digits: number): number {
  let rest = value | 0;
  for (let place = at + digits - 1; place >= at; place--) {
    const tenth = (rest / 10) | 0;
    bytes[place] = ZERO + rest - 10 * tenth;
    rest = tenth;
  }
  return at + digits;
}

/** @param millionths above 0 and below a million. */
function writeFraction(bytes: Uint8Array, at: number, millionths: number): number {
  let rest = millionths | 0;
  let digits = 6;
  while (rest % 10 === 0) {
    rest = (rest / 10) | 0;
    digits--;
  }
  bytes[at] = POINT;
  return writeSmall(bytes, at + 1, rest, digits);
}

function countDigits(value: number): number {
  if (value < 1e4) return value < 100 ? (value < 10 ? 1 : 2) : value < 1000 ? 3 : 4;
  if (value < 1e6) return value < 1e5 ? 5 : 6;
  return value < 1e8 ? (value < 1e7 ? 7 : 8) : 9;
}
