/** Another seed would draw other rows. */
const SEED = 20_261_130;

/**
 * Returns a query that draws a sample of the rows of another one, in their order. The rows are cut into as many runs of
 * equal length as the sample has rows, and of each run one row is drawn at random. So every row has the same chance, all
 * times of an ordered query have their share, and the sample is exact in size. Which row is drawn depends on the numbers
 * of rows alone: the same rows in the same order make the same sample, whatever the number of threads. The cost is one
 * pass, and no memory: DuckDB's own reservoir holds the sample, and counts nothing.
 *
 * @param columns the number of its columns
 * @param rowsInAll the number of its rows
 * @param rows the number of rows to draw, fewer than there are
 */
export function sampleOf(sql: string, columns: number, rowsInAll: number, rows: number): string {
  const names = Array.from({ length: columns }, (_, index) => `c${index}`).join(', ');
  const firstOf = (run: string) => `((${run}) * ${rowsInAll} + ${rows - 1}) // ${rows}`;
  const length = `(${firstOf('roster_run + 1')} - ${firstOf('roster_run')})`;
  return `SELECT ${names} FROM (
    SELECT *, roster_row * ${rows} // ${rowsInAll} AS roster_run FROM (
      SELECT *, row_number() OVER () - 1 AS roster_row FROM (${sql}\n) AS roster_rows(${names})
    )
  ) WHERE roster_row < ${rowsInAll}
    AND roster_row = ${firstOf('roster_run')} + (hash(roster_run, ${SEED}) >> 1)::BIGINT % ${length}`;
}
