import { type ColumnReading, showExample } from '../table/reading/column-reading.js';
import { momentOf } from '../table/reading/create-reader.js';
import { readDateText } from '../table/reading/date-forms.js';
import type { RowPlaces } from '../table/rows-read.js';
import { quote } from '../table/table-error.js';
import { cutText } from '../text/cut-text.js';
import type { Finding } from './finding.js';

/** Years before and after these are at the ends of 1969 to 2068, in which years of two digits are read. */
const [EARLY, LATE] = [1980, 2040];

/** The most characters of a text that a message shows. */
const MAX_SHOWN = 40;

/** A column of dates with its texts, and the code of the text of each row, from 1. */
interface DateTexts {
  readonly name: string;
  readonly reading?: ColumnReading | null;
  readonly texts?: readonly string[];
  readonly codes?: Uint16Array;
}

/**
 * Finds dates with years of two digits at both ends of the hundred years in which they are read: births before 1969 are
 * then taken for dates of the next century. They stay as they are read, since no value shows the century.
 *
 * @param places of the rows
 */
export function findShortYears({ name, reading, texts = [], codes }: DateTexts, places: RowPlaces): Finding[] {
  if (reading?.kind !== 'date' || reading.order === 'iso' || codes === undefined) return [];
  let [early, late] = [-1, -1];
  for (let at = 0; at < texts.length && (early < 0 || late < 0); at++) {
    const date = readDateText(texts[at] ?? '');
    if (date?.hasShortYear !== true) continue;
    const year = new Date(momentOf(date, reading.order)).getUTCFullYear();
    if (early < 0 && year < EARLY) early = at;
    if (late < 0 && year > LATE) late = at;
  }
  if (early < 0 || late < 0) return [];
  const exampleAt = (at: number) => {
    return { text: cutText(texts[at] ?? '', MAX_SHOWN), place: places.at(codes.indexOf(at + 1)) };
  };
  const [first, last] = [exampleAt(early), exampleAt(late)];
  return [
    {
      kind: 'undecided_column',
      column: name,
      rows: null,
      share: null,
      places: [first.place, last.place],
      message: `The years of two digits in ${quote(name)} are read as 1969 to 2068, and have dates at both ends: ${showExample(first)}, and ${showExample(last)}.`,
      effect:
        'Dates before 1969 are read as a hundred years later. If there are such, write all years with four digits.',
      remedies: [],
    },
  ];
}
