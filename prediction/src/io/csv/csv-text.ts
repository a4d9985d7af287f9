import { isAscii } from 'node:buffer';
import { FormatError } from '../columns/format-error.js';

/** The encodings in which CSV is read. */
export type Charset = 'utf-8' | 'windows-1252' | 'utf-16le' | 'utf-16be';

/** Bytes that are decoded without a pause, so that a large piece of the body does not block the thread. */
const SLICE = 64 * 1024;

/** The bytes of a byte order mark, and the encoding that it shows. */
const MARKS: readonly (readonly [Charset, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

const LONGEST_MARK = 3;

/**
 * Yields text in UTF-8; such text passes unchanged. A byte order mark takes precedence over the charset
 * (WHATWG Encoding, section 6), and stays at the beginning of the text.
 *
 * @param charset that the sender named; without it, UTF-8
 * @throws {FormatError} with the first line whose bytes mean nothing in the encoding
 */
export async function* toUtf8(
  pieces: AsyncIterable<Uint8Array>,
  charset: Charset = 'utf-8',
): AsyncGenerator<Uint8Array> {
  let begin: Uint8Array | undefined = new Uint8Array(0);
  let decoder: Decoder | undefined;
  for await (const piece of pieces) {
    let added = piece;
    if (begin !== undefined) {
      begin = begin.length === 0 ? piece : Buffer.concat([begin, piece]);
      if (begin.length < LONGEST_MARK) continue;
      added = begin;
      decoder = createDecoder(findMark(begin) ?? charset);
      begin = undefined;
    }
    if (decoder === undefined) yield added;
    else yield* decodeSlices(decoder, added);
  }
  if (begin !== undefined) {
    decoder = createDecoder(findMark(begin) ?? charset);
    if (decoder === undefined) yield begin;
    else yield* decodeSlices(decoder, begin);
  }
  decoder?.end();
}

function findMark(bytes: Uint8Array): Charset | undefined {
  return MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0];
}

function* decodeSlices(decoder: Decoder, bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += SLICE) {
    yield decoder.decode(bytes.subarray(start, start + SLICE));
  }
}

interface Decoder {
  /** Returns the whole characters of a piece in UTF-8. @throws {FormatError} at bytes that mean nothing */
  decode(piece: Uint8Array): Uint8Array;
  /** @throws {FormatError} if the text ends within a character */
  end(): void;
}

function createDecoder(charset: Charset): Decoder | undefined {
  switch (charset) {
    case 'utf-8':
      return undefined;
    case 'windows-1252':
      return new Windows1252Decoder();
    case 'utf-16le':
    case 'utf-16be':
      return new Utf16Decoder(charset);
  }
}

/** The characters of the bytes from 0x80 to 0x9f; blank where the encoding has none. */
const HIGH = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/** Decodes Windows-1252, and ISO 8859-1 as Windows-1252, as browsers do. */
class Windows1252Decoder implements Decoder {
  readonly #lines = new LineCounter();

  decode(piece: Uint8Array): Uint8Array {
    const latin = Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1');
    const fault = latin.search(/[\x81\x8d\x8f\x90\x9d]/);
    if (fault >= 0) {
      this.#lines.add(latin.slice(0, fault));
      const byte = latin.charCodeAt(fault).toString(16);
      throw this.#lines.fault(`has the byte 0x${byte}, which Windows-1252 does not have`);
    }
    this.#lines.add(latin);
    if (isAscii(piece)) return piece;
    return Buffer.from(latin.replace(/[\x80-\x9f]/g, (byte) => HIGH[byte.charCodeAt(0) - 0x80] ?? ''));
  }

  end(): void {}
}

/** Decodes UTF-16. */
class Utf16Decoder implements Decoder {
  readonly #name: string;
  readonly #isSwapped: boolean;
  readonly #lines = new LineCounter();
  /** The first bytes of an incomplete character. */
  #rest: Uint8Array = new Uint8Array(0);

  constructor(charset: 'utf-16le' | 'utf-16be') {
    this.#name = charset.toUpperCase();
    this.#isSwapped = charset === 'utf-16be';
  }

  decode(piece: Uint8Array): Uint8Array {
    const bytes = Buffer.concat([this.#rest, piece]);
    let end = bytes.length & ~1;
    const [low, high] = this.#isSwapped ? [1, 0] : [0, 1];
    const last = ((bytes[end - 2 + high] ?? 0) << 8) | (bytes[end - 2 + low] ?? 0);
    // Half of a surrogate pair, whose other half follows.
    if (end > 0 && last >= 0xd800 && last <= 0xdbff) end -= 2;
    this.#rest = Uint8Array.from(bytes.subarray(end));
    const units = bytes.subarray(0, end);
    const text = (this.#isSwapped ? units.swap16() : units).toString('utf16le');
    const fault = text.search(LONE_SURROGATE);
    if (fault >= 0) {
      this.#lines.add(text.slice(0, fault));
      throw this.#lines.fault(`has half of a character: it is not ${this.#name}`);
    }
    this.#lines.add(text);
    return Buffer.from(text);
  }

  end(): void {
    if (this.#rest.length === 0) return;
    throw this.#lines.fault(`ends within a character: it is not ${this.#name}, or it was cut off`);
  }
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Counts the lines of a text that comes in pieces; they end with LF, CRLF or CR. */
class LineCounter {
  #ends = 0;
  #endedWithReturn = false;

  add(text: string): void {
    if (text === '') return;
    if (this.#endedWithReturn && text.startsWith('\n')) this.#ends--;
    this.#endedWithReturn = text.endsWith('\r');
    this.#ends += countLineEnds(text);
  }

  fault(what: string): FormatError {
    const line = this.#ends + 1;
    return new FormatError(
      `Line ${line} ${what}. Name the encoding of the text, such as Content-Type: text/csv; charset=windows-1252, or send it in UTF-8.`,
      line,
    );
  }
}

/** Returns the number of line ends in a text: LF, CRLF or CR. */
export function countLineEnds(text: string): number {
  if (!text.includes('\n') && !text.includes('\r')) return 0;
  return text.match(/\r\n|\n|\r/g)?.length ?? 0;
}
