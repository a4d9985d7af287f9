/**
 * JSON bodies that take the most work for their size, by kind. They are texts, since JSON.stringify cannot
 * produce most of them.
 */

const MEBIBYTE = 1024 * 1024;

/** Limits of a body without its rows, minus a margin for the rest of the body. */
const PARTS = 9_900;
const NUMBERS = 99_000;
const BYTES = MEBIBYTE - 512;

function repeated(part: (index: number) => string, count: number): string {
  return Array.from({ length: count }, (_, index) => part(index)).join();
}

/** Repeats a part as often as fits into a body. */
function filled(part: string): string {
  return repeated(() => part, Math.floor(BYTES / (part.length + 1)));
}

/** The members of an object with the maximum number of keys. */
export const MEMBERS = repeated((index) => `"k${index}":1`, PARTS);

/** Values for an object with arbitrary keys, by the reason for which they take work. */
export const VALUES: Readonly<Record<string, string>> = {
  'members of one object': `{${MEMBERS}}`,
  'objects of one member each': `[${repeated((index) => `{"k${index}":1}`, PARTS / 2)}]`,
  'arrays in arrays': `[${repeated(() => '['.repeat(90) + ']'.repeat(90), Math.floor(PARTS / 90))}]`,
  'empty arrays': `[${repeated(() => '[]', PARTS)}]`,
  'small numbers': `[${repeated(() => '1', NUMBERS)}]`,
  'more numbers than may be': `[${filled('1')}]`,
  fractions: `[${filled('0.1234567890123456')}]`,
  'too large numbers': `[${repeated(() => '1e999', NUMBERS)}]`,
  'one long number': `1.${'9'.repeat(BYTES - 2)}`,
  'one long text': `"${'x'.repeat(BYTES - 2)}"`,
  escapes: `"${'\\u0041'.repeat(Math.floor(BYTES / 6) - 1)}"`,
  quotes: `"${'\\"'.repeat(BYTES / 2 - 2)}"`,
  'long keys': `{${repeated((index) => `"${'k'.repeat(1000)}${index}":1`, 990)}}`,
  __proto__: `{${repeated((index) => `"__proto__":{"constructor":${index}}`, Math.floor(PARTS / 3))}}`,
};

/** Arrays with the maximum number of items, all of them faulty. */
export const FAULTY_ITEMS: Readonly<Record<string, string>> = {
  numbers: `[${repeated(() => '1', 1000)}]`,
  'empty objects': `[${repeated(() => '{}', 1000)}]`,
  'faulty names': `[${repeated(() => '"!"', 1000)}]`,
  'objects with faulty names': `[${repeated(() => '{"name":"!","":1}', 1000)}]`,
};
