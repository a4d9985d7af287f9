import type { LeftOutRows, RowPlaces } from '../table/rows-read.js';
import type { ClassificationTable, Table } from '../table/table.js';
import { quote } from '../table/table-error.js';
import { findInColumns, listColumns } from './column-findings.js';
import type { Finding } from './finding.js';
import { showCount, showPlaces, showRows } from './words.js';

/** Finds the rows, classes, columns and cells of a table that a model does not use, or reads otherwise than expected. */
export function findUnread(table: Table, places: RowPlaces): Finding[] {
  const merged = table.task === 'classification' ? findMerged(table) : [];
  return [...findLeftOut(table), ...merged, ...findInColumns(listColumns(table), places)];
}

/** Counts the rows that were sent, and those of them that are used. `rowCount` has those with a repeated moment. */
export function countRows({ rowCount, leftOut = [] }: Table): { readonly sent: number; readonly used: number } {
  const repeated = leftOut.reduce((sum, { cause, rows }) => sum + (cause === 'repeated_moment' ? rows : 0), 0);
  const used = rowCount - repeated;
  return { sent: used + leftOut.reduce((sum, { rows }) => sum + rows, 0), used };
}

/** Finds rows that are left out, but for those that the request named. */
function findLeftOut(table: Table): Finding[] {
  const { target, leftOut = [] } = table;
  const { sent } = countRows(table);
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
    return `${share} ${have} the moment of a later row of the same series, which counts (${where}).`;
  }
  const [first] = words;
  const word = first ? `; ${showCount(first.rows)} ${first.rows === 1 ? 'has' : 'have'} ${quote(first.word)}` : '';
  return `${share} ${have} no value of the target ${quote(target)} (${where})${word}.`;
}

/** The most names that a message lists. */
const MAX_NAMED = 5;

function findMerged({ target, classes, rowCount }: ClassificationTable): Finding[] {
  return classes
    .filter(({ merged_count }) => merged_count > 0)
    .map(({ name, rows, merged_count: count, merged }) => {
      const named = merged.slice(0, MAX_NAMED).map(quote);
      const more = count > named.length ? ` and ${showCount(count - named.length)} more` : '';
      const rare = count === 1 ? 'class of the target' : 'classes of the target';
      return {
        kind: 'merged_classes',
        column: target,
        rows,
        share: rows / rowCount,
        places: [],
        message: `${showCount(count)} ${rare} ${quote(target)} ${count === 1 ? 'has' : 'have'} too few rows, and count as ${quote(name)}: ${named.join(', ')}${more}.`,
        effect: `The model predicts ${quote(name)} in their place. Send at least 5 rows of each, or group them.`,
        remedies: [],
      };
    });
}
