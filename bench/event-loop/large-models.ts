import { seededRandom } from 'roster-prediction/internals';

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
