import { DatabaseSync, type SqliteConnection } from '../../store/database/sqlite-connection.js';

/** The largest string, blob or row that SQLite makes, in bytes. */
const MAX_VALUE = 1024 * 1024;

/** The longest wait for a lock, in milliseconds. Writers lock a file for moments. */
const LOCK_TIMEOUT_MS = 2_000;

const LIMITS = {
  length: MAX_VALUE,
  exprDepth: 200,
  compoundSelect: 50,
  vdbeOp: 100_000,
  attach: 0,
  likePatternLength: 1_000,
  triggerDepth: 0,
};

/**
 * Opens a file of SQLite for hostile SQL, as https://sqlite.org/security.html recommends. Rows are
 * arrays, and integers are bigints.
 * @param path the file, or `:memory:` for a database that can be written
 * @throws if the file does not exist or is not a database
 */
export function openReadOnly(path: string): SqliteConnection {
  const isFile = path !== ':memory:';
  const connection = new DatabaseSync(path, {
    readOnly: isFile,
    returnArrays: true,
    readBigInts: true,
    defensive: true,
    allowExtension: false,
    enableDoubleQuotedStringLiterals: false,
    timeout: LOCK_TIMEOUT_MS,
    limits: LIMITS,
  });
  try {
    connection.exec(`
      pragma trusted_schema = OFF;
      pragma temp_store = MEMORY;
      pragma query_only = ${isFile ? 'ON' : 'OFF'};
    `);
    connection.prepare('select count(*) from sqlite_schema').get();
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
