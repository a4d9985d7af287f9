import type { KernelMemory } from '../../kernel/kernel-memory.js';
import { MissingWords } from '../../table/missing-words.js';

/** The numbers before a list, in bytes. */
const HEADER = 16;

/** The most bytes of a text that the kernel compares. */
const SHORT = 8;

/**
 * A text that the kernel compares as JavaScript does. No letter beyond ASCII but the Kelvin sign, a K, has a small letter of
 * ASCII.
 */
const SIMPLE = /^[\x20-\x7e]{1,8}$/;

/** The most bytes of a letter in UTF-8 for each unit of UTF-16 of its small letter. */
const LETTER_BYTES = 3;

/** Lays out the words that count as missing in a column, as `kernel/assembly/cells/words.ts` reads them, and returns the address. */
export function layWords(memory: KernelMemory, words: readonly string[] | undefined): number {
  const { texts, numbers } = MissingWords.of(words);
  const simple = [...texts].filter((text) => SIMPLE.test(text) && !text.includes('k'));
  const others = [...texts].filter((text) => !simple.includes(text));
  const longest = others.reduce((most, { length }) => Math.max(most, LETTER_BYTES * length), 0);
  const at = memory.allocate(HEADER + SHORT * (numbers.size + simple.length));
  memory.words.set([numbers.size, simple.length, longest], at / 4);
  memory.doubles.set([...numbers.keys()], (at + HEADER) / 8);
  for (const [index, text] of simple.entries()) {
    memory.bytes.set(Buffer.from(text), at + HEADER + SHORT * (numbers.size + index));
  }
  return at;
}
