import type { Steps } from '../../trees/steps.js';
import { KeyedSlots, mixIn, NO_HASH } from './keyed-slots.js';

/** Texts that are packed in one step. */
const PER_STEP = 2048;

/**
 * The distinct values of a group column, by code, as one sequence of letters: a JavaScript string takes 40 bytes for a
 * name of ten letters.
 */
export class GroupTexts {
  /** Packs distinct texts, whose codes are their places. */
  static *pack(texts: Iterable<string>, count: number): Steps<GroupTexts> {
    const ends = new Uint32Array(count);
    let code = 0;
    let length = 0;
    let isWide = false;
    for (const text of texts) {
      length += text.length;
      ends[code++] = length;
      isWide ||= hasWideLetter(text);
      if (code % PER_STEP === 0) yield;
    }
    const letterBytes = isWide ? 2 : 1;
    const letters = Buffer.allocUnsafeSlow(length * letterBytes);
    const slots = new KeyedSlots(count);
    code = 0;
    let at = 0;
    for (const text of texts) {
      at += letters.write(text, at, isWide ? 'utf16le' : 'latin1');
      slots.add(hashText(text), code++);
      if (code % PER_STEP === 0) yield;
    }
    return new GroupTexts(letters, letterBytes, ends, slots);
  }

  private constructor(
    /** UTF-16, or its lower bytes where all higher ones are 0. */
    private readonly letters: Buffer,
    private readonly letterBytes: 1 | 2,
    /** By code, the end of its letters, in letters. */
    private readonly ends: Uint32Array,
    private readonly slots: KeyedSlots,
  ) {}

  get count(): number {
    return this.ends.length;
  }

  get bytes(): number {
    return this.letters.byteLength + this.ends.byteLength + this.slots.bytes;
  }

  /** Returns the text of a code. */
  text(code: number): string {
    const size = this.letterBytes;
    const encoding = size === 1 ? 'latin1' : 'utf16le';
    return this.letters.toString(encoding, size * this.#start(code), size * this.#end(code));
  }

  /** Returns the code of a text; −1 if the column does not have it. */
  find(text: string): number {
    return this.slots.find(hashText(text), (code) => this.#isText(code, text));
  }

  #isText(code: number, text: string): boolean {
    const start = this.#start(code);
    if (this.#end(code) - start !== text.length) return false;
    for (let at = 0; at < text.length; at++) {
      if (this.#letter(start + at) !== text.charCodeAt(at)) return false;
    }
    return true;
  }

  #letter(at: number): number {
    const letters = this.letters;
    if (this.letterBytes === 1) return letters[at] ?? 0;
    return (letters[2 * at] ?? 0) | ((letters[2 * at + 1] ?? 0) << 8);
  }

  #start(code: number): number {
    return this.ends[code - 1] ?? 0;
  }

  #end(code: number): number {
    return this.ends[code] ?? 0;
  }
}

function hasWideLetter(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0xff) return true;
  return false;
}

function hashText(text: string): number {
  let hash = NO_HASH;
  for (let at = 0; at < text.length; at++) hash = mixIn(hash, text.charCodeAt(at));
  return hash;
}
