import type { DuckDBDataChunk, DuckDBResult } from '@duckdb/node-api';
import { ProblemError } from '../../problems/problem.js';
import { type JobOutput, serveJobs } from '../../work/serve-jobs.js';
import { AGGREGATES, aggregateRows } from '../aggregate.js';
import {
  type Aggregation,
  collectRows,
  type Query,
  quoteName,
  type SampleSize,
  type TableDescription,
} from '../driver.js';
import { readJsonCell } from '../json-cell.js';
import { LinePieces } from '../line-pieces.js';
import { exampleName, splitName } from '../names.js';
import { databaseUnavailable, largeCell, missingTable, onlyOneSelect, tooMuchMemory } from '../query-error.js';
import { countOf, nameColumns, planSample, type Sample, type SampleDialect } from '../sample.js';
import { NO_ROWS, type WorkerAnswer } from '../worker-driver.js';
import { answerCell, isNested, tableCell } from './cells.js';
import type { DuckdbJob } from './duckdb-driver.js';
import { checkSelect, explainMessage } from './guard.js';
import { DuckdbMissingError, loadDuckdb } from './load-duckdb.js';
import { firstLines, OpenDatabase } from './open-database.js';

/** Sums of inexact numbers are compensated: the order in which threads add the rows changes the last bit at most. */
const INEXACT = { sum: 'fsum', mean: 'favg' } as const satisfies Record<Aggregation['method'], string>;

const DIALECT: SampleDialect = { writeOperator: (operator) => (operator === '/' ? '//' : operator), nameColumns };

/** Runs in a separate process: reads files with DuckDB, for queries that may be hostile. */
await serveJobs(readFiles);

async function readFiles(job: DuckdbJob, _input: AsyncIterable<Uint8Array>, output: JobOutput): Promise<WorkerAnswer> {
  const database = await OpenDatabase.open(load(job.name), job);
  try {
    if (job.query === undefined) return { tables: await describe(database, job.tables), result: NO_ROWS };
    const write = job.isStream ? (lines: Uint8Array) => output.data(lines) : undefined;
    return { tables: [], ...(await runSelect(database, job.query, write)) };
  } finally {
    database.close();
  }
}

function load(name: string) {
  try {
    return loadDuckdb();
  } catch (cause) {
    if (!(cause instanceof DuckdbMissingError)) throw cause;
    throw databaseUnavailable(`The database ${name} cannot be read: ${cause.message}.`, { cause });
  }
}

/** @throws {ProblemError} if the database lacks a table */
async function describe(database: OpenDatabase, tables: readonly string[]): Promise<TableDescription[]> {
  const found = await database.expose(tables);
  const missing = tables.find((name) => !found.has(name));
  if (missing !== undefined) throw missingTable(missing);
  const described: TableDescription[] = [];
  for (const name of tables) {
    const { schema, table } = splitName(name);
    const from = [schema ?? 'main', table].map(quoteName).join('.');
    described.push({ name, columns: await readColumns(database, `SELECT * FROM ${from}`) });
  }
  return described;
}

interface Column {
  readonly name: string;
  readonly type: string;
}

/** Returns the columns of a query, which does not run. */
async function readColumns({ connection }: OpenDatabase, sql: string): Promise<Column[]> {
  const statement = await connection.prepare(sql);
  try {
    return Array.from({ length: statement.columnCount }, (_, index) => {
      const type = statement.columnType(index);
      // JSON is a text by another name.
      return { name: statement.columnName(index), type: type.alias ?? String(type) };
    });
  } finally {
    statement.destroySync();
  }
}

/**
 * Runs one SELECT that reads only the named tables.
 * @param write gets the rows, as whole lines of JSON arrays, the names of the columns first
 * @returns the first rows, none if `write` gets them; and the number of all rows, if it gets a sample of them
 * @throws {ProblemError} if the statement is refused or fails
 */
async function runSelect(
  database: OpenDatabase,
  { tables, sql, limits, sample, aggregation }: Query,
  write?: (lines: Uint8Array) => void,
): Promise<Pick<WorkerAnswer, 'result' | 'rowsInAll'>> {
  try {
    const read = checkSelect(await database.parse(sql), tables);
    const found = await database.expose([...read]);
    const missing = [...read].find((name) => !found.has(name));
    if (missing !== undefined) throw missingTable(missing);
    const asked = await trimEnd(database, sql, tables);
    const inner = aggregation ? aggregate(asked, await readColumns(database, asked), aggregation) : asked;
    const columns = await readColumns(database, inner);
    const toCell = write ? tableCell : answerCell;
    const drawn = write && sample && (await drawSample(database, inner, columns, sample));
    const rows = drawn ? drawn.sql : inner;
    const statement = wrap(rows, columns, toCell, write ? '' : ` LIMIT ${limits.maxRows + 1}`);
    // The query is checked as a whole, too.
    checkSelect(await database.parse(statement), tables);
    const result = await database.connection.stream(statement);
    if (!write) return { result: await collectRows(readRows(result, columns, limits), limits) };
    await writeRows(result, columns, limits.maxCellBytes, write);
    return { result: NO_ROWS, ...(drawn && { rowsInAll: drawn.rowsInAll }) };
  } catch (error) {
    throw error instanceof ProblemError ? error : explain(database, error);
  }
}

