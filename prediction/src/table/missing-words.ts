import { plainNumber } from './parse-number.js';
import type { Place, TableMarks } from './reading/column-reading.js';

/**
 * The words that count as missing in new tables, beside blank cells; see `EARLIER_WORDS` for models of earlier releases.
 * `None` is not among them: it may be a class or a category, such as no damage of a building.
 */
export const DEFAULT_WORDS: readonly string[] = ['na', 'n/a', '#n/a', '<na>', 'nan', '-nan', 'null'];

/** The words of models that do not list theirs. */
const EARLIER_WORDS: readonly string[] = [...DEFAULT_WORDS, 'none'];

const known = new WeakMap<readonly string[], MissingWords>();

/** A list of words for missing values, as cells are compared with them. */
export class MissingWords {
  /** The words in lower case, without numbers. */
  readonly texts: ReadonlySet<string>;
  /** The words that are numbers as programs write them, by value: -999 is also -999.0. */
  readonly numbers: ReadonlyMap<number, string>;
  /** The most characters of a text in lower case that may be a word. */
  readonly longest: number;

  /**
   * Returns a list in the form for comparisons. It is made once for each list.
   *
   * @param words of a model; undefined, for those of earlier releases.
   */
  static of(words: readonly string[] = EARLIER_WORDS): MissingWords {
    const made = known.get(words);
    if (made !== undefined) return made;
    const all = new MissingWords(words);
    known.set(words, all);
    return all;
  }

  private constructor(words: readonly string[]) {
    const texts = new Set<string>();
    const numbers = new Map<number, string>();
    for (const word of words) {
      const text = word.trim();
      const value = plainNumber(text);
      if (value === undefined) texts.add(text.toLowerCase());
      // Adding 0 turns −0 into 0.
      else numbers.set(value + 0, text);
    }
    this.texts = texts;
    this.numbers = numbers;
    this.longest = [...texts].reduce((most, { length }) => Math.max(most, length), 0);
  }

  /** Returns the word that a text without blanks at its ends is, in lower case; undefined if it is not missing. */
  find(text: string): string | undefined {
    if (text.length <= this.longest) {
      const lower = text.toLowerCase();
      if (this.texts.has(lower)) return lower;
    }
    if (this.numbers.size === 0) return undefined;
    const value = plainNumber(text);
    return value === undefined ? undefined : this.numbers.get(value + 0);
  }
}

/** The words that count as missing in a table, as its model lists them. */
export interface ListedWords {
  /** Those of the table, the default words among them. A column may have further words. */
  readonly words: readonly string[];
  /** Those of the target. */
  readonly target: readonly string[];
}

/** The lists of words of a table: those of all of its columns, and those of columns with further words. */
export class TableWords {
  /** The default words, and those that the sender named for the table. */
  readonly words: readonly string[];
  readonly #entries: readonly string[];

  constructor({ missing = [], missingIn = [] }: Pick<TableMarks, 'missing' | 'missingIn'>) {
    this.words = withWords(DEFAULT_WORDS, missing);
    this.#entries = missingIn;
  }

  /** Returns the list of a column. Columns without further words share one list. */
  of(column: string): readonly string[] {
    const own = wordsIn(this.#entries, column);
    return own.length === 0 ? this.words : withWords(this.words, own);
  }
}

/** Returns the words that entries such as `amount=TBD` name for a column; a column may have `=` in its name. */
export function wordsIn(entries: readonly string[], column: string): string[] {
  return entries.filter((entry) => entry.startsWith(`${column}=`)).map((entry) => entry.slice(column.length + 1));
}

/** Returns the words of a list that are not among those of the table: those that are missing in one column only. */
export function furtherWords(list: readonly string[], words: readonly string[] = DEFAULT_WORDS): string[] {
  const common = new Set(words);
  return list.filter((word) => !common.has(word));
}

/** Returns a list with further words in lower case, each once. */
function withWords(list: readonly string[], words: readonly string[]): readonly string[] {
  if (words.length === 0) return list;
  return [...new Set([...list, ...words.map((word) => word.trim().toLowerCase())])];
}

/** A word that counts as missing, in the cells of a column. */
export interface WordCount {
  /** The word in lower case. */
  readonly word: string;
  readonly rows: number;
  /** The place of the first row, where it is known. */
  readonly place: Place | null;
}

/** Counts the cells that are missing because of words. Its memory does not grow with the cells. */
export class WordCounts {
  readonly #missing: MissingWords;
  readonly #counts = new Map<string, { rows: number; readonly place: Place | null }>();

  constructor(words: readonly string[]) {
    this.#missing = MissingWords.of(words);
  }

  /** @param cell without a value: blank cells, objects and arrays count for no word. */
  add(cell: unknown, place: Place | undefined): void {
    if (typeof cell === 'object' || cell === undefined) return;
    const word = this.#missing.find(String(cell).trim());
    if (word === undefined) return;
    const counted = this.#counts.get(word);
    if (counted === undefined) this.#counts.set(word, { rows: 1, place: place ?? null });
    else counted.rows++;
  }

  /** The words that occur, the most frequent first. */
  list(): WordCount[] {
    return Array.from(this.#counts, ([word, counted]) => ({ word, ...counted })).sort((a, b) => b.rows - a.rows);
  }
}
