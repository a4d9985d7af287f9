import { DatabaseUnavailableError, QueryError } from './query-error.js';

/** The longest message of a database that is passed on, in characters. */
const MAX_MESSAGE = 300;

export function forbiddenTable(name: string, allowed: readonly string[]): QueryError {
  return new QueryError(
    `The table ${shortened(name)} may not be read here; these may: ${allowed.join(', ')}.`,
  );
}

export function missingTable(name: string): QueryError {
  return new QueryError(`The database has no table ${shortened(name)}.`);
}

export function systemTable(name: string): QueryError {
  return new QueryError(
    `The table ${shortened(name)} belongs to the database system, and cannot be read; take it out of the tables that queries may read.`,
  );
}

export function forbiddenFunction(name: string): QueryError {
  return new QueryError(`The function ${shortened(name)} is not allowed; use another one.`);
}

export function onlyOneSelect(): QueryError {
  return new QueryError('Only one SELECT statement is allowed.');
}

export function readOnly(): QueryError {
  return new QueryError('Only SELECT is allowed: the database can be read and not changed.');
}

/** A cell that is too large or too deep. */
interface Cell {
  readonly column: string;
  /** The number of the row, from 1. */
  readonly row: number;
  /** SQL for a part of the cell. */
  readonly part: string;
}

export function largeCell({
  bytes,
  maxBytes,
  ...cell
}: Cell & { readonly bytes: number; readonly maxBytes: number }): QueryError {
  return new QueryError(
    `${cellName(cell)} has ${bytes} bytes, and a cell may have ${maxBytes}; select a part of it, such as ${cell.part}.`,
  );
}

export function deepCell({ maxDepth, ...cell }: Cell & { readonly maxDepth: number }): QueryError {
  return new QueryError(
    `${cellName(cell)} is nested deeper than ${maxDepth} levels; select a part of it, such as ${cell.part}.`,
  );
}

export function largeRows(): QueryError {
  return new QueryError('The rows are too large; select fewer columns, or parts of them.');
}

function cellName({ column, row }: Cell): string {
  return `The column ${shortened(column)} in row ${row}`;
}

export function tooSlow(timeoutMs: number): QueryError {
  return new QueryError(
    `The query took longer than ${timeoutMs / 1000} seconds and was cancelled; ask for less.`,
  );
}

export function tooManyQueries(): DatabaseUnavailableError {
  return new DatabaseUnavailableError(
    'Too many queries wait for the database already; ask again in a moment.',
  );
}

export function stopping(): DatabaseUnavailableError {
  return new DatabaseUnavailableError('The service is stopping; ask again in a moment.');
}

export function tooMuchMemory(): QueryError {
  return new QueryError('The query needs too much memory; ask for less.');
}

/** Passes on the message of a database, from which a language model can correct its query. */
export function databaseMessage(message: string): QueryError {
  return new QueryError(`The database refuses the query: ${shortened(message)}`);
}

function shortened(text: string): string {
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}
