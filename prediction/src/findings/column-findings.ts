import type { MissingCells } from '../table/column.js';
import { plainNumber } from '../table/parse-number.js';
import { findAlternatives, toParameter } from '../table/reading/alternatives.js';
import type { ColumnReading, Place, UndecidedReading } from '../table/reading/column-reading.js';
import { cutUnread, MAX_UNREAD_LENGTH, type UnreadCells } from '../table/reading/unread-cells.js';
import { MAX_PLACES, type RowPlaces } from '../table/rows-read.js';
import type { Table } from '../table/table.js';
import { quote } from '../table/table-error.js';
import { cutText } from '../text/cut-text.js';
import { findBareFractions } from './bare-fractions.js';
import { type Finding, MAX_FINDINGS, type Remedy } from './finding.js';
import { findShortYears } from './short-years.js';
import { describeColumn, showCount, showPlaces } from './words.js';

/** A column as it was read; of a column of texts also the texts and cells, as `TextColumn` has them. */
interface ReadColumn {
  readonly name: string;
  readonly reading?: ColumnReading | null;
  readonly chosen?: string;
  /** Its cells without a value; absent where an earlier release has stored the table. */
  readonly missing?: MissingCells;
  readonly texts?: readonly string[];
  readonly codes?: Uint16Array;
}

/** Returns the columns of a table. Those of a forecast are kept by series, without their texts. */
export function listColumns(table: Table): readonly ReadColumn[] {
  if (table.task !== 'forecast') return table.columns;
  return table.columns.map(({ name, reading, chosen, categories }, index) => {
    const missing = table.columnsMissing?.[index];
    return { name, reading, ...(chosen && { chosen }), ...(missing && { missing }), texts: categories ?? [] };
  });
}

/**
 * Finds columns whose texts have more than one meaning, years of two digits that may be of two centuries, fractions beside
 * percentages, cells that count as missing though they are not blank, and texts that keep a column from being read as
 * numbers or dates.
 *
 * @param places of the rows
 * @param target the name of one of the columns, which a training would refuse with texts among its numbers
 */
export function findInColumns(columns: readonly ReadColumn[], places: RowPlaces, target?: string): Finding[] {
  let undecided = 0;
  return columns.flatMap((column) => {
    const { reading, missing } = column;
    const unread = missing?.unread ?? null;
    if (column.name === target && unread?.kind === 'number') return [describeRefused(column, unread, places)];
    const numbers = missing ? findNumbers(column, missing, places.length) : [];
    if (reading?.kind !== 'undecided' || column.chosen !== undefined) {
      const found = [...findShortYears(column, places), ...findBareFractions(column, places), ...numbers];
      return unread === null ? found : [describeUnread(column, unread, places), ...found];
    }
    if (unread !== null) return [describeFrequent(column, unread, places), ...numbers];
    // The search for what decides takes time, and so its number is bounded.
    return ++undecided > MAX_FINDINGS ? numbers : [describeUndecided(column, reading), ...numbers];
  });
}

/** The texts that a message names, and the characters of one. */
const MAX_NAMED = 3;
const MAX_TEXT = 60;

/** @param beside ends the sentence that says what the texts are not. */
function describeUnread(column: ReadColumn, unread: UnreadCells, rowPlaces: RowPlaces, beside = ''): Finding {
  const { name } = column;
  const { kind, rows, present } = unread;
  const places = findPlaces(column, unread, rowPlaces);
  return {
    kind: 'unread_values',
    column: name,
    rows,
    share: rows / rowPlaces.length,
    places,
    message: `${showCount(rows)} of the ${showCount(present)} values of ${quote(name)} ${rows === 1 ? `is not a ${kind}` : `are not ${kind}s`}${beside}${listTexts(unread)}${showWhere(places, rows)}.`,
    effect: rows === 1 ? 'It counts as missing.' : 'They count as missing.',
    remedies: [],
  };
}

