import { MIN_ROWS, type TargetClass } from '../table.js';
import { quote } from '../table-error.js';

/** The most classes that a model tells apart: every answer row has a probability of each. */
export const MAX_CLASSES = 100;

/** Classes with fewer rows are rare, and are merged: each of five folds would learn from one or none of them. */
const MIN_CLASS_ROWS = 10;

/** The most different texts of a target of classes, the rare ones among them. */
export const MAX_CLASS_TEXTS = 5000;

/** The most characters of a class: every answer row repeats the names of all classes. */
export const MAX_CLASS_LENGTH = 200;

/** The class that rare classes are merged into; if the table has a class of this name, it takes them in. */
export const MERGED_CLASS = 'other';

/** The most names of merged classes that a model lists. */
const MAX_LISTED = 20;

/** A distinct text of the target and the number of its rows. */
export interface TextCount {
  text: string;
  rows: number;
}

/** The classes of a table, and which of them each text is, in the order of the texts. */
export interface ChosenClasses {
  classes: TargetClass[];
  classOf: Uint16Array;
}

/**
 * Chooses the classes of a target. A class with at least 10 rows is kept; all others are merged into one.
 *
 * @returns a sentence that says what is wrong, if fewer than two or more than 100 classes have enough rows, or
 *   if most rows are of rare classes.
 */
export function chooseClasses(
  target: string,
  counts: readonly TextCount[],
): ChosenClasses | string {
  const rowCount = counts.reduce((sum, { rows }) => sum + rows, 0);
  const name = quote(target);
  if (rowCount < MIN_ROWS) {
    const rows = rowCount === 1 ? 'row has' : 'rows have';
    return `Only ${rowCount} ${rows} a value of the target ${name}. At least ${MIN_ROWS} are needed, to learn from some and to measure the error on the others.`;
  }
  const sorted = counts.toSorted((a, b) => b.rows - a.rows);
  const [first] = sorted;
  if (first !== undefined && sorted.length === 1) {
    return `Every value of the target ${name} is ${quote(first.text)}: there is nothing to predict. Choose another target, or send rows in which it varies.`;
  }
  const frequent = sorted.filter(({ rows }) => rows >= MIN_CLASS_ROWS);
  const rare = sorted.filter(({ rows }) => rows < MIN_CLASS_ROWS);
  const rareRows = rare.reduce((sum, { rows }) => sum + rows, 0);
  if (2 * rareRows > rowCount) {
    return `The target ${name} has ${thousands(sorted.length)} different values, and most rows have one that is in fewer than ${MIN_CLASS_ROWS} rows. Classes need at least ${MIN_CLASS_ROWS} rows each: group the values, or choose another target.`;
  }
  if (frequent.length < 2) {
    const [most] = rare;
    const rows = most?.rows === 1 ? '1 row' : `${most?.rows} rows`;
    return `The target ${name} has one class with at least ${MIN_CLASS_ROWS} rows, ${quote(first?.text ?? '')}; the next, ${quote(most?.text ?? '')}, has ${rows}. Two classes need at least ${MIN_CLASS_ROWS} rows each: send more rows, or group the rare values.`;
  }
  const classes = mergeRare(frequent, rare);
  if (classes.length > MAX_CLASSES) {
    return `The target ${name} has ${thousands(frequent.length)} classes with at least ${MIN_CLASS_ROWS} rows${rare.length > 0 ? ', and rarer ones' : ''}; a model tells at most ${MAX_CLASSES} apart. Group the values, or choose another target.`;
  }
  return { classes, classOf: assign(counts, classes) };
}

function mergeRare(frequent: readonly TextCount[], rare: readonly TextCount[]): TargetClass[] {
  const classes = frequent.map(
    ({ text, rows }): TargetClass => ({ name: text, rows, merged_count: 0, merged: [] }),
  );
  if (rare.length === 0) return classes;
  let taker = classes.find(({ name }) => name === MERGED_CLASS);
  if (taker === undefined) {
    taker = { name: MERGED_CLASS, rows: 0, merged_count: 0, merged: [] };
    classes.push(taker);
  }
  taker.rows += rare.reduce((sum, { rows }) => sum + rows, 0);
  taker.merged_count = rare.length;
  taker.merged = rare.slice(0, MAX_LISTED).map(({ text }) => text);
  return classes.sort((a, b) => b.rows - a.rows);
}

function assign(counts: readonly TextCount[], classes: readonly TargetClass[]): Uint16Array {
  const indexOf = new Map(classes.map(({ name }, index) => [name, index]));
  const merged = indexOf.get(MERGED_CLASS) ?? 0;
  return Uint16Array.from(counts, ({ text }) => indexOf.get(text) ?? merged);
}

function thousands(count: number): string {
  return count.toLocaleString('en');
}
