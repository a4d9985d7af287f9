import { ProblemError, unavailable } from '../../problems/problem.js';
import { withoutCredentials } from './address.js';

/** The store has too much to do for the work, or knows that it would wait in vain. */
export class StoreBusyError extends ProblemError {
  constructor(detail: string) {
    super('/problems/service-unavailable', detail, {}, { 'Retry-After': '1' });
  }
}

/**
 * No connection to the database was made, whatever the reason: the network, TLS, the credentials, or a database that
 * is not there. Has the message and the code of its cause.
 */
export class StoreUnreachableError extends Error {
  readonly code: string;

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.code = errorCode(cause);
  }
}

/** No host of an address with several can be used. The message has the reason of each. */
export class NoHostError extends Error {
  /** The code of the first host that may be used again soon, or else of the first. */
  readonly code: string;

  /** @param faults the hosts, and why each cannot be used */
  constructor(faults: readonly (readonly [host: string, fault: unknown])[]) {
    const errors = faults.map(([, fault]) => fault);
    super(faults.map(([host, fault]) => `${host}: ${explainOpening(fault)}`).join('; '), {
      cause: new AggregateError(errors),
    });
    this.code = errorCode(errors.find(mayPass) ?? errors[0]);
  }
}

/** SQLite's primary result codes that the service distinguishes (https://www.sqlite.org/rescode.html). */
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

/** SQLite: locked, full, read-only, or its file out of reach. */
const SQLITE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN)$/;

/**
 * PostgreSQL: connection exceptions (08), a read-only server (25006), a transaction that waited (25P03) or took
 * (25P04) too long, a deadlock (40P01), a right to the tables that was taken away (42501), insufficient resources (53),
 * a lock (55P03) or a statement (57014) that took too long, a server that stops, crashed or starts (57P01 to 57P03), a
 * database that was dropped (57P04), a connection that was idle for too long (57P05), and a fault of its disk (58).
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const POSTGRES = /^(08...|25006|25P0[34]|40P01|42501|53...|55P03|57014|57P0[1-5]|58...)$/;

/** PostgreSQL: a lock was not had in time (55P03), a statement took too long (57014). SQLite: a lock. */
const TIMED_OUT = /^(55P03|57014|SQLITE_(BUSY|LOCKED))$/;

/**
 * The store takes no writes, while it may still be read. SQLite: its disk is full, fails or is
 * read-only. PostgreSQL: it is a replica or read-only (25006), its disk is full (53100) or fails (58030).
 */
const UNWRITABLE = /^(SQLITE_(FULL|IOERR|READONLY|CANTOPEN)|25006|53100|58030)$/;

/** The network between us and the database. */
const NETWORK =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN)$/;

/** Messages of PostgreSQL's driver for a lost connection and an exhausted pool, which have no code. */
const DRIVER =
  /^(Connection terminated|timeout exceeded when trying to connect|Client (has encountered a connection error|was closed) and is not queryable)/;

/** Returns whether an error says that the store cannot work now: it is busy, locked, full, read-only or not there. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof StoreUnreachableError || mayPass(error);
}

/** Returns whether an error is one of a store that cannot work now, and that often passes without an operator. */
export function mayPass(error: unknown): boolean {
  if (error instanceof StoreBusyError) return true;
  if (!(error instanceof Error)) return false;
  const code = errorCode(error);
  return [SQLITE, POSTGRES, NETWORK].some((codes) => codes.test(code)) || DRIVER.test(error.message);
}

/** Returns whether an error says that the database answers too late: something is locked, or it is overloaded. */
export function isTimeout(error: unknown): boolean {
  return error instanceof StoreBusyError || TIMED_OUT.test(errorCode(error));
}

/** Returns whether an error says that the store takes no writes: its disk is full or read-only, or it is a replica. */
export function isUnwritable(error: unknown): boolean {
  return UNWRITABLE.test(errorCode(error));
}

/** Returns whether PostgreSQL takes no writes: it is a replica, or read-only (read_only_sql_transaction). */
export function isReadOnly(error: unknown): boolean {
  return errorCode(error) === '25006';
}

/** Returns whether another connection to SQLite has the lock that a statement needs. */
export function isLocked(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)$/.test(errorCode(error));
}

/** Returns whether all connections of a pool were in use for too long. */
export function isPoolExhausted(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}

/** Returns whether PostgreSQL gave up waiting for a lock (lock_not_available). */
export function isLockTimeout(error: unknown): boolean {
  return errorCode(error) === '55P03';
}

/** Returns the problem of a store that cannot take the request now; undefined for other errors. */
export function storeProblem(error: unknown): ProblemError | undefined {
  if (error instanceof ProblemError) return error;
  if (!isUnavailable(error)) return undefined;
  const detail = 'The store cannot take the request now; try again in a moment.';
  return unavailable(detail, 1, { cause: error });
}

/** Returns the error of a store that cannot be opened. Its message shows no credentials. */
export function openingError(url: string, cause: unknown): Error {
  const store = `the store ${withoutCredentials(url)} (DATABASE_URL)`;
  return new Error(`${store} cannot be opened: ${explainOpening(cause)}`, { cause });
}

/** Returns why a database cannot be opened. A host that is unreachable at all addresses has no message. */
export function explainOpening(error: unknown): string {
  if (error instanceof StoreUnreachableError) return explainOpening(error.cause);
  if (!(error instanceof Error)) return String(error);
  if (error instanceof NoHostError) return error.message;
  const code = errorCode(error) || error.name;
  return OPENING_ERRORS[code] ?? (error.message || code);
}

const OPENING_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused; is PostgreSQL running there?',
  ENOTFOUND: 'the host is not known; is its name right?',
  ETIMEDOUT: 'the host does not answer; is its name right, and does a firewall let the service through?',
  // read_only_sql_transaction
  '25006': 'it is read-only; name the primary server, not a replica',
  // invalid_authorization_specification, invalid_password
  '28000': 'PostgreSQL refuses the user; may the role log in, from this host and to this database?',
  '28P01': 'PostgreSQL refuses the user or the password',
  // invalid_catalog_name
  '3D000': 'the database does not exist; make it with createdb',
  // insufficient_privilege
  '42501': 'its user lacks a right; it needs CREATE on the schema, and all rights to the tables of the service',
  EACCES: 'permission denied; let the user who runs Roster read and write the file and its folder',
  EROFS: 'its file system is read-only',
  SQLITE_READONLY: 'it is read-only; let the user who runs Roster write to it',
  SQLITE_CANTOPEN: 'unable to open database file; is its folder there, and may Roster write to it?',
  SQLITE_BUSY: 'another program locks it; open it again when that is done',
};
