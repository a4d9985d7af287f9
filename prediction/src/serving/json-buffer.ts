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
  const words = Int32Array.from({ length: bytes.length / 4 }, (_, at) =>
    view.getInt32(4 * at, true),
  );
  return { length, words };
}

/** The longest text of a double, as -1.2345678901234567e-300, and room for a word beyond it. */
const NUMBER_ROOM = 32;

/** Longer text is handed to native code, which costs about as much as a look at so many characters. */
const SHORT = 128;

const NOTHING = Buffer.alloc(0);

/** Collects JSON as bytes. Constant text and plain numbers become bytes without becoming strings. */
export class JsonBuffer {
  #bytes: Buffer;
  #view: DataView;
  #length = 0;
  readonly #capacity: number;

  /** @param capacity bytes to begin with; it grows. */
  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#bytes = NOTHING;
    this.#view = viewOf(NOTHING);
  }

  /** The number of bytes since the last `take`. */
  get length(): number {
    return this.#length;
  }

  /** Hands over what was written, and begins anew with other memory. */
  take(): Uint8Array {
    const written = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    this.#bytes = NOTHING;
    this.#view = viewOf(NOTHING);
    return written;
  }

  /** Returns what was written as text, and begins anew in the same memory. */
  takeText(): string {
    const text = this.#bytes.toString('utf8', 0, this.#length);
    this.#length = 0;
    return text;
  }

  /** Hands over what was written, and is not used again. */
  end(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  literal({ length, words }: Literal): void {
    if (this.#length + 4 * words.length > this.#bytes.length) this.#grow(4 * words.length);
    const view = this.#view;
    const at = this.#length;
    for (let index = 0; index < words.length; index++) {
      view.setInt32(at + 4 * index, words[index] ?? 0, true);
    }
    this.#length = at + length;
  }

  /** Writes a number as JSON.stringify does: what is not finite becomes null. */
  number(value: number): void {
    if (this.#length + NUMBER_ROOM > this.#bytes.length) this.#grow(NUMBER_ROOM);
    const end = writeDigits(this.#bytes, this.#length, value);
    if (end > 0) this.#length = end;
    else this.#ascii(Number.isFinite(value) ? String(value) : 'null');
  }

  /** Writes a string with its quotes, as JSON.stringify does. */
  string(text: string): void {
    if (text.length > SHORT || !this.#plain(text)) this.json(JSON.stringify(text));
  }

  /** Writes text that is JSON already. */
  json(text: string): void {
    const most = 3 * text.length;
    if (this.#length + most > this.#bytes.length) this.#grow(most);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Writes bytes that are JSON already. */
  bytes(json: Uint8Array): void {
    if (this.#length === 0) this.#take(Buffer.from(json));
    else this.#append(json);
  }

  #take(json: Buffer): void {
    this.#bytes = json;
    this.#view = viewOf(json);
    this.#length = json.length;
  }

  #append(json: Uint8Array): void {
    if (this.#length + json.length > this.#bytes.length) this.#grow(json.length);
    this.#bytes.set(json, this.#length);
    this.#length += json.length;
  }

  /** Writes once more what was written from one place up to another since the last `take`. */
  again(from: number, to: number): void {
    const room = to - from + 4;
    if (this.#length + room > this.#bytes.length) this.#grow(room);
    const view = this.#view;
    const at = this.#length - from;
    // In words, as literals: what is copied beyond the end is written over.
    if (this.#length - from >= room) {
      for (let place = from; place < to; place += 4)
        view.setInt32(at + place, view.getInt32(place, true), true);
    } else {
      this.#bytes.copyWithin(this.#length, from, to);
    }
    this.#length += to - from;
  }

  /** Writes a string that needs no escapes; false, and nothing is written, if it needs some. */
  #plain(text: string): boolean {
    const room = text.length + 2;
    if (this.#length + room > this.#bytes.length) this.#grow(room);
    const bytes = this.#bytes;
    let at = this.#length;
    bytes[at++] = QUOTE;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code < SPACE || code > TILDE || code === QUOTE || code === BACKSLASH) return false;
      bytes[at++] = code;
    }
    bytes[at++] = QUOTE;
    this.#length = at;
    return true;
  }

  #ascii(text: string): void {
    for (let index = 0; index < text.length; index++) {
      this.#bytes[this.#length++] = text.charCodeAt(index);
    }
  }

  #grow(room: number): void {
    const larger = Buffer.allocUnsafe(
      Math.max(this.#capacity, 2 * this.#bytes.length, this.#length + room),
    );
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }
}

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const TILDE = 0x7e;

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
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
export function writeDigits(bytes: Uint8Array, at: number, value: number): number {
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
  if (value < BILLION) return writeSmall(bytes, at, value, digitsOf(value));
  const billions = Math.floor(value / BILLION);
  const end = writeSmall(bytes, at, billions, digitsOf(billions));
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

function digitsOf(value: number): number {
  if (value < 1e4) return value < 100 ? (value < 10 ? 1 : 2) : value < 1000 ? 3 : 4;
  if (value < 1e6) return value < 1e5 ? 5 : 6;
  return value < 1e8 ? (value < 1e7 ? 7 : 8) : 9;
}
