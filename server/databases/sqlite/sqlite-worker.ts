import { ProblemError } from '../../problems/problem.js';
import { showText } from '../../problems/shown-text.js';
import type { SqliteConnection } from '../../store/database/sqlite-connection.js';
import { type JobOutput, serveJobs } from '../../work/serve-jobs.js';
import { AGGREGATES, aggregateRows } from '../aggregate.js';
import { type Aggregation, collectRows, type Query, quoteName, type SampleSize, toJsonNumber } from '../driver.js';
import { LinePieces } from '../line-pieces.js';
import { exampleName, toLowerAscii } from '../names.js';
import {
  databaseMessage,
  databaseUnavailable,
  forbiddenTable,
  largeCell,
  missingTable,
  onlyOneSelect,
  queryError,
  tooMuchMemory,
} from '../query-error.js';
import { countOf, planSample, type Sample, type SampleDialect } from '../sample.js';
import { NO_ROWS, type WorkerAnswer } from '../worker-driver.js';
import {
  describeTable,
  findTable,
  Guard,
  getPermissions,
  isSystemTable,
  listShadowTables,
  openOutline,
  openReadOnly,
  type SqliteTable,
} from './guard.js';
import type { SqliteJob } from './sqlite-driver.js';

/** The primary result codes of SQLite (https://sqlite.org/rescode.html). */
const BUSY = 5;
const NO_MEMORY = 7;

/** Spaces, semicolons and comments; a block comment may lack its end. */
const BLANKS = /[\s;]+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;

/** The longest text in a message, in characters. */
const MAX_SHOWN = 100;

const DIALECT: SampleDialect = {
  writeOperator: (operator) => operator,
  // A table in FROM has no list of columns here.
  nameColumns: (sql, names) => `(WITH roster_rows(${names}) AS (${sql}\n) SELECT * FROM roster_rows)`,
};

/** Runs in a separate process: reads SQLite files for queries that may be hostile. */
await serveJobs(readFile);

async function readFile(
  { name, path, tables, query, isStream }: SqliteJob,
  _input: AsyncIterable<Uint8Array>,
  output: JobOutput,
): Promise<WorkerAnswer> {
  const connection = open(name, path);
  try {
    // The runs of a query that is sampled read the same state of the file.
    if (isStream) connection.exec('begin');
    const write = isStream ? (lines: Uint8Array) => output.data(lines) : undefined;
    return query
      ? { tables: [], ...(await runSelect(connection, query, write)) }
      : { tables: tables.map((table) => describeTable(connection, table)), result: NO_ROWS };
  } finally {
    connection.close();
  }
}

function open(name: string, path: string): SqliteConnection {
  try {
    return openReadOnly(path);
  } catch (cause) {
    const message = `The database ${name} cannot be opened; its operator must repair it.`;
    throw databaseUnavailable(message, { cause });
  }
}

/**
 * Runs one SELECT that reads only the named tables.
 * @param write gets the rows, as whole lines of JSON arrays, the names of the columns first
 * @returns the first rows, none if `write` gets them; and the number of all rows, if it gets a sample of them
 * @throws {ProblemError} if the statement is refused or fails
 */
async function runSelect(
  connection: SqliteConnection,
  { tables: names, sql, limits, sample, aggregation }: Query,
  write?: (lines: Uint8Array) => void,
): Promise<Pick<WorkerAnswer, 'result' | 'rowsInAll'>> {
  if (!/^(?:select|values|with)\b/i.test(sql.slice(skipBlanks(sql, 0)))) throw onlyOneSelect();
  try {
    const allowed = names.filter((name) => !isSystemTable(connection, name));
    const tables = allowed.flatMap((name) => findTable(connection, name) ?? []);
    checkNames(connection, tables, allowed, sql);
    const guard = new Guard(connection, getPermissions(connection, tables), allowed);
    const statement = compile(connection, guard, allowed, sql);
    if (!write) return { result: await collectRows(readRows(statement, limits.maxCellBytes), limits) };
    const read = aggregation ? connection.prepare(aggregate(statement, aggregation)) : statement;
    const drawn = sample && drawSample(connection, read, sample);
    const rows = readRows(drawn ? connection.prepare(drawn.sql) : read, limits.maxCellBytes);
    writeRows(aggregation ? refuseTexts(rows, aggregation) : rows, write);
    return { result: NO_ROWS, ...(drawn && { rowsInAll: drawn.rowsInAll }) };
  } catch (error) {
    throw error instanceof ProblemError ? error : explain(error);
  }
}

/** @throws {ProblemError} if the statement names a table that is not among the given ones */
function checkNames(
  connection: SqliteConnection,
  tables: readonly SqliteTable[],
  names: readonly string[],
  sql: string,
): void {
  const outline = openOutline(connection, tables);
  try {
    const outlined = tables.map((table) => ({ ...table, isView: false }));
    // Virtual tables read these when a statement runs; nothing runs in the outline.
    const hidden = new Set(listShadowTables(outline, outlined).map(toLowerAscii));
    const permissions = { ...getPermissions(outline, outlined), hidden };
    compile(outline, new Guard(outline, permissions, names), names, sql);
  } finally {
    outline.close();
  }
}

