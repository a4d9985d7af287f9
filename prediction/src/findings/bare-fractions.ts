import { plainNumber } from '../table/parse-number.js';
import type { ColumnReading, Place } from '../table/reading/column-reading.js';
import { createReader } from '../table/reading/create-reader.js';
import { readNumberText } from '../table/reading/number-forms.js';
import { MAX_PLACES, type RowPlaces } from '../table/rows-read.js';
import { quote } from '../table/table-error.js';
import type { Finding } from './finding.js';
import { showCount, showPlaces } from './words.js';

/** A column of numbers with its texts, and the code of the text of each row, from 1. */
interface NumberTexts {
  readonly name: string;
  readonly reading?: ColumnReading | null;
  readonly texts?: readonly string[];
  readonly codes?: Uint16Array;
}

/**
 * Finds values without a unit in a column of percentages that are fractions of one, where most percentages are larger:
 * 0.45 beside 45% is read as 0.45 %. Programs take them for the same, as do the cells of a workbook.
 *
 * @param places of the rows
 */
export function findBareFractions({ name, reading, texts = [], codes }: NumberTexts, places: RowPlaces): Finding[] {
  if (reading?.kind !== 'number' || reading.unit !== '%' || codes === undefined) return [];
  const read = createReader('number', reading);
  const isBare = new Uint8Array(texts.length + 2);
  let [large, others] = [0, 0];
  for (const [index, text] of texts.entries()) {
    const value = Math.abs(read(text));
    if (Number.isNaN(value)) continue;
    if (plainNumber(text) === undefined && readNumberText(text)?.unit !== null) {
      if (value > 1) large++;
      else others++;
    } else if (value <= 1) isBare[index + 1] = 1;
    // Larger values without the unit show that their sender leaves it out.
    else return [];
  }
  if (large <= others) return [];
  let [rows, present] = [0, 0];
  const found: Place[] = [];
  for (const [row, code] of codes.entries()) {
    if (code > 0) present++;
    if (isBare[code] !== 1) continue;
    rows++;
    if (found.length < MAX_PLACES) found.push(places.at(row));
  }
  if (rows === 0) return [];
  return [
    {
      kind: 'mixed_units',
      column: name,
      rows,
      share: rows / places.length,
      places: found,
      message: `${showCount(rows)} of the ${showCount(present)} values of ${quote(name)} ${rows === 1 ? 'has' : 'have'} no %, and ${rows === 1 ? 'is' : 'are'} at most 1 (${showPlaces(found, rows)}): ${rows === 1 ? 'it may be a fraction' : 'they may be fractions'}.`,
      effect:
        'Such a value is read as per cent: 0.45 is 0.45 %, not 45 %. If it is a fraction, write it as 45% in the table.',
      remedies: [],
    },
  ];
}
