/** SQLite's primary result codes that the service tells apart (https://www.sqlite.org/rescode.html). */
const SQLITE_CODES: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
};

/**
 * Returns the code of a database's error: SQLite's primary result code by its name, or what the driver of PostgreSQL
 * or the network gives. Returns an empty text if there is none.
 */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('errcode' in error && typeof error.errcode === 'number') {
    // The upper bits say more of the same, such as which read failed.
    return SQLITE_CODES[error.errcode & 0xff] ?? '';
  }
  return 'code' in error ? String(error.code) : '';
}
