/** Texts of DuckDB of so many bytes stand in their place, longer ones elsewhere. */
const INLINE_BYTES = 12;

/** The words of 32 bits of a text in a vector of DuckDB: its length, and 12 bytes, or 4 and an address. */
const WORDS = 4;

const FIRST_SLOTS = 1024;

/** The different texts of a column, each with a number, as the dictionary of an Arrow column. */
export class TextDictionary {
  #count = 0;
  /** The numbers of short texts by a hash, plus 1; 0 is a free slot. */
  #slots = new Int32Array(FIRST_SLOTS);
  /** The words of each short text, by its number. */
  #words = new Uint32Array(WORDS * FIRST_SLOTS);
  readonly #long = new Map<string, number>();
  #bytes = Buffer.alloc(16 * FIRST_SLOTS);
  #length = 0;
  #offsets: number[] = [0];

  get count(): number {
    return this.#count;
  }

  get byteLength(): number {
    return this.#length + 4 * this.#offsets.length;
  }

  /** The texts in UTF-8, one after another, and the place of each, with the end behind the last. */
  get texts(): { readonly bytes: Uint8Array; readonly offsets: Int32Array } {
    return { bytes: this.#bytes.subarray(0, this.#length), offsets: Int32Array.from(this.#offsets) };
  }

  /**
   * Returns the number of a text, which is added if it is new.
   * @param words a vector of DuckDB, and the place of the text in it
   * @param readLong returns the text, if it is a long one
   */
  add(words: Uint32Array, at: number, readLong: () => string): number {
    const length = words[at] ?? 0;
    return length > INLINE_BYTES ? this.#addLong(readLong()) : this.#addShort(words, at, length);
  }

  #addLong(text: string): number {
    const known = this.#long.get(text);
    if (known !== undefined) return known;
    const bytes = Buffer.from(text);
    this.#reserve(bytes.length);
    bytes.copy(this.#bytes, this.#length);
    const number = this.#end(bytes.length);
    this.#long.set(text, number);
    return number;
  }

  #addShort(words: Uint32Array, at: number, length: number): number {
    const first = words[at + 1] ?? 0;
    const second = words[at + 2] ?? 0;
    const third = words[at + 3] ?? 0;
    const mask = this.#slots.length - 1;
    let slot = hash(length, first, second, third) & mask;
    for (let number = this.#slots[slot] ?? 0; number !== 0; number = this.#slots[slot] ?? 0) {
      const own = WORDS * (number - 1);
      const isSame =
        this.#words[own] === length &&
        this.#words[own + 1] === first &&
        this.#words[own + 2] === second &&
        this.#words[own + 3] === third;
      if (isSame) return number - 1;
      slot = (slot + 1) & mask;
    }
    this.#reserve(INLINE_BYTES);
    for (let byte = 0; byte < length; byte++) {
      this.#bytes[this.#length + byte] = (words[at + 1 + (byte >> 2)] ?? 0) >>> (8 * (byte & 3));
    }
    const number = this.#end(length);
    this.#slots[slot] = number + 1;
    this.#keepWords(number, [length, first, second, third]);
    if (2 * this.#count > this.#slots.length) this.#grow();
    return number;
  }

  #keepWords(number: number, words: readonly number[]): void {
    if (WORDS * (number + 1) > this.#words.length) {
      const larger = new Uint32Array(2 * WORDS * (number + 1));
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words.set(words, WORDS * number);
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(2 * before.length);
    const mask = this.#slots.length - 1;
    for (const number of before) {
      if (number === 0) continue;
      const own = WORDS * (number - 1);
      const [length = 0, first = 0, second = 0, third = 0] = this.#words.subarray(own, own + WORDS);
      let slot = hash(length, first, second, third) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number;
    }
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.alloc(2 * (this.#length + bytes));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  #end(bytes: number): number {
    this.#length += bytes;
    this.#offsets.push(this.#length);
    this.#count += 1;
    return this.#count - 1;
  }
}

/** Mixes words as MurmurHash3 does (Appleby, 2011). */
function hash(length: number, first: number, second: number, third: number): number {
  const mixed = mix(mix(mix(length, first), second), third);
  const all = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  return all ^ (all >>> 13);
}

function mix(mixed: number, word: number): number {
  const both = mixed ^ Math.imul(word, 0xcc9e2d51);
  return Math.imul((both << 13) | (both >>> 19), 5) + 0xe6546b64;
}
