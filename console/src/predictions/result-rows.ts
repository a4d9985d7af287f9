import { readRows, type TableRecord } from '../tables/read-records.js';
import type { TableFormat } from '../tables/table-format.js';
import type { ResultColumn, ResultRow, ResultTable } from './result-columns.js';

/** The rows of interest: all, those with a warning, or those whose true value the prediction does not hold. */
export type Kept = 'all' | 'warned' | 'missed';

/** The rows that are wanted, and their order. */
export interface Arrangement {
  /** A text that one of the cells contains, in any letter case; '' for all rows. */
  readonly sought: string;
  readonly kept: Kept;
  /** The name of the column that rows are sorted by; '' for the order of the file. */
  readonly sortBy: string;
  readonly isDescending: boolean;
}

/** All rows, as in the file. */
export const IN_FILE_ORDER: Arrangement = { sought: '', kept: 'all', sortBy: '', isDescending: false };

export interface ArrangedRows {
  readonly rows: readonly ResultRow[];
  /** The number of rows that are wanted; `rows` may have only the first of them. */
  readonly count: number;
}

/** The most rows of an arrangement of a file that is not kept in memory. */
const MAX_ROWS = 100_000;

/** The most cells of a file that are kept in memory; a larger file is read again for each arrangement. */
const MAX_CELLS = 1_000_000;

/** The rows of a predicted file, which can be sorted and filtered however many they are. */
export class ResultRows {
  /** All rows so far; undefined if they are too many to be kept. */
  #kept: TableRecord[] | undefined = [];
  #cells = 0;

  /** @param toOriginal returns a row of the file as it was added */
  constructor(private readonly toOriginal: (cells: TableRecord) => TableRecord) {}

  add(rows: readonly TableRecord[]): void {
    for (const row of rows) this.#cells += row.length;
    if (this.#cells > MAX_CELLS) this.#kept = undefined;
    else this.#kept?.push(...rows);
  }

  /** True if a file of all cells can be made in memory. */
  get areFew(): boolean {
    return this.#kept !== undefined;
  }

  /**
   * Returns rows in an order: of a file that is not kept in memory, 100,000 at most. Equal rows keep their order in the
   * file; rows without a value in the column that is sorted by come last.
   * @param file the predicted file, of which the rows are those that were added
   */
  async arrange(file: Blob, format: TableFormat, table: ResultTable, wanted: Arrangement): Promise<ArrangedRows> {
    const isWanted = chooseRows(table, wanted);
    const sorted = sorter(table.columns, wanted);
    let rows: ResultRow[] = [];
    let [place, count] = [0, 0];
    const [parts, most] = this.#kept
      ? [[{ records: this.#kept }], Number.POSITIVE_INFINITY]
      : [readRows(file, format), MAX_ROWS];
    for await (const { records } of parts) {
      for (const cells of records) {
        const row = { place: ++place, cells: this.#kept ? cells : this.toOriginal(cells) };
        if (!isWanted(row)) continue;
        count++;
        if (wanted.sortBy !== '' || rows.length < most) rows.push(row);
      }
      if (rows.length > 2 * most) rows = sorted(rows).slice(0, most);
    }
    return { rows: sorted(rows).slice(0, most), count };
  }
}

function chooseRows({ columns, isMissed }: ResultTable, { sought, kept }: Arrangement): (row: ResultRow) => boolean {
  const text = sought.trim().toLowerCase();
  const warnings = columns.find(({ role }) => role === 'warnings');
  return (row) => {
    if (kept === 'warned' && !warnings?.valueOf(row)) return false;
    if (kept === 'missed' && !isMissed?.(row)) return false;
    return text === '' || row.cells.some((cell) => cell.toLowerCase().includes(text));
  };
}

function sorter(
  columns: readonly ResultColumn[],
  { sortBy, isDescending }: Arrangement,
): (rows: ResultRow[]) => ResultRow[] {
  const column = columns.find(({ id }) => id === sortBy);
  if (column === undefined) return (rows) => rows;
  const collator = new Intl.Collator(undefined, { numeric: true });
  const sign = isDescending ? -1 : 1;
  return (rows) =>
    rows
      .map((row) => ({ row, value: column.valueOf(row) }))
      .sort((one, other) => {
        const [a, b] = [one.value, other.value];
        if (isNothing(a) || isNothing(b)) {
          return Number(isNothing(a)) - Number(isNothing(b)) || one.row.place - other.row.place;
        }
        const difference =
          typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
        return sign * difference || one.row.place - other.row.place;
      })
      .map(({ row }) => row);
}

const isNothing = (value: number | string) => value === '' || Number.isNaN(value);