type Statement = ReturnType<SqliteConnection['prepare']>;

/** @throws {ProblemError} if there is more than one statement, or it needs what is not allowed */
function compile(connection: SqliteConnection, guard: Guard, names: readonly string[], sql: string): Statement {
  try {
    const statement = connection.prepare(sql);
    // SQLite compiles the first statement, and keeps its text, with values in place of parameters.
    const first = statement.expandedSQL ?? '';
    if (!sql.startsWith(first)) {
      throw queryError('Parameters such as ? and :name are not allowed; write the value.');
    }
    if (skipBlanks(sql, first.length) < sql.length) throw onlyOneSelect();
    return statement;
  } catch (error) {
    if (guard.refusal) throw guard.refusal;
    const missing = /^no such table: (?:main\.)?(.*)$/s.exec(readMessage(error))?.[1];
    if (missing === undefined) throw error;
    throw names.includes(missing) ? missingTable(missing) : forbiddenTable(missing, names);
  }
}

/**
 * Aggregates the rows of a statement that was compiled. A target with a text or bytes, which SQLite would sum as 0 or as
 * the number at its beginning, becomes the greatest of them.
 */
function aggregate({ expandedSQL }: Statement, aggregation: Aggregation): string {
  const target = quoteName(aggregation.target);
  const text = `max(${target}) FILTER (WHERE typeof(${target}) IN ('text', 'blob'))`;
  const value = `coalesce(${text}, ${AGGREGATES[aggregation.method]}(${target}))`;
  return aggregateRows(withoutEnd(expandedSQL), aggregation, value);
}

function withoutEnd(sql = ''): string {
  return sql.replace(/;$/, '');
}

/**
 * Counts the rows of a statement that was compiled, and draws a sample if they are too many.
 * @returns undefined if all of them fit
 */
function drawSample(connection: SqliteConnection, statement: Statement, size: SampleSize): Sample | undefined {
  const sql = withoutEnd(statement.expandedSQL);
  const [[count] = []]: readonly (readonly unknown[])[] = connection.prepare(countOf(sql)).all();
  const names = statement.columns().map(({ name }) => name);
  return planSample(sql, names, Number(count), size, DIALECT);
}

/** @throws {ProblemError} if a target, the last cell of each row, is no number */
function* refuseTexts(rows: Iterable<readonly unknown[]>, { target }: Aggregation): Generator<readonly unknown[]> {
  let isHeader = true;
  for (const row of rows) {
    const value = row.at(-1);
    if (!isHeader && typeof value === 'string') {
      throw queryError(
        `The column ${JSON.stringify(showText(target, MAX_SHOWN))} cannot be aggregated, since it has the text ${JSON.stringify(showText(value, MAX_SHOWN))}. Leave such rows out in the query, or cast them to numbers.`,
      );
    }
    isHeader = false;
    yield row;
  }
}

function writeRows(rows: Iterable<readonly unknown[]>, write: (lines: Uint8Array) => void): void {
  const pieces = new LinePieces(write);
  for (const row of rows) pieces.add(JSON.stringify(row));
  pieces.flush();
}

/** Yields the names of the columns, then the cells of each row. */
function* readRows(statement: Statement, maxBytes: number): Generator<unknown[]> {
  const names = statement.columns().map(({ name }) => name);
  yield names;
  let number = 0;
  for (const row of statement.iterate()) {
    number += 1;
    const cells: readonly unknown[] = row;
    yield cells.map((value, index) => {
      const bytes = countBytes(value);
      if (bytes <= maxBytes) return toJsonCell(value);
      const column = names[index] ?? '';
      const name = exampleName(column);
      const part = typeof value === 'string' ? `substr(${name}, 1, 1000)` : `length(${name})`;
      throw largeCell({ column, row: number, part }, bytes, maxBytes);
    });
  }
}

/** The bytes of a value as text; 0 for a number. */
function countBytes(value: unknown): number {
  if (value instanceof Uint8Array) return 2 + 2 * value.length;
  return typeof value === 'string' ? Buffer.byteLength(value) : 0;
}

function toJsonCell(value: unknown): unknown {
  if (typeof value === 'bigint') return toJsonNumber(String(value));
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  // As PostgreSQL writes bytes.
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value;
}

/** Returns the index of the first character from `at` on that is neither a blank nor in a comment. */
function skipBlanks(sql: string, at: number): number {
  BLANKS.lastIndex = at;
  let end = at;
  while (BLANKS.test(sql)) end = BLANKS.lastIndex;
  return end;
}

function explain(error: unknown): ProblemError {
  // The primary result code is the lowest byte of an extended one.
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
  if (code === NO_MEMORY) return tooMuchMemory();
  if (code === BUSY) return queryError('The database is busy; ask again in a moment.');
  return databaseMessage(readMessage(error));
}

function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
