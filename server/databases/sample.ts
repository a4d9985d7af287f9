import { quoteName, type SampleSize } from './driver.js';

/** Another seed would draw other rows. */
const SEED = 20_261_130;

/** A prime below 2³¹: products of two numbers below it fit into the integers of every database. */
const PRIME = 2_147_483_647;
const FACTOR = 48_271;

type Operator = '+' | '-' | '*' | '/' | '%' | '=' | '<';

/** The SQL of a database, as far as a sample needs it. */
export interface SampleDialect {
  /** Writes an operator on whole numbers; `/` rounds down. */
  readonly writeOperator: (operator: Operator) => string;
  /** Writes a query as a table in FROM, with other names of its columns. */
  readonly nameColumns: (sql: string, names: string) => string;
}

/** Writes a query as a table in FROM, as SQL's standard does. */
export function nameColumns(sql: string, names: string): string {
  return `(${sql}\n) AS roster_rows(${names})`;
}

/** A query for a sample of the rows of another one. */
export interface Sample {
  readonly sql: string;
  /** The number of rows of the other query. */
  readonly rowsInAll: number;
}

/** Returns a query for the number of rows of another one. */
export function countOf(sql: string): string {
  return `SELECT count(*) FROM (${sql}\n) AS roster_rows`;
}

/**
 * Returns the sample that stands for the rows of a query.
 *
 * @param sql one SELECT that was checked, without a semicolon
 * @param columns the names of its columns
 * @param rowsInAll the number of its rows
 * @returns undefined if all rows fit
 */
export function planSample(
  sql: string,
  columns: readonly string[],
  rowsInAll: number,
  { maxRows, maxCells }: SampleSize,
  dialect: SampleDialect,
): Sample | undefined {
  const rows = Math.min(maxRows, Math.floor(maxCells / columns.length));
  return rowsInAll <= rows ? undefined : { sql: sampleOf(sql, columns, rowsInAll, rows, dialect), rowsInAll };
}

/**
 * Returns a query that draws a sample of the rows of another one, in their order. The rows are cut into as many runs of
 * equal length as the sample has rows, and of each run one row is drawn at random. So every row has the same chance, all
 * times of an ordered query have their share, and the sample is exact in size. Which row is drawn depends on the numbers
 * of rows alone, by whole numbers that every database computes alike: the same rows in the same order make the same
 * sample. The query runs once more than to count its rows, and holds no rows in memory.
 *
 * @param rows the number of rows to draw, fewer than there are
 */
function sampleOf(
  sql: string,
  columns: readonly string[],
  rowsInAll: number,
  rows: number,
  { writeOperator, nameColumns: withNames }: SampleDialect,
): string {
  const join = (operator: Operator) => (left: string | number, right: string | number) =>
    `(${left} ${writeOperator(operator)} ${right})`;
  const [plus, minus, times, over, modulo] = [join('+'), join('-'), join('*'), join('/'), join('%')];
  const names = columns.map((_, index) => `c${index}`);
  const firstOf = (run: string) => over(plus(times(run, rowsInAll), rows - 1), rows);
  const next = plus('roster_run', 1);
  const length = minus(firstOf(next), firstOf('roster_run'));
  // Squares of a multiple of the run, which is not linear, spread by a second multiplication: a number below the prime.
  const multiple = modulo(times(next, FACTOR), PRIME);
  const random = modulo(times(modulo(plus(times(multiple, multiple), SEED), PRIME), FACTOR), PRIME);
  const drawn = plus(firstOf('roster_run'), over(times(random, length), PRIME));
  const number = minus('row_number() OVER ()', 1);
  return `SELECT ${columns.map((name, index) => `c${index} AS ${quoteName(name)}`).join(', ')} FROM (
    SELECT *, ${over(times('roster_row', rows), rowsInAll)} AS roster_run FROM (
      SELECT *, ${number} AS roster_row FROM ${withNames(sql, names.join(', '))}
    ) AS roster_numbers
  ) AS roster_runs WHERE ${join('<')('roster_row', rowsInAll)} AND ${join('=')('roster_row', drawn)}`;
}
