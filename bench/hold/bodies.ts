/** JSON that is as much work as a body may be, by what it is made of; texts, as most could not be made by JSON.stringify. */

const MEBIBYTE = 1024 * 1024;

/** Limits of a body beside its rows, with room for what is around it. */
const PARTS = 9_900;
const NUMBERS = 99_000;
const BYTES = MEBIBYTE - 512;

function repeated(part: (index: number) => string, count: number): string {
  return Array.from({ length: count }, (_, index) => part(index)).join();
}

/** As many times as fit into a body. */
function filled(part: string): string {
  return repeated(() => part, Math.floor(BYTES / (part.length + 1)));
}

/** The members of an object with as many keys as a body may have. */
export const MEMBERS = repeated((index) => `"k${index}":1`, PARTS);

/** Values that an object with keys of the caller's own may hold, by what makes them work. */
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

/** Arrays of as many items as the contract lets there be, all of them faulty. */
export const FAULTY_ITEMS: Readonly<Record<string, string>> = {
  numbers: `[${repeated(() => '1', 1000)}]`,
  'empty objects': `[${repeated(() => '{}', 1000)}]`,
  'faulty names': `[${repeated(() => '"!"', 1000)}]`,
  'objects with faulty names': `[${repeated(() => '{"name":"!","":1}', 1000)}]`,
};
