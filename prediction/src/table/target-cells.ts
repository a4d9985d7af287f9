import { cutText } from '../text/cut-text.js';
import { type TextReader, textReader, wholeName } from './cells.js';
import { codesByRow } from './chunked-array.js';
import { DEFAULT_WORDS, MissingWords } from './missing-words.js';
import type { Place, ReadingMarks, UndecidedReading } from './reading/column-reading.js';
import { ColumnValues } from './reading/column-values.js';
import { ColumnForm } from './reading/decide-column.js';
import { readNumberText } from './reading/number-forms.js';
import type { LeftOutRows } from './rows-read.js';
import { type ClassificationTable, MIN_ROWS, type RegressionTable, type TargetClass, type Task } from './table.js';
import { quote, TableError, type TableFault } from './table-error.js';
import { detached } from './text-column.js';

type TargetData =
  | Pick<RegressionTable, 'task' | 'targetValues' | 'targetReading'>
  | Pick<ClassificationTable, 'task' | 'classes' | 'targetClasses'>;

/** The values of a target, all of which have one unit. */
interface UnitValues {
  readonly unit: string;
  readonly values: ColumnValues;
}

interface FoundCell {
  text: string;
  place: Place;
}

/**
 * Gathers the cells of the target, as numbers and as classes: which of them they are is known when all
 * are there.
 */
export class TargetCells {
  readonly #target: string;
  readonly #form: ColumnForm;
  readonly #plain: ColumnValues;
  /** Undefined once a cell is not a number with the unit of the first. */
  #ofUnit: UnitValues | undefined;
  readonly #codes = codesByRow();
  readonly #codeOf = new Map<string, number>();
  #tooManyTexts = false;
  #numbers = 0;
  #count = 0;
  #bad = 0;
  #firstBad: FoundCell | undefined;
  #firstLong: FoundCell | undefined;
  readonly #readText: TextReader;
  /** The words that are numbers. */
  readonly #missingNumbers: ReadonlyMap<number, string>;
  #leftOut: readonly LeftOutRows[] = [];
  /** True if only numbers are wanted. */
  readonly isForced: boolean;

  /**
   * @param marks that the sender has named.
   * @param words that count as missing.
   * @param isForced true if the sender wants numbers: all other values are missing then.
   */
  constructor(target: string, marks?: ReadingMarks, words = DEFAULT_WORDS, isForced = false) {
    this.#target = target;
    this.#form = new ColumnForm(marks);
    this.#plain = new ColumnValues({ kind: 'number', unit: null }, this.#form);
    this.#readText = textReader(words);
    this.#missingNumbers = MissingWords.of(words).numbers;
    this.isForced = isForced;
  }

