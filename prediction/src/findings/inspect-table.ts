import { isPassedOver, type TableColumn } from '../table/column.js';
import type { RowPlaces } from '../table/rows-read.js';
import type { RowTable, Table } from '../table/table.js';
import { findCopies } from './copies.js';
import { findDuplicates } from './duplicate-rows.js';
import { findEmptyRows } from './empty-rows.js';
import type { Finding } from './finding.js';
import { inspectSeries } from './inspect-series.js';
import { findLeaks } from './leak.js';
import {
  type LookedColumn,
  type LookedTable,
  type LookedTarget,
  lookAtColumn,
  lookAtTarget,
  sampleRows,
  scanRows,
} from './looked-table.js';
import { findMixedUnits } from './mixed-units.js';
import { findOneClassColumns } from './one-class-columns.js';
import { findOutliers } from './outliers.js';
import { findConstantColumns, findIdentifiers } from './plain-columns.js';
import { findRareClasses } from './rare-classes.js';
import { findSerialColumns } from './serial-moments.js';
import { findShiftedRows } from './shifted-rows.js';
import { findTimeOrder } from './time-order.js';
import { findTotals } from './totals-row.js';

/**
 * Finds what looks odd in a table that a model is to be trained on. Its time and memory are bounded, whatever the table is.
 *
 * @param places of its rows; of a forecast's table, the rows before they were sorted into series
 * @param targetAt the index of the target in a line; undefined where the cells of a row name their columns
 */
export function inspectTable(table: Table, places: RowPlaces, targetAt?: number): Finding[] {
  if (table.task === 'forecast') return inspectSeries(table);
  const rows = sampleRows(table.rowCount, table.columns.length);
  const columns = lookAtColumns(table.columns, rows);
  const reading = table.task === 'regression' ? table.targetReading : undefined;
  const target = lookAtTarget(table.target, valuesOf(table), rows, reading);
  return inspect({
    rowCount: table.rowCount,
    rows,
    scanned: scanRows(table.rowCount, table.columns.length, rows),
    columns,
    target,
    line: targetAt === undefined ? null : lineOf(table, columns).toSpliced(targetAt, 0, target),
    isBeginning: false,
    placeOf: (row) => places.at(row),
  });
}

/** Returns the columns of a table in the order of a line; undefined where one was not looked at. */
function lineOf(table: RowTable, looked: readonly LookedColumn[]): (LookedColumn | undefined)[] {
  const byName = new Map(looked.map((column) => [column.name, column]));
  return table.columns.map(({ name }) => byName.get(name));
}

function valuesOf(table: RowTable) {
  return table.task === 'regression'
    ? { values: table.targetValues, classes: null }
    : { values: table.targetClasses, classes: table.classes };
}

/** Looks at the columns whose cells were kept. */
function lookAtColumns(columns: readonly TableColumn[], rows: Uint32Array) {
  return columns
    .filter((column) => column.kind !== 'text' || !isPassedOver(column.chosen))
    .map((column) => lookAtColumn(column, rows));
}

/**
 * Finds what looks odd in the first rows of a table.
 *
 * @param columns as far as they were read
 * @param places of the rows
 * @param target the name of one of the columns; without it, nothing is found that is about a target
 * @param isOrdered whether the cells of a row stand in the order of the columns, and do not name them
 */
export function inspectFirstRows(
  columns: readonly TableColumn[],
  places: RowPlaces,
  target?: string,
  isOrdered = false,
): Finding[] {
  const rows = sampleRows(places.length, columns.length);
  const looked = lookAtColumns(columns, rows);
  const chosen = looked.find(({ name }) => name === target);
  return inspect({
    rowCount: places.length,
    rows,
    scanned: scanRows(places.length, columns.length, rows),
    columns: looked.filter((column) => column !== chosen),
    target: chosen === undefined ? null : asTarget(chosen),
    line: isOrdered ? looked : null,
    isBeginning: true,
    placeOf: (row) => places.at(row),
  });
}

/** Takes a column of first rows for the target: its texts for classes, their order for their frequency. */
function asTarget(column: LookedColumn): LookedTarget {
  if (column.kind !== 'category') return { ...column, classes: null };
  const rows = new Uint32Array(column.texts.length);
  for (const code of column.sample) if (!Number.isNaN(code)) rows[code] = (rows[code] ?? 0) + 1;
  const classes = column.texts.map((name, code) => ({ name, rows: rows[code] ?? 0, merged_count: 0, merged: [] }));
  return { ...column, classes };
}

function inspect(table: LookedTable): Finding[] {
  const filled = findOneClassColumns(table);
  const isFilled = new Set(filled.map(({ column }) => column));
  const leaks = findLeaks(table).filter(({ column }) => !isFilled.has(column));
  const totals = findTotals(table);
  const shifted = findShiftedRows(table);
  // Totals are far outside the rest, of course, and so are values in the wrong column.
  const isExplained = ({ places, rows }: Finding) =>
    [...totals, ...shifted].some(
      (found) => found.rows === rows && JSON.stringify(found.places) === JSON.stringify(places),
    );
  return [
    ...leaks,
    ...filled,
    ...totals,
    ...shifted,
    ...findMixedUnits(table),
    ...findSerialColumns(table),
    ...findDuplicates(table),
    ...findTimeOrder(table),
    ...findOutliers(table).filter((finding) => !isExplained(finding)),
    ...findCopies(table),
    ...findRareClasses(table),
    ...findEmptyRows(table),
    ...findIdentifiers(table),
    ...findConstantColumns(table),
  ];
}
