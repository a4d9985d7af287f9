import { cutText } from 'roster-prediction/text';
import { type ProblemError, problem, unavailable } from '../problems/problem.js';
import { OutOfMemoryError, WorkerEndedError } from '../work/worker-process.js';

const MAX_SQL_BYTES = 16 * 1024;

/** The longest message of a database that is passed on, in characters. */
const MAX_MESSAGE = 300;

/**
 * Returns the problem of a query that cannot be answered. The message is for the author of the query, such as a
 * language model: it states what to do instead, and contains no address and no password.
 */
export function queryError(message: string, options?: ErrorOptions): ProblemError {
  return problem('/problems/query-failed', message, {}, {}, options);
}

/** Returns the problem of a database that may answer the same query later. */
export function databaseUnavailable(message: string, options?: ErrorOptions): ProblemError {
  return unavailable(message, 5, options);
}

/** Returns the problem of a query whose process ended before it was answered; any other error as it is. */
export function explainEnd(error: unknown, message: string): unknown {
  if (error instanceof OutOfMemoryError) return tooMuchMemory();
  return error instanceof WorkerEndedError ? databaseUnavailable(message, { cause: error }) : error;
}

/**
 * Refuses what a parser and a database may read differently: both take a NUL character as the end,
 * and a lone surrogate has no form in UTF-8.
 * @throws {ProblemError}
 */
export function refuseAmbiguousText(sql: string): void {
  if (Buffer.byteLength(sql) > MAX_SQL_BYTES) {
    throw queryError(`The statement is longer than ${MAX_SQL_BYTES} bytes; write a shorter one.`);
  }
  if (sql.includes('\0') || /\p{Surrogate}/u.test(sql)) {
    throw queryError('The statement contains a character that is not allowed; leave it out.');
  }
}

export function forbiddenTable(name: string, allowed: readonly string[]): ProblemError {
  return queryError(`The table ${shorten(name)} may not be read here; these may: ${allowed.join(', ')}.`);
}

export function missingTable(name: string): ProblemError {
  return queryError(`The database has no table ${shorten(name)}.`);
}

export function systemTable(name: string): ProblemError {
  return queryError(
    `The table ${shorten(name)} belongs to the database system, and cannot be read; take it out of the tables that queries may read.`,
  );
}

export function forbiddenFunction(name: string): ProblemError {
  return queryError(`The function ${shorten(name)} is not allowed; use another one.`);
}

export function onlyOneSelect(): ProblemError {
  return queryError('Only one SELECT statement is allowed.');
}

export function readOnly(): ProblemError {
  return queryError('Only SELECT is allowed: the database can be read and not changed.');
}

interface CellFault {
  readonly column: string;
  /** The number of the row, from 1. */
  readonly row: number;
  /** SQL for a part of the cell. */
  readonly part: string;
}

export function largeCell(cell: CellFault, bytes: number, maxBytes: number): ProblemError {
  return cellError(cell, `has ${bytes} bytes, and a cell may have ${maxBytes}`);
}

export function deepCell(cell: CellFault, maxDepth: number): ProblemError {
  return cellError(cell, `is nested deeper than ${maxDepth} levels`);
}

function cellError({ column, row, part }: CellFault, fault: string): ProblemError {
  return queryError(`The column ${shorten(column)} in row ${row} ${fault}; select a part of it, such as ${part}.`);
}

export function tooSlow(timeoutMs: number): ProblemError {
  return queryError(`The query took longer than ${timeoutMs / 1000} seconds and was cancelled; ask for less.`);
}

export const GATE_ERRORS = {
  busy: () => databaseUnavailable('Too many queries already wait for the database; ask again in a moment.'),
  late: tooSlow,
  stopped: () => databaseUnavailable('The service is stopping; ask again in a moment.'),
};

export function tooMuchMemory(): ProblemError {
  return queryError('The query needs too much memory; ask for less.');
}

/** Passes on the message of a database, from which a language model can correct its query. */
export function databaseMessage(message: string): ProblemError {
  return queryError(`The database refuses the query: ${shorten(message)}`);
}

function shorten(text: string): string {
  return cutText(text, MAX_MESSAGE);
}
