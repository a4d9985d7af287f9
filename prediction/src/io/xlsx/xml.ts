import { cutText } from '../../text/cut-text.js';
import { FormatError } from '../columns/format-error.js';

/**
 * Returns an attribute of the element that is opened, by its name; `id` has a prefix in references to other files.
 */
export type Attributes = (name: string) => string | undefined;

/** Takes the elements of a document, by their names without prefixes. */
export interface ElementSink {
  open(name: string, attributes: Attributes): void;
  text(text: string): void;
  close(name: string): void;
  /** True if the rest of the document is not needed. */
  readonly isDone?: boolean;
}

const MAX_DEPTH = 64;

/** The most characters of a text or a comment, and of a tag. */
const MAX_TOKEN = 2 * 1024 * 1024;
const MAX_TAG = 64 * 1024;

/**
 * Reads XML as it arrives: elements, their texts and attributes. Supports only XML's five predefined entities. Yields
 * when a chunk has been read, so that what was gathered can be used.
 *
 * @param place in messages.
 * @throws {FormatError} at XML that is malformed, has a DTD, or holds more in a token or deeper than a workbook does.
 */
export async function* readXml(
  chunks: AsyncIterable<Uint8Array>,
  place: string,
  sink: ElementSink,
): AsyncGenerator<void> {
  const scanner = new XmlScanner(place, sink);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw new FormatError(`${place} is not UTF-8. Save the workbook again.`);
    }
  };
  for await (const chunk of chunks) {
    scanner.add(decode(chunk));
    yield;
    if (sink.isDone) return;
  }
  scanner.add(decode());
  scanner.end();
  yield;
}

/** The markup that begins with `<` and is no tag, and its end. */
const OTHERS = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

const [SPACE, EXCLAMATION, QUOTE, APOSTROPHE] = [0x20, 0x21, 0x22, 0x27];
const [SLASH, LESS, GREATER, QUESTION] = [0x2f, 0x3c, 0x3e, 0x3f];

class XmlScanner {
  readonly #place: string;
  readonly #sink: ElementSink;
  /** The text that has not been read: the beginning of a token. */
  #rest = '';
  /**
   * The length of `#rest` at which it is scanned again. It doubles while the token has no end: a search for the end
   * after each chunk would take quadratic time.
   */
  #enough = 0;
  readonly #open: string[] = [];
  /** The current opening tag, without `<` and `>`, and the offset of its attributes. */
  #tag = '';
  #tagFrom = 0;
  readonly #attributes: Attributes = (wanted) => this.#findAttribute(wanted);

  constructor(place: string, sink: ElementSink) {
    this.#place = place;
    this.#sink = sink;
  }

  add(chunk: string): void {
    this.#rest += chunk;
    if (this.#rest.length >= this.#enough) this.#read();
  }

  end(): void {
    this.#read();
    const open = this.#open.at(-1);
    if (open !== undefined) throw this.#malformed(`it ends within <${open}>`);
    if (this.#rest.trim() !== '') throw this.#malformed('it ends within a tag or a text');
  }

  #read(): void {
    const text = this.#rest;
    let at = 0;
    for (let next = 0; next >= 0; ) {
      next = this.#readToken(text, at);
      if (next >= 0) at = next;
    }
    this.#rest = text.slice(at);
    const { length } = this.#rest;
    if (length > MAX_TOKEN) {
      throw new FormatError(`${this.#place} has a text or a tag of more than 2 MiB. Shorten it.`);
    }
    this.#enough = Math.min(2 * length, MAX_TOKEN + 1);
  }

  /** Reads a text or what begins with `<`; returns where it ends, or −1 if more is needed. */
  #readToken(text: string, at: number): number {
    if (text.charCodeAt(at) !== LESS) {
      const end = text.indexOf('<', at);
      if (end > at) this.#sink.text(this.#decode(text.slice(at, end)));
      return end;
    }
    const mark = text.charCodeAt(at + 1);
    if (mark !== EXCLAMATION && mark !== QUESTION) return this.#readTag(text, at);
    for (const [begin, end] of OTHERS) {
      if (!text.startsWith(begin, at)) continue;
      const close = text.indexOf(end, at + begin.length);
      if (close < 0) return -1;
      if (begin === '<![CDATA[') this.#sink.text(text.slice(at + begin.length, close));
      return close + end.length;
    }
    const seen = text.slice(at, at + 9);
    if (OTHERS.some(([begin]) => begin.startsWith(seen))) return -1;
    throw new FormatError(`${this.#place} has a DTD, which no workbook needs. Save the workbook again.`);
  }

