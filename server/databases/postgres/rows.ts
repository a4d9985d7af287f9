import { type CustomTypesConfig, type FieldDef, type PoolClient, Query, type QueryArrayConfig } from 'pg';
import type { ProblemError } from '../../problems/problem.js';
import { toJsonNumber } from '../driver.js';
import { readJsonCell } from '../json-cell.js';
import { largeCell, queryError } from '../query-error.js';
import type { ResolvedSelect } from './resolve-names.js';

export interface FetchedRows {
  readonly columns: readonly FieldDef[];
  /** The cells, as PostgreSQL writes them. */
  readonly rows: readonly (readonly (string | null)[])[];
}

/**
 * The rows that are fetched first, and the most that are fetched at once. Few, since they may be much
 * larger than those before, and what is received at once is bounded.
 */
const FIRST_ROWS = 8;
const MAX_ROWS = 250;

/** The bytes of a fetch, towards which the number of its rows is chosen. */
const FETCHED_BYTES = 128 * 1024;

const CURSOR = 'roster_query';

/**
 * Returns the rows of a SELECT as they are pulled, the columns first, even without rows.
 * @throws {ProblemError} if a cell or what is fetched at once is too large, after the rows before it
 * @throws {DatabaseError}
 */
export async function* fetchRows(
  client: PoolClient,
  select: ResolvedSelect,
  received: ReceivedLimits,
  limits: RowLimits,
): AsyncGenerator<FetchedRows> {
  await declareCursor(client, select);
  received.begin(limits);
  for (let count = FIRST_ROWS; ; ) {
    const before = received.rows;
    const fetched = await fetchSome(client, count);
    const error = received.error ?? fetched.error;
    // A row that is too large may have arrived as a whole.
    const rows = received.error ? fetched.rows.slice(0, received.rows - before - 1) : fetched.rows;
    const bytesOfRow = received.bytes / rows.length;
    received.bytes = 0;
    if (error === undefined || rows.length > 0) yield { columns: fetched.columns, rows };
    if (error !== undefined) throw error;
    if (rows.length < count) return;
    count = Math.min(MAX_ROWS, Math.max(1, Math.floor(FETCHED_BYTES / bytesOfRow)));
  }
}

/** Lets PostgreSQL analyse and plan the statement: names get their meaning here, once. */
async function declareCursor(client: PoolClient, { sql, searchPath }: ResolvedSelect): Promise<void> {
  const before = searchPath === undefined ? undefined : await setSearchPath(client, searchPath);
  // In the extended protocol, PostgreSQL itself takes one statement only.
  const text = `declare ${CURSOR} no scroll cursor for ${sql}`;
  const declaration = { text, queryMode: 'extended' };
  await client.query(declaration);
  // Functions that views call find their tables by the connection's own path.
  if (before !== undefined) await setSearchPath(client, before);
}

/** Closes the cursor of the rows that were fetched, so that another one can open. */
export async function closeCursor(client: PoolClient): Promise<void> {
  await client.query(`close ${CURSOR}`);
}

async function setSearchPath(client: PoolClient, path: string): Promise<string> {
  const { rows } = await client.query(
    `with before as materialized (select pg_catalog.current_setting('search_path') as path)
     select path, pg_catalog.set_config('search_path', $1, true) from before`,
    [path],
  );
  return String(rows[0]?.path);
}

/** Fetches rows. If that fails, returns the rows before the failure, and its error. */
function fetchSome(client: PoolClient, count: number): Promise<FetchedRows & { readonly error?: Error }> {
  const fetch: QueryArrayConfig = { text: `fetch forward ${count} from ${CURSOR}`, rowMode: 'array', types: RAW_CELLS };
  const query = new Query(fetch);
  const rows: (string | null)[][] = [];
  let columns: readonly FieldDef[] = [];
  return new Promise((resolve) => {
    query.on('row', (row, result) => {
      columns = result?.fields ?? columns;
      rows.push(row);
    });
    query.on('end', ({ fields }) => resolve({ columns: fields, rows }));
    query.on('error', (error) => resolve({ columns, rows, error }));
    client.query(query);
  });
}

interface RowLimits {
  readonly maxCellBytes: number;
  /** The most bytes that are received before they are taken. */
  readonly maxReceivedBytes: number;
}

/** The catalog has texts that people write, such as names of columns. */
const CATALOG_LIMITS: RowLimits = { maxCellBytes: 1024 * 1024, maxReceivedBytes: 4 * 1024 * 1024 };

/** The type of a message with a row (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const DATA_ROW = 'D'.charCodeAt(0);

/** The bytes before a message: its type, and its length without the type. */
const HEAD = 5;

/**
 * Breaks a connection to PostgreSQL when it begins to receive a cell that is too large, or too many bytes at once. A
 * cell may have a gigabyte, which the driver would collect before it returns any of it.
 */
export class ReceivedLimits {
  error: ProblemError | undefined;
  /** The bytes since they were last set to 0. */
  bytes = 0;
  /** The rows that have begun to arrive since the limits apply. */
  rows = 0;
  #limits = CATALOG_LIMITS;
  #fields: readonly FieldDef[] = [];
  readonly #messages = this.#readMessages();
  /** The bytes to skip before `#number`, a number that may arrive in pieces. */
  #skipped = 0;
  readonly #number = Buffer.alloc(HEAD);
  #filled = 0;
  #size: number;

