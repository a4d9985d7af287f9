/** SQLite: locked, full, read-only, damaged, or its file out of reach (https://www.sqlite.org/rescode.html). */
const SQLITE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB)/;

/**
 * PostgreSQL: connection exceptions (08), a read-only server (25006), a transaction that waited too long
 * (25P03), a deadlock (40P01), insufficient resources (53), a lock (55P03) or a statement (57014) that took
 * too long, and a server that stops, crashed or starts (57P01 to 57P03).
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const POSTGRES = /^(08...|25006|25P03|40P01|53...|55P03|57014|57P0[1-3])$/;

/** The network between us and the database. */
const NETWORK =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN)$/;

/** What the driver of PostgreSQL says of a lost connection, and of a pool that has none to give: without a code. */
const DRIVER =
  /^(Connection terminated|timeout exceeded when trying to connect|Client (has encountered a connection error|was closed) and is not queryable)/;

/** Whether an error says that the store cannot do its work now: it is locked, full, read-only or out of reach. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return (
    [SQLITE, POSTGRES, NETWORK].some((codes) => codes.test(code)) || DRIVER.test(error.message)
  );
}
