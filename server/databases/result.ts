import type { ResultLimits } from './limits.js';
import { QueryError } from './query-error.js';

/** The columns of a table. */
export interface TableDescription {
  /** The name as it was asked for: `table` or `schema.table`. */
  readonly name: string;
  readonly columns: readonly ColumnDescription[];
}

export interface ColumnDescription {
  readonly name: string;
  /** The type as the database writes it, such as `numeric(10,2)`; empty if it declares none. */
  readonly type: string;
}

/** The rows of a query. Every cell is a JSON value. */
export interface QueryResult {
  readonly columns: readonly string[];
  /** The rows; each has a cell for each column. */
  readonly rows: readonly (readonly unknown[])[];
  /** True if there are more rows than the limits allow. */
  readonly truncated: boolean;
}

/** Collects the rows of a result until it is full. */
export class ResultBuilder {
  readonly #rows: (readonly unknown[])[] = [];
  #bytes: number;
  #truncated = false;

  /** @throws {QueryError} if the names of the columns alone exceed the limit */
  constructor(
    private readonly columns: readonly string[],
    private readonly limits: ResultLimits,
  ) {
    this.#bytes = jsonBytes(columns);
    if (this.#bytes > limits.maxBytes) throw tooLarge('The names of the columns alone are', limits);
  }

  /**
   * Adds a row if it fits. Returns whether it did: if not, the result is complete.
   * @param row cells that are JSON values
   * @throws {QueryError} if the first row does not fit
   */
  add(row: readonly unknown[]): boolean {
    const bytes = jsonBytes(row);
    const fits =
      this.#rows.length < this.limits.maxRows && this.#bytes + bytes <= this.limits.maxBytes;
    if (!fits && this.#rows.length === 0) throw tooLarge('One row alone is', this.limits);
    if (!fits) {
      this.#truncated = true;
      return false;
    }
    this.#rows.push(row);
    this.#bytes += bytes;
    return true;
  }

  result(): QueryResult {
    return { columns: this.columns, rows: this.#rows, truncated: this.#truncated };
  }
}

/**
 * Returns the number that a text of digits stands for; the text itself if JSON has no such number,
 * or its integer part is too large to be exact.
 */
export function jsonNumber(text: string): number | string {
  const number = Number(text);
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : text;
}

/** Returns bytes as PostgreSQL writes them: `\x` and hexadecimal digits. */
export function hexText(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/** The size of a value as JSON, with the comma after it. */
function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1;
}

function tooLarge(what: string, { maxBytes }: ResultLimits): QueryError {
  return new QueryError(
    `${what} larger than ${maxBytes} bytes; select fewer columns, or parts of them.`,
  );
}