/** Describes texts among the numbers of a target: a training does not guess that they are missing. */
function describeRefused(column: ReadColumn, unread: UnreadCells, places: RowPlaces): Finding {
  return {
    ...describeUnread(column, unread, places),
    effect:
      'A training refuses such a target, until it is stated that these texts are missing, or that they are classes.',
    remedies: [
      ...missingWord(column, unread),
      { parameter: 'as_number', value: column.name },
      { parameter: 'task', value: 'classification' },
    ],
  };
}

/** Returns the parameter that states that the most frequent text is missing, if the text is known to its end. */
function missingWord({ name }: ReadColumn, { texts: [first] }: UnreadCells): Remedy[] {
  if (first === undefined || first.text.length >= MAX_UNREAD_LENGTH) return [];
  return [{ parameter: 'missing_in', value: `${name}=${first.text}` }];
}

function describeFrequent(column: ReadColumn, unread: UnreadCells, rowPlaces: RowPlaces): Finding {
  const { name } = column;
  const { kind } = unread;
  return {
    ...describeUnread(column, unread, rowPlaces, ' like the others'),
    kind: 'frequent_text',
    effect: `The column is not read as ${kind}s. As categories, they have neither an order nor values between them.`,
    remedies: [
      ...missingWord(column, unread),
      { parameter: kind === 'number' ? 'as_number' : 'as_date', value: name },
      { parameter: 'as_category', value: name },
    ],
  };
}

/** Finds numbers that count as missing: such a word may name a frequent value by mistake. */
function findNumbers({ name }: ReadColumn, { found }: MissingCells, rowCount: number): Finding[] {
  return found
    .filter(({ word }) => plainNumber(word) !== undefined)
    .map(({ word, rows, place }): Finding => {
      return {
        kind: 'unread_values',
        column: name,
        rows,
        share: rows / rowCount,
        places: place ? [place] : [],
        message: `${showCount(rows)} values of ${quote(name)} are ${word}, which the request names as a word for missing values.`,
        effect: 'They count as missing.',
        remedies: [],
      };
    });
}

function listTexts({ texts, rows }: UnreadCells): string {
  const [only] = texts;
  if (rows === 1 && only !== undefined) return `: ${quote(cutText(only.text, MAX_TEXT))}`;
  const shown = texts.slice(0, MAX_NAMED).map(({ text, rows }) => {
    return `${quote(cutText(text, MAX_TEXT))} (${showCount(rows)})`;
  });
  return shown.length === 0 ? '' : `, most often ${shown.join(', ')}`;
}

function showWhere(places: readonly Place[], rows: number): string {
  return places.length === 0 ? '' : ` (${showPlaces(places, rows)})`;
}

/** Returns the places of the first cells; of cells that are kept as values, of the first with each text. */
function findPlaces({ texts = [], codes }: ReadColumn, unread: UnreadCells, places: RowPlaces): Place[] {
  if (codes === undefined || codes.length === 0) {
    return unread.texts.flatMap(({ place }) => (place ? [place] : [])).slice(0, MAX_PLACES);
  }
  const listed = new Set(unread.texts.map(({ text }) => text));
  const isUnread = Uint8Array.from(['', ...texts], (text, code) => Number(code > 0 && listed.has(cutUnread(text))));
  const found: Place[] = [];
  for (let row = 0; row < codes.length && found.length < MAX_PLACES; row++) {
    if (isUnread[codes[row] ?? 0] === 1) found.push(places.at(row));
  }
  return found;
}

function describeUndecided({ name, texts = [] }: ReadColumn, { reason }: UndecidedReading): Finding {
  return {
    kind: 'undecided_column',
    column: name,
    rows: null,
    share: null,
    places: [],
    message: `${describeColumn(name)} is read as categories: ${reason}.`,
    effect: 'Categories have no order: the model learns nothing from how large the numbers are, or how late the dates.',
    remedies: listRemedies(name, texts),
  };
}

/** The texts of a column that show which parameters decide. */
const MAX_TRIED = 1000;

function listRemedies(name: string, texts: readonly string[]): Remedy[] {
  return findAlternatives(texts.slice(0, MAX_TRIED), {}).map(({ marks }) => toParameter(marks, name));
}