  /** Returns the finite number of a cell, or its text; undefined if its row is to be left out. */
  read(cell: unknown): string | number | undefined {
    if (typeof cell === 'number' && Number.isFinite(cell) && !this.#missingNumbers.has(cell)) return cell;
    const text = this.#readText(cell);
    return text === '' || (this.isForced && !this.#isNumber(text)) ? undefined : text;
  }

  /** Returns whether a text is a finite number with the unit of those before, if they have one. */
  #isNumber(text: string): boolean {
    const number = readNumberText(text);
    if (number === undefined) return false;
    const { unit, values } = number;
    if (unit !== null && this.#ofUnit !== undefined && unit !== this.#ofUnit.unit) return false;
    const { decimal } = this.#form;
    return decimal === undefined
      ? Number.isFinite(values['.']) || Number.isFinite(values[','])
      : Number.isFinite(values[decimal]);
  }

  /** @param value that `read` has returned. */
  put(row: number, value: string | number, place: Place): void {
    if (typeof value === 'number') this.#putNumber(row, value, place);
    else this.#putCell(row, value, place);
  }

  #putCell(row: number, text: string, place: Place): void {
    if (this.#count++ === 0 || (this.isForced && this.#ofUnit === undefined)) this.#beginUnit(text);
    if (this.#ofUnit) this.#putWithUnit(this.#ofUnit, row, text, place);
    const value = this.#plain.putText(row, text, place);
    if (!Number.isNaN(value)) this.#numbers++;
    if (!Number.isFinite(value)) {
      this.#bad++;
      this.#firstBad ??= { text: start(text), place };
    }
    this.#putText(row, wholeName(text), place);
  }

  /** @param value finite. */
  #putNumber(row: number, value: number, place: Place): void {
    this.#count++;
    this.#numbers++;
    // Where numbers were chosen, they may be with a unit and without.
    if (!this.isForced) this.#ofUnit = undefined;
    this.#plain.putValue(row, value);
    // Once there are too many distinct texts for classes, the text is no longer needed.
    if (!this.#tooManyTexts) this.#putText(row, wholeName(String(value)), place);
  }

  #beginUnit(text: string): void {
    const { unit = null } = readNumberText(text) ?? {};
    if (unit === null) return;
    this.#ofUnit = { unit, values: new ColumnValues({ kind: 'number', unit }, this.#form) };
  }

  #putWithUnit({ unit, values }: UnitValues, row: number, text: string, place: Place): void {
    if (readNumberText(text)?.unit === unit) values.putText(row, text, place);
    else if (!this.isForced) this.#ofUnit = undefined;
  }

  #putText(row: number, text: string, place: Place): void {
    if (this.#tooManyTexts) return;
    if (text.length > MAX_CLASS_LENGTH) {
      this.#firstLong ??= { text: start(text), place };
      return;
    }
    let code = this.#codeOf.get(text);
    if (code === undefined) {
      if (this.#codeOf.size === MAX_CLASS_TEXTS) {
        this.#tooManyTexts = true;
        return;
      }
      code = this.#codeOf.size + 1;
      this.#codeOf.set(start(text), code);
    }
    this.#codes.set(row, code);
  }

  /**
   * The target of all rows; the cells are given up with it.
   *
   * @param task undefined, for numbers where most cells are numbers, else for classes.
   * @param leftOut the rows that are left out.
   * @throws {TableError} if the target cannot be predicted so.
   */
  take(rowCount: number, task: Task | undefined, leftOut: readonly LeftOutRows[] = []): TargetData {
    this.#leftOut = leftOut;
    const isNumeric = 2 * this.#numbers > this.#count || this.#ofUnit !== undefined;
    const chosen = task ?? (isNumeric ? 'regression' : 'classification');
    if (chosen === 'classification') return this.#takeClasses(rowCount);
    return this.isForced
      ? this.#takeNumbers(rowCount)
      : this.#takeValues(rowCount, this.#ofUnit?.values ?? this.#plain);
  }

  #takeValues(rowCount: number, held: ColumnValues): TargetData {
    if (held === this.#plain) this.#refuseBad();
    const targetReading = held.decide();
    if (targetReading.kind === 'undecided') throw this.#undecided(targetReading);
    if (targetReading.kind === 'date') throw new Error('The target was read as numbers');
    this.#checkCount(rowCount);
    const targetValues = held.take(rowCount, targetReading);
    this.#checkSpread(targetValues);
    return { task: 'regression', targetValues, targetReading };
  }

  /** Takes chosen numbers, of which some may have a unit. The reading is that of most. */
  #takeNumbers(rowCount: number): TargetData {
    this.#checkCount(rowCount);
    const ofUnit = this.#ofUnit?.values;
    const readings = [this.#plain, ...(ofUnit ? [ofUnit] : [])].map((held) => {
      const reading = held.decide(true);
      if (reading.kind === 'undecided') throw this.#undecided(reading);
      if (reading.kind === 'date') throw new Error('The target was read as numbers');
      return { reading, values: held.take(rowCount, reading) };
    });
    const [plain, other] = readings;
    if (plain === undefined) throw new Error('The target has values');
    const targetValues = plain.values;
    let plainRows = 0;
    for (let row = 0; row < rowCount; row++) {
      if (Number.isNaN(targetValues[row])) targetValues[row] = other?.values[row] ?? Number.NaN;
      else plainRows++;
    }
    this.#checkSpread(targetValues);
    const { reading: targetReading } = other && 2 * plainRows < rowCount ? other : plain;
    return { task: 'regression', targetValues, targetReading };
  }

  #refuseBad(): void {
    if (this.#firstBad === undefined) return;
    const { text, place } = this.#firstBad;
    const share = `${this.#bad} of its ${this.#count} values`;
    throw this.#fault(
      `The target ${quote(this.#target)} must hold finite numbers, but ${share} are not; the first is ${quote(text)}. Correct them, or leave them blank; or state that such a text is missing (missing=${cutText(text, 40)}), or that all values other than numbers are (as_number=${this.#target}); or predict the values as classes (task "classification"), or choose another target.`,
      place,
    );
  }

  #checkCount(rowCount: number): void {
    if (rowCount >= MIN_ROWS) return;
    const rows = rowCount === 1 ? 'row has' : 'rows have';
    throw this.#fault(
      `Only ${rowCount} ${rows} a value of the target ${quote(this.#target)}. At least ${MIN_ROWS} are needed, to learn from some and to measure the error on the others.${this.#describeMissing()}`,
    );
  }

  /** Describes what is in the place of values; '' if only blank cells are. */
  #describeMissing(): string {
    const words = this.#leftOut.flatMap((left) => left.words).slice(0, MAX_NAMED);
    if (words.length === 0) return '';
    const shown = words.map(({ word, rows }) => `${quote(word)} (${rows === 1 ? '1 row' : `${thousands(rows)} rows`})`);
    return ` Others have ${shown.join(', ')}, which ${this.isForced ? 'is not a number' : 'counts as missing'}.`;
  }

  /** An answer that is always the same number, "certain" at 0.99, would hide a wrong export. */
  #checkSpread(values: Float64Array): void {
    const [first] = values;
    if (values.some((value) => value !== first)) return;
    throw this.#fault(
      `Every value of the target ${quote(this.#target)} is ${first}: there is nothing to predict. Choose another target, or send rows in which it varies.`,
    );
  }

  #undecided({ reason }: UndecidedReading): TableError {
    return this.#fault(
      `The target ${quote(this.#target)} cannot be read: ${reason}. Or predict the values as classes (task "classification").`,
    );
  }

  #takeClasses(rowCount: number): TargetData {
    const name = quote(this.#target);
    if (this.#firstLong !== undefined) {
      const { text, place } = this.#firstLong;
      throw this.#fault(
        `A value of the target ${name} is longer than ${MAX_CLASS_LENGTH} characters, which no class may be: ${quote(text)}. Shorten it, or choose another target.`,
        place,
      );
    }
    if (this.#tooManyTexts) {
      const most = MAX_CLASS_TEXTS.toLocaleString('en');
      throw this.#fault(
        `The target ${name} has more than ${most} different values, too many for classes. Group them, or choose another target.`,
      );
    }
    this.#checkCount(rowCount);
    const texts = [...this.#codeOf.keys()];
    const codes = this.#codes.take(rowCount);
    const rows = new Uint32Array(texts.length);
    for (const code of codes) rows[code - 1] = (rows[code - 1] ?? 0) + 1;
    const chosen = chooseClasses(
      this.#target,
      texts.map((text, index) => ({ text, rows: rows[index] ?? 0 })),
    );
    if (typeof chosen === 'string') throw this.#fault(chosen);
    const { classes, classOf } = chosen;
    const targetClasses = codes.map((code) => classOf[code - 1] ?? 0);
    return { task: 'classification', classes, targetClasses };
  }

  #fault(message: string, place?: Place): TableError {
    const fault: TableFault = { message, column: this.#target, ...place };
    return new TableError([fault]);
  }
}