function aggregate(sql: string, columns: readonly Column[], aggregation: Aggregation): string {
  const { method, target } = aggregation;
  const column = columns.find(({ name }) => name.toLowerCase() === target.toLowerCase());
  const functions = column?.type === 'DOUBLE' || column?.type === 'FLOAT' ? INEXACT : AGGREGATES;
  return aggregateRows(sql, aggregation, `${functions[method]}(${quoteName(target)})`);
}

/** Returns a statement without the semicolons after it, so that it can stand in parentheses. */
async function trimEnd(database: OpenDatabase, sql: string, tables: readonly string[]): Promise<string> {
  let text = sql.trimEnd();
  while (text.endsWith(';')) text = text.slice(0, -1).trimEnd();
  // A comment after a semicolon, or what would end the parentheses.
  const { error } = asParsed(await database.parse(`SELECT * FROM (${text}\n)`));
  if (error) throw onlyOneSelect();
  checkSelect(await database.parse(text), tables);
  return text;
}

function asParsed(parsed: unknown): { readonly error: boolean } {
  return { error: typeof parsed === 'object' && parsed !== null && 'error' in parsed && parsed.error === true };
}

/**
 * Counts the rows of a query, and draws a sample if they are too many.
 * @returns undefined if all of them fit
 */
async function drawSample(
  { connection }: OpenDatabase,
  sql: string,
  columns: readonly Column[],
  size: SampleSize,
): Promise<Sample | undefined> {
  const counted = await connection.run(countOf(sql));
  const [[count] = []] = await counted.getRowsJson();
  const names = columns.map(({ name }) => name);
  return planSample(sql, names, Number(count), size, DIALECT);
}

/** Makes of each row of a statement a text: a JSON array of its cells. */
function wrap(
  sql: string,
  columns: readonly Column[],
  toCell: (column: string, type: string) => string,
  end: string,
): string {
  const names = columns.map((_, index) => `c${index}`);
  const cells = columns.map(({ type }, index) => toCell(`c${index}`, type));
  return `SELECT json_array(${cells.join(', ')})::VARCHAR FROM (${sql}\n) AS roster_rows(${names.join(', ')})${end}`;
}

/** Yields the names of the columns, then the cells of each row. */
async function* readRows(
  result: DuckDBResult,
  columns: readonly Column[],
  { maxCellBytes }: Query['limits'],
): AsyncGenerator<unknown[]> {
  yield columns.map(({ name }) => name);
  let row = 0;
  for await (const chunk of readChunks(result)) {
    for (const line of readLines(chunk)) {
      row += 1;
      limitCells(line, columns, row, maxCellBytes);
      const cells: unknown[] = JSON.parse(line);
      yield cells.map((cell, index) => {
        const { name = '', type = '' } = columns[index] ?? {};
        if (typeof cell !== 'string' || !isNested(type)) return cell;
        return readNested(cell, { column: name, row, part: `${exampleName(name)}::VARCHAR[1:1000]` });
      });
    }
  }
}

/** Values of JSON in which there is no JSON, such as NaN, stay text. */
function readNested(text: string, cell: Parameters<typeof readJsonCell>[1]): unknown {
  try {
    return readJsonCell(text, cell);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

async function writeRows(
  result: DuckDBResult,
  columns: readonly Column[],
  maxCellBytes: number,
  write: (lines: Uint8Array) => void,
): Promise<void> {
  const pieces = new LinePieces(write);
  pieces.add(JSON.stringify(columns.map(({ name }) => name)));
  let row = 0;
  for await (const chunk of readChunks(result)) {
    for (const line of readLines(chunk)) {
      row += 1;
      limitCells(line, columns, row, maxCellBytes);
      pieces.add(line);
    }
  }
  pieces.flush();
}

async function* readChunks(result: DuckDBResult): AsyncGenerator<DuckDBDataChunk> {
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    yield chunk;
  }
}

/** Yields the rows of a chunk, one by one: a chunk has up to 2,048, and the vector would keep all that it has read. */
function* readLines(chunk: DuckDBDataChunk): Generator<string> {
  const lines = chunk.getColumnVector(0);
  for (let index = 0; index < chunk.rowCount; index++) yield String(lines.slice(index, 1).getItem(0));
}

/** The most bytes of a character in UTF-8. */
const MAX_BYTES = 3;

/** @throws {ProblemError} if a cell of a row is too large */
function limitCells(line: string, columns: readonly Column[], row: number, maxBytes: number): void {
  if (line.length * MAX_BYTES <= maxBytes) return;
  const cells: unknown[] = JSON.parse(line);
  for (const [index, cell] of cells.entries()) {
    const bytes = typeof cell === 'string' ? Buffer.byteLength(cell) : 0;
    if (bytes <= maxBytes) continue;
    const column = columns[index]?.name ?? '';
    throw largeCell({ column, row, part: `${exampleName(column)}::VARCHAR[1:1000]` }, bytes, maxBytes);
  }
}

function explain(database: OpenDatabase, error: unknown): ProblemError {
  const message = firstLines(error);
  return message.startsWith('Out of Memory Error') ? tooMuchMemory() : explainMessage(database.hidePaths(message));
}
