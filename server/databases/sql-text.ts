import { QueryError } from './query-error.js';

/**
 * Refuses what a parser and a database may read differently: both take a NUL character as the end,
 * and a lone surrogate has no form in UTF-8.
 * @param maxSqlBytes the most bytes of the statement
 * @throws {QueryError}
 */
export function refuseUnreadable(sql: string, maxSqlBytes: number): void {
  if (Buffer.byteLength(sql) > maxSqlBytes) {
    throw new QueryError(`The statement is longer than ${maxSqlBytes} bytes; write a shorter one.`);
  }
  if (sql.includes('\0') || /\p{Surrogate}/u.test(sql)) {
    throw new QueryError('The statement contains a character that is not allowed; leave it out.');
  }
}
