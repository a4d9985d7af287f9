import type { MissingCells } from '../table/column.js';
import { plainNumber } from '../table/parse-number.js';
import type { ColumnReading } from '../table/reading/column-reading.js';
import type { UnreadCells } from '../table/reading/unread-cells.js';
import { quote } from '../table/table-error.js';
import { cutText } from '../text/cut-text.js';
import type { Finding } from './finding.js';
import { showCount } from './words.js';

/** A column, with what it says of its cells without a value. */
interface ReadColumn {
  readonly name: string;
  readonly reading: ColumnReading | null | undefined;
  readonly chosen: string | undefined;
  readonly missing: MissingCells;
  readonly rowCount: number;
}

/** The texts that a message names, and the characters of one. */
const MAX_NAMED = 3;
const MAX_TEXT = 60;

/** The places of texts that a finding has. */
const MAX_PLACES = 10;

/** Finds cells of a column that count as missing though they are not blank, and texts that keep it from being read. */
export function findCells(column: ReadColumn): Finding[] {
  const { missing, reading } = column;
  const { unread } = missing;
  const isMixed = reading?.kind === 'undecided' && unread !== null && column.chosen === undefined;
  const ofTexts = unread === null ? [] : [isMixed ? findFrequent(column, unread) : findFew(column, unread)];
  return [...ofTexts, ...findNumbers(column, missing)];
}

function findFew({ name, rowCount }: ReadColumn, unread: UnreadCells): Finding {
  const { kind, rows, present } = unread;
  return {
    kind: 'unread_values',
    column: name,
    rows,
    share: rows / rowCount,
    places: placesOf(unread),
    message: `${showCount(rows)} of the ${showCount(present)} values of ${quote(name)} are not read as ${kind}s${listTexts(unread)}.`,
    effect: 'They count as missing.',
    remedies: [],
  };
}

function findFrequent({ name, rowCount }: ReadColumn, unread: UnreadCells): Finding {
  const { kind, rows, present, texts } = unread;
  const [first] = texts;
  const word = first ? [{ parameter: 'missing_in', value: `${name}=${first.text}` }] : [];
  return {
    kind: 'frequent_text',
    column: name,
    rows,
    share: rows / rowCount,
    places: placesOf(unread),
    message: `${showCount(rows)} of the ${showCount(present)} values of ${quote(name)} are not ${kind}s like the others${listTexts(unread)}.`,
    effect: `The column is not read as ${kind}s. As categories, they have neither an order nor values between them.`,
    remedies: [
      ...word,
      { parameter: kind === 'number' ? 'as_number' : 'as_date', value: name },
      { parameter: 'as_category', value: name },
    ],
  };
}

/** Finds numbers that count as missing: such a word may name a frequent value by mistake. */
function findNumbers({ name, rowCount }: ReadColumn, { found }: MissingCells): Finding[] {
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

function listTexts({ texts }: UnreadCells): string {
  const shown = texts.slice(0, MAX_NAMED).map(({ text, rows }) => {
    return `${quote(cutText(text, MAX_TEXT))} (${showCount(rows)})`;
  });
  return shown.length === 0 ? '' : `, most often ${shown.join(', ')}`;
}

function placesOf({ texts }: UnreadCells) {
  return texts.flatMap(({ place }) => (place ? [place] : [])).slice(0, MAX_PLACES);
}
