import { FormatError } from '../columns/format-error.js';

/** Returns an attribute by its name; `id` has a prefix in references to other files. */
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

/** The most characters of a text, a tag or a comment. */
const MAX_TOKEN = 2 * 1024 * 1024;

/**
 * Reads XML as it arrives: elements, their texts and attributes. It has no entities but those of XML itself. Yields
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

const [QUOTE, APOSTROPHE, GREATER, SLASH, SPACE] = [0x22, 0x27, 0x3e, 0x2f, 0x20];

class XmlScanner {
  readonly #place: string;
  readonly #sink: ElementSink;
  /** The text that has not been read: the beginning of a token. */
  #rest = '';
  readonly #open: string[] = [];

  constructor(place: string, sink: ElementSink) {
    this.#place = place;
    this.#sink = sink;
  }

  add(chunk: string): void {
    const text = this.#rest + chunk;
    let at = 0;
    for (let next = 0; next >= 0; ) {
      next = this.#readToken(text, at);
      if (next >= 0) at = next;
    }
    this.#rest = text.slice(at);
    if (this.#rest.length > MAX_TOKEN) {
      throw new FormatError(`${this.#place} has a text or a tag of more than 2 MiB. Shorten it.`);
    }
  }

  end(): void {
    const open = this.#open.at(-1);
    if (open !== undefined) throw this.#malformed(`it ends within <${open}>`);
    if (this.#rest.trim() !== '') throw this.#malformed('it ends within a tag or a text');
  }

  /** Reads a text or what begins with `<`; returns where it ends, or −1 if more is needed. */
  #readToken(text: string, at: number): number {
    if (text.charAt(at) !== '<') {
      const end = text.indexOf('<', at);
      if (end > at) this.#sink.text(this.#decode(text.slice(at, end)));
      return end;
    }
    const mark = text.charAt(at + 1);
    if (mark !== '!' && mark !== '?') return mark === '' ? -1 : this.#readTag(text, at);
    for (const [begin, end] of OTHERS) {
      if (!text.startsWith(begin, at)) continue;
      const close = text.indexOf(end, at + begin.length);
      if (close < 0) return -1;
      if (begin === '<![CDATA[') this.#sink.text(text.slice(at + begin.length, close));
      return close + end.length;
    }
    const seen = text.slice(at, at + 9);
    if (OTHERS.some(([begin]) => begin.startsWith(seen))) return -1;
    throw new FormatError(
      `${this.#place} has a DTD, which no workbook needs. Save the workbook again.`,
    );
  }

  #readTag(text: string, at: number): number {
    const end = findTagEnd(text, at + 1);
    if (end < 0) return -1;
    if (text.charCodeAt(at + 1) === SLASH) {
      this.#close(text.slice(at + 2, end).trimEnd());
      return end + 1;
    }
    const isEmpty = text.charCodeAt(end - 1) === SLASH;
    const tag = text.slice(at + 1, isEmpty ? end - 1 : end);
    const name = tag.slice(0, findNameEnd(tag));
    this.#open.push(name);
    if (name === '') throw this.#malformed('it has a tag without a name');
    if (this.#open.length > MAX_DEPTH) {
      throw new FormatError(`${this.#place} nests deeper than ${MAX_DEPTH} levels.`);
    }
    this.#sink.open(localName(name), (wanted) => this.#findAttribute(tag, name.length, wanted));
    if (isEmpty) this.#close(name);
    return end + 1;
  }

  #close(name: string): void {
    const open = this.#open.pop();
    if (open !== name) throw this.#malformed(`</${name.slice(0, 60)}> closes no tag`);
    this.#sink.close(localName(name));
  }

  #findAttribute(tag: string, from: number, wanted: string): string | undefined {
    for (let at = from; ; ) {
      const equals = tag.indexOf('=', at);
      if (equals < 0) return undefined;
      const name = tag.slice(at, equals).trim();
      const begin = tag.slice(equals + 1, equals + 9).search(/["']/);
      const open = equals + 1 + begin;
      const end = begin < 0 ? -1 : tag.indexOf(tag.charAt(open), open + 1);
      if (end < 0) throw this.#malformed(`an attribute of <${tag.slice(0, 60)}> has no value`);
      if (name === wanted || (wanted === 'id' && name.endsWith(':id'))) {
        return this.#decode(tag.slice(open + 1, end));
      }
      at = end + 1;
    }
  }

  #decode(text: string): string {
    const plain = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    if (!plain.includes('&')) return plain;
    return plain.replace(/&([^;&]{0,10};?)/g, (_, entity: string) => {
      const character = readEntity(entity);
      if (character !== undefined) return character;
      throw this.#malformed(`&${entity} is not known`);
    });
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

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt;', '<'],
  ['gt;', '>'],
  ['amp;', '&'],
  ['quot;', '"'],
  ['apos;', "'"],
]);

function readEntity(entity: string): string | undefined {
  const [, hex, decimal] = /^#(?:x([0-9a-f]+)|(\d+));$/i.exec(entity) ?? [];
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code <= 0x10_ffff ? String.fromCodePoint(code) : ENTITIES.get(entity);
}
