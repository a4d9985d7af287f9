import { cellText, groupText, nameText, wholeName } from '../table/cells.js';
import { InvalidRowsError } from '../table/invalid-rows.js';
import { readMoment } from '../table/moments.js';
import type { ColumnReading } from '../table/reading/column-reading.js';
import { quote } from '../table/table-error.js';

/** Stands in a list of hashes for a row without an id. */
export const NO_ID = 0;

/**
 * Returns a hash of an id, a whole number of 53 bits. Ids are looked up among those of one model alone, so whoever
 * makes two with the same hash confuses their own rows.
 */
export function hashId(id: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < id.length; at++) {
    const code = id.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (0x200000 * (low >>> 0) + ((high >>> 0) & 0x1fffff)) % Number.MAX_SAFE_INTEGER || 1;
}

/** The columns whose values name a row. */
export type IdColumns =
  | { readonly kind: 'column'; readonly name: string }
  /** The moment and the series of a step. */
  | {
      readonly kind: 'series';
      readonly orderBy: string;
      readonly groupBy: readonly string[];
      /** How the texts of moments are read. */
      readonly reading: ColumnReading | null;
    };

export function listIdColumns(columns: IdColumns): readonly string[] {
  return columns.kind === 'column' ? [columns.name] : [columns.orderBy, ...columns.groupBy];
}

/**
 * Returns the id that the cells of `listIdColumns` give a row; '' where they name none. A whole number is the same id
 * with and without decimals, as programs write 7 as `7.0` where other rows have no number.
 *
 * @throws {InvalidRowsError} if the id is a number that has lost digits
 */
export function writeId(columns: IdColumns, cells: readonly unknown[]): string {
  if (columns.kind === 'column') return wholeName(readIdText(columns.name, cells[0]));
  return writeStep(columns.reading, cells, groupText);
}

/** Returns an id as earlier releases kept it, where that is another one than `writeId` returns; else ''. */
export function writeEarlierId(columns: IdColumns, cells: readonly unknown[]): string {
  const isColumn = columns.kind === 'column';
  const names = isColumn ? cells : cells.slice(1);
  if (names.every((cell) => groupText(cell) === nameText(cell))) return '';
  return isColumn ? nameText(cells[0]) : writeStep(columns.reading, cells, nameText);
}

/** Returns the id of a step of a series; '' without a moment. */
function writeStep(
  reading: ColumnReading | null,
  [order, ...groups]: readonly unknown[],
  nameOf: (cell: unknown) => string,
): string {
  const moment = readMoment(cellText(order), reading);
  return moment === undefined ? '' : JSON.stringify([moment.value, ...groups.map(nameOf)]);
}

/** @throws {InvalidRowsError} if the id is a number that has lost digits as a double */
function readIdText(name: string, cell: unknown): string {
  const isLost = typeof cell === 'number' && Math.abs(cell) > Number.MAX_SAFE_INTEGER;
  if (!isLost) return nameText(cell);
  const message = `names ${quote(name)}, which has a number beyond 2^53, about ${cell}: its last digits are lost, and it could be that of another row; send the column as texts`;
  throw new InvalidRowsError([{ parameter: 'id', message }]);
}

/** Returns what the ids of an answer's rows begin with: the number of the row in it, from 0, follows. */
export function rowIdPrefix(answer: string): string {
  return `${answer}-`;
}

const ROW_ID = /^([0-9a-z]{20})-(0|[1-9]\d{0,9})$/;

/** Reads the id of a row of an answer; undefined if the text is none. */
export function parseRowId(id: string): { answer: string; row: number } | undefined {
  const [, answer, digits] = ROW_ID.exec(id) ?? [];
  const row = Number(digits);
  return answer === undefined || row > MAX_ROW ? undefined : { answer, row };
}

/** The largest number of a row that a store keeps. */
const MAX_ROW = 2_147_483_647;

/** The parts of a forecaster that determine how its moments are written. */
interface OrderedModel {
  readonly order_by: string;
  readonly group_by: readonly string[];
  readonly columns: readonly { readonly name: string; readonly reading: ColumnReading | null }[] | null;
}

/** Returns the columns of the ids of rows: that which was asked for, or those of the steps of series. */
export function chooseIds(name: string | undefined, series?: OrderedModel): IdColumns | undefined {
  if (name !== undefined) return { kind: 'column', name };
  if (series === undefined) return undefined;
  const { order_by: orderBy, group_by: groupBy, columns } = series;
  const reading = columns?.find(({ name }) => name === orderBy)?.reading ?? null;
  return { kind: 'series', orderBy, groupBy, reading };
}

/**
 * Refuses a column of ids that does not occur in rows.
 *
 * @param rows how many were looked at, none of which has an id.
 * @throws {InvalidRowsError} if a column was named.
 */
export function refuseUnusedIds(ids: IdColumns | undefined, rows: number): void {
  if (ids?.kind !== 'column' || rows === 0) return;
  const looked = rows === 1 ? 'the first row has no' : `none of the first ${rows} rows has a`;
  const message = `names ${quote(ids.name)}, but ${looked} value in such a column; name the column of your ids as the rows do`;
  throw new InvalidRowsError([{ parameter: 'id', message }]);
}