  #readTag(text: string, at: number): number {
    const end = findTagEnd(text, at + 1);
    if ((end < 0 ? text.length : end) - at > MAX_TAG) {
      const begin = text.slice(at, at + 60);
      throw new FormatError(
        `${this.#place} has a tag of more than 64 KiB, which begins with ${JSON.stringify(begin)}. Save the workbook again.`,
      );
    }
    if (end < 0) return -1;
    if (text.charCodeAt(at + 1) === SLASH) {
      const name = text.slice(at + 2, end).trimEnd();
      const open = this.#open.pop();
      if (open !== name) throw this.#malformed(`</${cutText(name, 60)}> closes no tag`);
      this.#sink.close(localName(name));
      return end + 1;
    }
    const isEmpty = text.charCodeAt(end - 1) === SLASH;
    this.#tag = text.slice(at + 1, isEmpty ? end - 1 : end);
    this.#tagFrom = findNameEnd(this.#tag);
    const name = this.#tag.slice(0, this.#tagFrom);
    if (name === '') throw this.#malformed('it has a tag without a name');
    if (this.#open.length >= MAX_DEPTH) {
      throw new FormatError(`${this.#place} nests deeper than ${MAX_DEPTH} levels.`);
    }
    const local = localName(name);
    this.#sink.open(local, this.#attributes);
    if (isEmpty) this.#sink.close(local);
    else this.#open.push(name);
    return end + 1;
  }

  #findAttribute(wanted: string): string | undefined {
    const tag = this.#tag;
    for (let at = this.#tagFrom; ; ) {
      const equals = tag.indexOf('=', at);
      if (equals < 0) return undefined;
      const open = skipBlanks(tag, equals + 1);
      const quote = tag.charCodeAt(open);
      const end = quote === QUOTE || quote === APOSTROPHE ? tag.indexOf(tag.charAt(open), open + 1) : -1;
      if (end < 0) throw this.#malformed(`an attribute of <${cutText(tag, 60)}> has no value`);
      const name = skipBlanks(tag, at);
      if (isNamed(tag, name, equals, wanted)) return this.#decode(tag.slice(open + 1, end));
      at = end + 1;
    }
  }

  #decode(text: string): string {
    const plain = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    let at = plain.indexOf('&');
    if (at < 0) return plain;
    let decoded = '';
    let from = 0;
    for (; at >= 0; at = plain.indexOf('&', from)) {
      const entity = plain.slice(at + 1, at + 1 + MAX_ENTITY);
      const length = entity.indexOf(';');
      const character = length < 0 ? undefined : readEntity(entity.slice(0, length));
      if (character === undefined) {
        throw this.#malformed(`&${length < 0 ? entity : entity.slice(0, length + 1)} is not known`);
      }
      decoded += plain.slice(from, at) + character;
      from = at + length + 2;
    }
    return decoded + plain.slice(from);
  }

  #malformed(what: string): FormatError {
    return new FormatError(`${this.#place} is malformed: ${what}. Save the workbook again.`);
  }
}

function findTagEnd(text: string, from: number): number {
  let quote = 0;
  for (let at = from; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    if (quote !== 0) {
      if (letter === quote) quote = 0;
    } else if (letter === GREATER) return at;
    else if (letter === QUOTE || letter === APOSTROPHE) quote = letter;
  }
  return -1;
}

function findNameEnd(tag: string): number {
  let at = 0;
  while (at < tag.length && tag.charCodeAt(at) > SPACE) at++;
  return at;
}

function skipBlanks(tag: string, from: number): number {
  let at = from;
  while (tag.charCodeAt(at) <= SPACE) at++;
  return at;
}

/** Returns whether the name of an attribute begins at `from`, and has only blanks between it and `equals`. */
function isNamed(tag: string, from: number, equals: number, wanted: string): boolean {
  let end = equals;
  while (end > from && tag.charCodeAt(end - 1) <= SPACE) end--;
  if (end - from === wanted.length) return tag.startsWith(wanted, from);
  return wanted === 'id' && end - from >= 3 && tag.startsWith(':id', end - 3);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** The most characters after `&`. */
const MAX_ENTITY = 11;

function readEntity(entity: string): string | undefined {
  if (!entity.startsWith('#')) return ENTITIES.get(entity);
  const [, hex, decimal] = /^#(?:x([0-9a-f]+)|(\d+))$/i.exec(entity) ?? [];
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code <= 0x10_ffff ? String.fromCodePoint(code) : undefined;
}