/** Returns a copy of the beginning of a text. */
function start(text: string): string {
  return detached(text.slice(0, MAX_CLASS_LENGTH + 1));
}

/** The most classes that a model distinguishes: every answer row has a probability of each. */
export const MAX_CLASSES = 100;

/** Two classes must have as many rows, and most rows be of such classes: others are names, or free text. */
const MIN_CLASS_ROWS = 10;

/** Classes with fewer rows are rare, and are merged: they would be in fewer than all of five folds. */
const MIN_KEPT_ROWS = 5;

/** The words and texts that a message names. */
const MAX_NAMED = 3;

/** The most different texts of a target of classes, the rare ones among them. */
const MAX_CLASS_TEXTS = 5000;

/** The most characters of a class: every answer row repeats the names of all classes. */
const MAX_CLASS_LENGTH = 200;

/** The class that rare classes are merged into; if the table has a class of this name, it takes them in. */
export const MERGED_CLASS = 'other';

/** The most names of merged classes that a model lists. */
const MAX_LISTED = 20;

/** A distinct text of the target and the number of its rows. */
interface TextCount {
  text: string;
  rows: number;
}

/**
 * Chooses the classes of a target. A class with at least 10 rows is kept, and one of 5 to 9 rows where the most classes
 * leave room for it; all others are merged into one.
 *
 * @returns the classes, and which of them each text is, in the order of the texts; or a sentence that says what is
 *   wrong, if fewer than two or more than 100 classes have enough rows, or if most rows are of rare classes.
 */
