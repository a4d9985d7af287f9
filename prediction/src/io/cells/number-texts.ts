import type { KernelMemory } from '../../kernel/kernel-memory.js';

/** Bytes of a number as text; the last is its length. See `kernel/assembly/json/digits.ts`. */
export const NUMBER_TEXT = 32;

/** Addresses in the kernel's memory. */
interface NumberPlaces {
  /** Room for the numbers. */
  readonly doubles: number;
  /** The text of the first number. */
  readonly texts: number;
}

/**
 * Writes numbers as texts of `NUMBER_TEXT` bytes.
 * @param textOf writes a number that the kernel leaves out
 */
export function writeNumberTexts(
  memory: KernelMemory,
  values: Float64Array,
  { doubles, texts }: NumberPlaces,
  textOf: (value: number) => string,
): void {
  memory.doubles.set(values, doubles / 8);
  if (memory.kernel.writeNumbers(doubles, values.length, texts, NUMBER_TEXT) === 0) return;
  const { bytes } = memory;
  for (const [index, value] of values.entries()) {
    const at = texts + NUMBER_TEXT * index;
    if (bytes[at + NUMBER_TEXT - 1] !== 0) continue;
    const text = Buffer.from(textOf(value));
    bytes.set(text, at);
    bytes[at + NUMBER_TEXT - 1] = text.length;
  }
}
