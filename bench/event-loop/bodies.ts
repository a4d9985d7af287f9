import { seededRandom } from '../../prediction/src/trees/random.js';

/**
 * JSON bodies that take the most work for their size, by kind. They are texts, since JSON.stringify cannot
 * produce most of them. At the end, tables whose models take long to load.
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

/** A model that takes long to load. */
interface LargeModel {
  readonly name: string;
  /** The table as CSV; its target is `y`. */
  readonly csv: () => string;
}

/** Models of as many trees, or columns, as there may be. */
export const LARGE_MODELS: readonly LargeModel[] = [
  { name: '20 classes', csv: () => classes(20, 8000) },
  { name: '100 classes', csv: () => classes(100, 3000) },
  { name: '999 columns of 200 categories', csv: () => wide(999, 800, 200) },
  { name: '400 columns of numbers', csv: () => numbers(400, 4000) },
];

/** Rows of numbers whose class is the nearest of some random points, so that trees are worth adding to the last round. */
function classes(classCount: number, rowCount: number): string {
  const random = seededRandom(classCount);
  const point = () => Array.from({ length: 6 }, () => random());
  const centres = Array.from({ length: classCount }, point);
  const far = (one: readonly number[], other: readonly number[]) =>
    one.reduce((sum, value, at) => sum + (value - (other[at] ?? 0)) ** 2, 0);
  return csv(6, rowCount, () => {
    const row = point();
    const distances = centres.map((centre) => far(centre, row));
    const nearest = distances.indexOf(Math.min(...distances));
    return [...row.map((value) => value.toFixed(4)), `class ${nearest}`];
  });
}

function wide(columnCount: number, rowCount: number, categories: number): string {
  const random = seededRandom(7);
  return csv(columnCount, rowCount, () => {
    const row = Array.from({ length: columnCount }, () => Math.floor(categories * random() ** 2));
    const sum = row.slice(0, 20).reduce((total, each) => total + (each % 7), 0);
    return [...row.map((each) => `kind ${each}`), sum + random()];
  });
}

function numbers(columnCount: number, rowCount: number): string {
  const random = seededRandom(9);
  return csv(columnCount, rowCount, () => {
    const row = Array.from({ length: columnCount }, () => random());
    const sum = row.slice(0, 20).reduce((total, each) => total + Math.sin(9 * each), 0);
    return [...row.map((each) => each.toFixed(5)), sum];
  });
}

function csv(columnCount: number, rowCount: number, row: () => readonly unknown[]): string {
  const header = [...Array.from({ length: columnCount }, (_, index) => `x${index}`), 'y'];
  const lines = [header, ...Array.from({ length: rowCount }, row)];
  return lines.map((cells) => cells.join(',')).join('\n');
}
