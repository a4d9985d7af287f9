import { writeDigits } from './number-digits.js';

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