  /** @param client a connection that is between two messages */
  constructor(private readonly client: PoolClient) {
    this.#size = this.#messages.next().value;
    const { connection } = client;
    connection.on('rowDescription', ({ fields }: { fields: readonly FieldDef[] }) => {
      this.#fields = fields;
    });
    // The driver has its listener first: it has read all rows before the one that is too large.
    connection.stream.on('data', (bytes: Buffer) => this.#read(bytes));
  }

  /** Applies limits, and counts rows from 1. */
  begin(limits: RowLimits = CATALOG_LIMITS): void {
    this.#limits = limits;
    this.rows = 0;
    this.bytes = 0;
  }

  #read(bytes: Buffer): void {
    if (this.error) return;
    this.bytes += bytes.length;
    for (let at = 0; at < bytes.length && !this.error; ) {
      const skipped = Math.min(this.#skipped, bytes.length - at);
      this.#skipped -= skipped;
      at += skipped;
      const copied = bytes.copy(this.#number, this.#filled, at, at + this.#size - this.#filled);
      this.#filled += copied;
      at += copied;
      if (this.#filled < this.#size) break;
      this.#filled = 0;
      this.#size = this.#messages.next().value;
    }
    if (this.bytes > this.#limits.maxReceivedBytes) {
      this.#break(queryError('The rows are too large; select fewer columns, or parts of them.'));
    }
  }

  /** Yields the size of each number that it needs. */
  *#readMessages(): Generator<number, never> {
    for (;;) {
      yield HEAD;
      if (this.#number[0] !== DATA_ROW) {
        this.#skipped = Math.max(0, this.#number.readInt32BE(1) - 4);
        continue;
      }
      this.rows += 1;
      yield 2;
      const columns = this.#number.readUInt16BE();
      for (let column = 0; column < columns; column += 1) {
        yield 4;
        // A null has the length -1.
        this.#skipped = Math.max(0, this.#number.readInt32BE());
        this.#limitCell(column, this.#skipped);
      }
    }
  }

  #limitCell(column: number, bytes: number): void {
    const { maxCellBytes } = this.#limits;
    if (bytes <= maxCellBytes) return;
    const { name = '', dataTypeID = 0 } = this.#fields[column] ?? {};
    const cell = { column: name, row: this.rows, part: exampleOfPart(name, dataTypeID) };
    this.#break(largeCell(cell, bytes, maxCellBytes));
  }

  #break(error: ProblemError): void {
    this.error ??= error;
    this.client.connection.stream.destroy(this.error);
  }
}

/** The identifiers of built-in types (PostgreSQL's `pg_type.dat`). */
const OID = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  oid: 26,
  json: 114,
  float4: 700,
  float8: 701,
  varchar: 1043,
  timestamptz: 1184,
  numeric: 1700,
  jsonb: 3802,
} as const;

const EXACT: ReadonlySet<number> = new Set([OID.int2, OID.int4, OID.oid, OID.int8, OID.numeric]);

const RAW_CELLS: CustomTypesConfig = { getTypeParser: () => (text: string) => text };

/**
 * Reads a cell as a JSON value. Numbers that JSON would change, such as NaN and large ones, stay
 * text; so do dates, which the driver would move to the time zone of the service.
 * @param row the number of the row, from 1
 * @throws {ProblemError} if it is nested too deeply
 */
export function readCell(text: string | null, column: FieldDef, row: number): unknown {
  const { dataTypeID: type, name } = column;
  if (text === null) return null;
  if (type === OID.bool) return text === 't';
  if (EXACT.has(type)) return toJsonNumber(text);
  if (type === OID.float4 || type === OID.float8) {
    return Number.isFinite(Number(text)) ? Number(text) : text;
  }
  if (type !== OID.json && type !== OID.jsonb) return text;
  return readJsonCell(text, { column: name, row, part: exampleOfPart(name, type) });
}

/**
 * Reads a cell as a table has it: numbers keep all digits as text, and timestamps with a time zone become ISO dates.
 */
export function readTableCell(text: string | null, { dataTypeID }: FieldDef): unknown {
  if (text === null) return null;
  if (dataTypeID === OID.bool) return text === 't';
  // PostgreSQL writes an offset of whole hours without minutes: `2024-02-29 12:30:00+01`.
  if (dataTypeID === OID.timestamptz) return text.replace(/[+-]\d{2}$/, '$&:00');
  return text;
}

function exampleOfPart(column: string, type: number): string {
  const name = /^[a-z_][a-z0-9_]*$/.test(column) ? column : 'x';
  switch (type) {
    case OID.json:
    case OID.jsonb:
      return `${name} -> 'key'`;
    case OID.bytea:
      return `length(${name})`;
    case OID.text:
    case OID.varchar:
      return `left(${name}, 1000)`;
    default:
      return `left(${name}::text, 1000)`;
  }
}
