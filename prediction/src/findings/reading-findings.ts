import type { LeftOutRows } from '../table/rows-read.js';
import type { Table } from '../table/table.js';
import { quote } from '../table/table-error.js';
import type { Finding } from './finding.js';
import { showCount, showPlaces, showRows } from './words.js';

/** Finds what of a table a model is not trained on: rows that are left out. */
export function findUnread(table: Table): Finding[] {
  return findLeftOut(table);
}

/** Rows that the request named are no finding. */
function findLeftOut({ target, rowCount, leftOut = [] }: Table): Finding[] {
  const sent = rowCount + leftOut.reduce((sum, { rows }) => sum + rows, 0);
  return leftOut
    .filter(({ cause }) => cause !== 'dropped')
    .map((left): Finding => {
      const { rows, places } = left;
      return {
        kind: 'rows_left_out',
        column: left.cause === 'no_target' ? target : null,
        rows,
        share: rows / sent,
        places,
        message: describeLeftOut(left, sent, target),
        effect: EFFECTS[left.cause],
        remedies: [],
      };
    });
}

const EFFECTS = {
  no_target: 'The model is not trained on these rows, and does not predict what they stand for.',
  repeated_moment: 'Their values have no effect on the forecasts.',
  dropped: null,
} as const;

function describeLeftOut({ cause, rows, places, words }: LeftOutRows, sent: number, target: string): string {
  const where = showPlaces(places, rows);
  const share = `${showCount(rows)} of ${showRows(sent)}`;
  const have = rows === 1 ? 'has' : 'have';
  if (cause !== 'no_target') {
    return `${share} ${have} the moment of a later row of the same series, which counts; they are ${where}.`;
  }
  const [first] = words;
  const word = first ? ` (${showCount(first.rows)} ${first.rows === 1 ? 'has' : 'have'} ${quote(first.word)})` : '';
  return `${share} ${have} no value of the target ${quote(target)}${word}, ${where}, and are left out.`;
}
