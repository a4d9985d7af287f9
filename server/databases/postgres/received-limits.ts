import type { FieldDef, PoolClient } from 'pg';
import type { QueryError } from '../query-error.js';
import { largeCell, largeRows } from '../refusals.js';
import { partOf } from './cells.js';

/** The most bytes of what a statement returns. */
export interface RowLimits {
  /** The most bytes of a cell, as text. */
  readonly maxCell: number;
  /** The most bytes that are received before they are taken. */
  readonly maxReceived: number;
}

/** The catalog has texts that people write, such as names of columns. */
const CATALOG_LIMITS: RowLimits = { maxCell: 1024 * 1024, maxReceived: 4 * 1024 * 1024 };

/** The type of a message with a row (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const DATA_ROW = 'D'.charCodeAt(0);

/** The bytes before a message: its type, and its length without the type. */
const HEAD = 5;

/** A number that arrives in one or several pieces. */
type Expected = 'head' | 'columns' | 'cell';

/**
 * Breaks a connection to PostgreSQL when it begins to receive a cell that is too large, or too many
 * bytes at once. A cell may have a gigabyte, which the driver would collect before it returns any of
 * it.
 */
export class ReceivedLimits {
  #limits = CATALOG_LIMITS;
  #received = 0;
  #rows = 0;
  #fields: readonly FieldDef[] = [];
  #error: QueryError | undefined;

  #expected: Expected = 'head';
  readonly #number = Buffer.alloc(HEAD);
  #filled = 0;
  /** The bytes to skip, and the cells that follow. */
  #skipped = 0;
  #cells = 0;
  #column = 0;

  /** @param client a connection that is between two messages */
  constructor(private readonly client: PoolClient) {
    const { connection } = client;
    connection.on('rowDescription', ({ fields }: { fields: readonly FieldDef[] }) => {
      this.#fields = fields;
    });
    // The driver has its listener first: it has read all rows before the one that is too large.
    connection.stream.on('data', (bytes: Buffer) => this.#read(bytes));
  }

  /** The reason for which the connection was broken. */
  get error(): QueryError | undefined {
    return this.#error;
  }

  /** The bytes since they were last taken. */
  get received(): number {
    return this.#received;
  }

  /** The rows that have begun to arrive since the limits apply. */
  get rows(): number {
    return this.#rows;
  }

  /** Applies limits, and counts rows from 1. */
  begin(limits: RowLimits = CATALOG_LIMITS): void {
    this.#limits = limits;
    this.#rows = 0;
    this.#received = 0;
  }

  /** Notes that what was received has been taken. */
  take(): void {
    this.#received = 0;
  }

  #read(bytes: Buffer): void {
    if (this.#error) return;
    this.#received += bytes.length;
    for (let at = 0; at < bytes.length && !this.#error; ) {
      const skipped = Math.min(this.#skipped, bytes.length - at);
      this.#skipped -= skipped;
      at += skipped;
      if (this.#skipped > 0 || at === bytes.length) break;
      const size = sizeOf(this.#expected);
      const copied = bytes.copy(this.#number, this.#filled, at, at + size - this.#filled);
      this.#filled += copied;
      at += copied;
      if (this.#filled < size) break;
      this.#filled = 0;
      this.#accept();
    }
    if (this.#received > this.#limits.maxReceived) this.#break(largeRows());
  }

  #accept(): void {
    switch (this.#expected) {
      case 'head':
        this.#acceptHead();
        return;
      case 'columns':
        this.#cells = this.#number.readUInt16BE();
        break;
      case 'cell':
        this.#acceptCell();
    }
    this.#expected = this.#cells > 0 ? 'cell' : 'head';
  }

  #acceptHead(): void {
    if (this.#number[0] !== DATA_ROW) {
      this.#skipped = Math.max(0, this.#number.readInt32BE(1) - 4);
      return;
    }
    this.#expected = 'columns';
    this.#column = 0;
    this.#rows += 1;
  }

  #acceptCell(): void {
    // A null has the length -1.
    const bytes = Math.max(0, this.#number.readInt32BE());
    const maxBytes = this.#limits.maxCell;
    if (bytes > maxBytes) {
      const { name = '', dataTypeID = 0 } = this.#fields[this.#column] ?? {};
      const cell = { column: name, row: this.#rows, part: partOf(name, dataTypeID) };
      this.#break(largeCell({ ...cell, bytes, maxBytes }));
    }
    this.#skipped = bytes;
    this.#cells -= 1;
    this.#column += 1;
  }

  #break(error: QueryError): void {
    this.#error ??= error;
    this.client.connection.stream.destroy(this.#error);
  }
}

function sizeOf(expected: Expected): number {
  if (expected === 'head') return HEAD;
  return expected === 'columns' ? 2 : 4;
}
