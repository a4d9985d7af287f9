/** A table as a statement names it. */
export interface TableName {
  /** Undefined if the database decides, such as by its search path. */
  readonly schema?: string | undefined;
  readonly table: string;
}

/** Returns the parts of a name as it was asked for: `table` or `schema.table`. */
export function splitName(name: string): TableName {
  const dot = name.indexOf('.');
  return dot < 0 ? { table: name } : { schema: name.slice(0, dot), table: name.slice(dot + 1) };
}

/** Returns a name in the form by which SQLite and DuckDB compare names: they ignore the letter case of ASCII. */
export function toLowerAscii(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Returns a column as an example in a message names it: without quotes, or `x` if it needs them. */
export function exampleName(column: string): string {
  return /^[a-z_][a-z0-9_]*$/i.test(column) ? column : 'x';
}