function chooseClasses(target: string, counts: readonly TextCount[]) {
  const rowCount = counts.reduce((sum, { rows }) => sum + rows, 0);
  const name = quote(target);
  const sorted = counts.toSorted((a, b) => b.rows - a.rows);
  const [first] = sorted;
  if (first !== undefined && sorted.length === 1) {
    return `Every value of the target ${name} is ${quote(first.text)}: there is nothing to predict. Choose another target, or send rows in which it varies.`;
  }
  const frequent = sorted.filter(({ rows }) => rows >= MIN_CLASS_ROWS);
  const others = sorted.slice(frequent.length);
  const rareRows = others.reduce((sum, { rows }) => sum + rows, 0);
  if (2 * rareRows > rowCount) {
    return `The target ${name} has ${thousands(sorted.length)} different values, and most rows have one that is in fewer than ${MIN_CLASS_ROWS} rows. Classes need at least ${MIN_CLASS_ROWS} rows each: group the values, or choose another target.`;
  }
  if (frequent.length < 2) {
    const [most] = others;
    const rows = most?.rows === 1 ? '1 row' : `${most?.rows} rows`;
    return `The target ${name} has one class with at least ${MIN_CLASS_ROWS} rows, ${quote(first?.text ?? '')}; the next, ${quote(most?.text ?? '')}, has ${rows}. Two classes need at least ${MIN_CLASS_ROWS} rows each: send more rows, or group the rare values.`;
  }
  const classes = chooseKept(sorted, frequent.length);
  if (classes.length > MAX_CLASSES) {
    return `The target ${name} has ${thousands(frequent.length)} classes with at least ${MIN_CLASS_ROWS} rows${others.length > 0 ? ', and rarer ones' : ''}; a model distinguishes at most ${MAX_CLASSES}. Group the values, or choose another target.`;
  }
  return { classes, classOf: assign(counts, classes) };
}

/**
 * Returns the classes that are kept, with the one that takes in the others.
 *
 * @param sorted most frequent first, of which the first `frequent` are kept whatever their number is.
 */
function chooseKept(sorted: readonly TextCount[], frequent: number): TargetClass[] {
  let kept = Math.max(sorted.filter(({ rows }) => rows >= MIN_KEPT_ROWS).length, frequent);
  const classesOf = (count: number) => mergeRare(sorted.slice(0, count), sorted.slice(count));
  while (kept > frequent && classesOf(kept).length > MAX_CLASSES) kept--;
  return classesOf(kept);
}

function mergeRare(frequent: readonly TextCount[], rare: readonly TextCount[]): TargetClass[] {
  const classes = frequent.map(({ text, rows }): TargetClass => ({ name: text, rows, merged_count: 0, merged: [] }));
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
