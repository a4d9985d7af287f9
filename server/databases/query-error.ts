import { ProblemError, type ProblemType } from '../problems/problem.js';

/** The most bytes of a statement. */
const MAX_SQL_BYTES = 16 * 1024;

/** The longest message of a database that is passed on, in characters. */
const MAX_MESSAGE = 300;

/**
 * A query that cannot be answered. The message is for the one who wrote the query, such as a language
 * model: it states what to do instead, and contains no address and no password.
 */
export class QueryError extends ProblemError {
  constructor(
    message: string,
    options?: ErrorOptions,
    type: ProblemType = '/problems/query-failed',
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(type, message, {}, headers, options);
  }
}

/** A database that answers no query now. The same query may be answered later. */
export class DatabaseUnavailableError extends QueryError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options, '/problems/service-unavailable', { 'Retry-After': '5' });
  }
}

/**
 * Refuses what a parser and a database may read differently: both take a NUL character as the end,
 * and a lone surrogate has no form in UTF-8.
 * @throws {QueryError}
 */
export function refuseAmbiguousText(sql: string): void {
  if (Buffer.byteLength(sql) > MAX_SQL_BYTES) {
    throw new QueryError(
      `The statement is longer than ${MAX_SQL_BYTES} bytes; write a shorter one.`,
    );
  }
  if (sql.includes('\0') || /\p{Surrogate}/u.test(sql)) {
    throw new QueryError('The statement contains a character that is not allowed; leave it out.');
  }
}

export function forbiddenTable(name: string, allowed: readonly string[]): QueryError {
  return new QueryError(
    `The table ${truncate(name)} may not be read here; these may: ${allowed.join(', ')}.`,
  );
}

export function missingTable(name: string): QueryError {
  return new QueryError(`The database has no table ${truncate(name)}.`);
}

export function systemTable(name: string): QueryError {
  return new QueryError(
    `The table ${truncate(name)} belongs to the database system, and cannot be read; take it out of the tables that queries may read.`,
  );
}

export function forbiddenFunction(name: string): QueryError {
  return new QueryError(`The function ${truncate(name)} is not allowed; use another one.`);
}

export function onlyOneSelect(): QueryError {
  return new QueryError('Only one SELECT statement is allowed.');
}

export function readOnly(): QueryError {
  return new QueryError('Only SELECT is allowed: the database can be read and not changed.');
}

/** A cell that is too large or too deep. */
interface CellFault {
  readonly column: string;
  /** The number of the row, from 1. */
  readonly row: number;
  /** SQL for a part of the cell. */
  readonly part: string;
}

export function largeCell(cell: CellFault, bytes: number, maxBytes: number): QueryError {
  return cellError(cell, `has ${bytes} bytes, and a cell may have ${maxBytes}`);
}

export function deepCell(cell: CellFault, maxDepth: number): QueryError {
  return cellError(cell, `is nested deeper than ${maxDepth} levels`);
}

function cellError({ column, row, part }: CellFault, fault: string): QueryError {
  return new QueryError(
    `The column ${truncate(column)} in row ${row} ${fault}; select a part of it, such as ${part}.`,
  );
}

export function tooSlow(timeoutMs: number): QueryError {
  return new QueryError(
    `The query took longer than ${timeoutMs / 1000} seconds and was cancelled; ask for less.`,
  );
}

/** The errors of a gate. */
export const GATE_ERRORS = {
  busy: () =>
    new DatabaseUnavailableError(
      'Too many queries wait for the database already; ask again in a moment.',
    ),
  late: tooSlow,
  stopped: () => new DatabaseUnavailableError('The service is stopping; ask again in a moment.'),
};

export function tooMuchMemory(): QueryError {
  return new QueryError('The query needs too much memory; ask for less.');
}

/** Passes on the message of a database, from which a language model can correct its query. */
export function databaseMessage(message: string): QueryError {
  return new QueryError(`The database refuses the query: ${truncate(message)}`);
}

function truncate(text: string): string {
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}
