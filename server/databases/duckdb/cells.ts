/** SQL that writes a cell as a value of JSON, by the beginning of its type as DuckDB writes it. */

/** Integers that JSON's numbers hold are numbers, and others texts. */
const EXACT = /^(?:BIGINT|UBIGINT|HUGEINT|UHUGEINT|DECIMAL|BIGNUM|VARINT)/;
const FLOAT = /^(?:FLOAT|DOUBLE)$/;
const NESTED = /\[\d*\]$|^(?:STRUCT|MAP|UNION|JSON|VARIANT)/;
const TIMESTAMP = /^TIMESTAMP(?:_S|_MS|_NS)?$/;
const TIMESTAMP_TZ = /^TIMESTAMP WITH TIME ZONE$/;

const MAX_SAFE = Number.MAX_SAFE_INTEGER;

/** ISO 8601 in UTC, to milliseconds. */
const ISO = '%Y-%m-%dT%H:%M:%S.%gZ';

/** Returns whether a type has values that are written as a text of JSON. */
export function isNested(type: string): boolean {
  return NESTED.test(type);
}

/** Writes a cell for a language model: as it would read it in DuckDB. */
export function answerCell(column: string, type: string): string {
  if (NESTED.test(type)) return `to_json(${column})::VARCHAR`;
  if (EXACT.test(type)) {
    const isSafe = `${column} BETWEEN -${MAX_SAFE} AND ${MAX_SAFE}`;
    return `CASE WHEN ${isSafe} THEN to_json(${column}) ELSE to_json(${column}::VARCHAR) END`;
  }
  // The shortest digits, not those of the double that it is.
  if (FLOAT.test(type)) {
    return `CASE WHEN isfinite(${column}) THEN ${column}::VARCHAR::JSON ELSE to_json(${column}::VARCHAR) END`;
  }
  return `${column}`;
}

/** Writes a cell of a table to train from: the value that the same cell has in a Parquet file that is sent. */
export function tableCell(column: string, type: string): string {
  if (NESTED.test(type)) return `to_json(${column})::VARCHAR`;
  if (FLOAT.test(type))
    return `CASE WHEN isfinite(${column}) THEN to_json(${column}) ELSE to_json(nullif(${column}::VARCHAR, 'nan')) END`;
  if (TIMESTAMP.test(type)) return `strftime(CASE WHEN isfinite(${column}) THEN ${column}::TIMESTAMP END, '${ISO}')`;
  if (TIMESTAMP_TZ.test(type))
    return `strftime(timezone('UTC', CASE WHEN isfinite(${column}) THEN ${column} END), '${ISO}')`;
  return `${column}`;
}
