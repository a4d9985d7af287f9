import type { SqliteConnection } from '../../store/database/sqlite-connection.js';
import type { ResultLimits } from '../limits.js';
import { QueryError } from '../query-error.js';
import {
  databaseMessage,
  forbiddenTable,
  largeCell,
  missingTable,
  onlyOneSelect,
  tooMuchMemory,
} from '../refusals.js';
import { hexText, jsonNumber, type QueryResult, ResultBuilder } from '../result.js';
import { findTable, isSystemTable, lower, type SqliteTable, shadowTables } from './catalog.js';
import { openOutline } from './outline.js';
import { Guard, permissionsOf } from './permissions.js';
import type { ReadJob, SelectJob } from './sqlite-message.js';

/** The size of the lines that are handed on at once, in characters. */
const MAX_LINES = 64 * 1024;

/** The primary result codes of SQLite (https://sqlite.org/rescode.html). */
const BUSY = 5;
const NO_MEMORY = 7;

/** Spaces, semicolons and comments; a block comment may lack its end. */
const BLANKS = /[\s;]+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;

/**
 * Runs one SELECT that reads only the named tables.
 * @throws {QueryError} if the statement is refused or fails
 */
export function runSelect(
  connection: SqliteConnection,
  { tables, sql, limits }: SelectJob,
): QueryResult {
  return withSelect(connection, tables, sql, (statement) => resultOf(statement, limits));
}

/**
 * Runs one SELECT that reads only the named tables, and hands on its rows as lines of JSON arrays,
 * the names of the columns first.
 * @param write gets whole lines
 * @throws {QueryError} if the statement is refused or fails
 */
export function readSelect(
  connection: SqliteConnection,
  { tables, sql, maxCell }: ReadJob,
  write: (lines: Uint8Array) => void,
): void {
  withSelect(connection, tables, sql, (statement) => writeRows(statement, maxCell, write));
}

/** Calls back with the statement when it has passed all checks. */
function withSelect<T>(
  connection: SqliteConnection,
  names: readonly string[],
  sql: string,
  use: (statement: Statement) => T,
): T {
  if (!/^(?:select|values|with)\b/i.test(sql.slice(skipBlanks(sql, 0)))) throw onlyOneSelect();
  try {
    const allowed = names.filter((name) => !isSystemTable(connection, name));
    const tables = allowed.flatMap((name) => findTable(connection, name) ?? []);
    checkNames(connection, tables, allowed, sql);
    const guard = new Guard(connection, permissionsOf(connection, tables), allowed);
    return use(compile(connection, guard, allowed, sql));
  } catch (error) {
    throw error instanceof QueryError ? error : explained(error);
  }
}

/** @throws {QueryError} if the statement names a table that is not among the given ones */
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
    const hidden = new Set(shadowTables(outline, outlined).map(lower));
    const permissions = { ...permissionsOf(outline, outlined), hidden };
    compile(outline, new Guard(outline, permissions, names), names, sql);
  } finally {
    outline.close();
  }
}

type Statement = ReturnType<SqliteConnection['prepare']>;

/** @throws {QueryError} if there is more than one statement, or it needs what is not allowed */
function compile(
  connection: SqliteConnection,
  guard: Guard,
  names: readonly string[],
  sql: string,
): Statement {
  try {
    const statement = connection.prepare(sql);
    // SQLite compiles the first statement, and keeps its text, with values in place of parameters.
    const first = statement.expandedSQL ?? '';
    if (!sql.startsWith(first)) {
      throw new QueryError('Parameters such as ? and :name are not allowed; write the value.');
    }
    if (skipBlanks(sql, first.length) < sql.length) throw onlyOneSelect();
    return statement;
  } catch (error) {
    if (guard.refusal) throw guard.refusal;
    const missing = /^no such table: (?:main\.)?(.*)$/s.exec(messageOf(error))?.[1];
    if (missing === undefined) throw error;
    throw names.includes(missing) ? missingTable(missing) : forbiddenTable(missing, names);
  }
}

function resultOf(statement: Statement, limits: ResultLimits): QueryResult {
  const names = namesOf(statement);
  const builder = new ResultBuilder(names, limits);
  for (const row of rowsOf(statement, names, limits.maxBytes)) {
    if (!builder.add(row)) break;
  }
  return builder.result();
}

function writeRows(
  statement: Statement,
  maxCell: number,
  write: (lines: Uint8Array) => void,
): void {
  const names = namesOf(statement);
  let lines = `${JSON.stringify(names)}\n`;
  for (const row of rowsOf(statement, names, maxCell)) {
    if (lines.length >= MAX_LINES) {
      write(Buffer.from(lines));
      lines = '';
    }
    lines += `${JSON.stringify(row)}\n`;
  }
  write(Buffer.from(lines));
}

function namesOf(statement: Statement): string[] {
  return statement.columns().map(({ name }) => name);
}

/** @throws {QueryError} if a cell is too large */
function* rowsOf(
  statement: Statement,
  names: readonly string[],
  maxBytes: number,
): Generator<unknown[]> {
  let number = 0;
  for (const row of statement.iterate()) {
    number += 1;
    const cells: readonly unknown[] = row;
    yield cells.map((value, index) => {
      const bytes = bytesOf(value);
      if (bytes <= maxBytes) return jsonCell(value);
      const column = names[index] ?? '';
      const name = /^[a-z_][a-z0-9_]*$/i.test(column) ? column : 'x';
      const part = typeof value === 'string' ? `substr(${name}, 1, 1000)` : `length(${name})`;
      throw largeCell({ column, row: number, bytes, maxBytes, part });
    });
  }
}

/** The bytes of a value as text; 0 for a number. */
function bytesOf(value: unknown): number {
  if (value instanceof Uint8Array) return 2 + 2 * value.length;
  return typeof value === 'string' ? Buffer.byteLength(value) : 0;
}

/** Returns a value of SQLite as one of JSON. */
function jsonCell(value: unknown): unknown {
  if (typeof value === 'bigint') return jsonNumber(String(value));
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return value instanceof Uint8Array ? hexText(value) : value;
}

/** Returns the index of the first character from `at` on that is neither a blank nor in a comment. */
function skipBlanks(sql: string, at: number): number {
  BLANKS.lastIndex = at;
  let end = at;
  while (BLANKS.test(sql)) end = BLANKS.lastIndex;
  return end;
}

function explained(error: unknown): QueryError {
  const code = resultCode(error);
  if (code === NO_MEMORY) return tooMuchMemory();
  if (code === BUSY) return new QueryError('The database is busy; ask again in a moment.');
  return databaseMessage(messageOf(error));
}

/** Returns the primary result code: the lowest byte of an extended one. */
function resultCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
