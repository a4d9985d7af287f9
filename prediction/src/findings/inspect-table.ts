import type { TableColumn } from '../table/column.js';
import type { RowPlaces } from '../table/rows-read.js';
import type { Table } from '../table/table.js';
import type { Finding } from './finding.js';

/**
 * Finds what looks odd in a table that a model is to be trained on. Its time and memory are bounded, whatever the table is.
 *
 * @param places of its rows; of a forecast's table, the rows before they were sorted into series
 */
export function inspectTable(_table: Table, _places: RowPlaces): Finding[] {
  return [];
}

/**
 * Finds what looks odd in the first rows of a table, whose target is not known.
 *
 * @param columns as far as they were read
 * @param places of the rows
 */
export function inspectFirstRows(_columns: readonly TableColumn[], _places: RowPlaces): Finding[] {
  return [];
}
