import { DEFAULT_WORDS, furtherWords } from '../table/missing-words.js';
import type { LeftOutRows, RowPlaces } from '../table/rows-read.js';
import type { Table } from '../table/table.js';
import { type Finding, mergeFindings } from './finding.js';
import { inspectTable } from './inspect-table.js';
import { countRows, findUnread } from './reading-findings.js';

/** The rows of a table: those that were sent are those that are used and those that are left out. */
export interface ReadingReport {
  readonly rows_sent: number;
  readonly rows_used: number;
  /** By cause, the most frequent first. */
  readonly left_out: LeftOutRows[];
  /** The texts that count as a missing value in all columns, in lower case. */
  readonly missing_words: string[];
  /** The further ones in the target; absent where there are none. */
  readonly target_missing_words?: string[];
  /** The rows of the query, of which the table is a sample; absent where it has all of them, or was sent. */
  readonly rows_of_query?: number;
}

/** The rows that were read of a table, and its findings. */
export interface TableReport {
  readonly reading: ReadingReport;
  readonly findings: Finding[];
}

/**
 * Reports the reading of a table to its sender.
 *
 * @param places of the rows that are used
 * @param targetAt the index of the target in a line; undefined where the cells of a row name their columns
 */
export function reportTable(table: Table, places: RowPlaces, targetAt?: number): TableReport {
  const { sent, used } = countRows(table);
  const ofTarget = furtherWords(table.missingWords?.target ?? [], table.missingWords?.words);
  return {
    reading: {
      rows_sent: sent,
      rows_used: used,
      left_out: [...(table.leftOut ?? [])],
      missing_words: [...(table.missingWords?.words ?? DEFAULT_WORDS)],
      ...(ofTarget.length > 0 && { target_missing_words: ofTarget }),
    },
    findings: mergeFindings(findUnread(table, places), inspectTable(table, places, targetAt)),
  };
}
