import type { TableFault, Task } from '../../../prediction/src/predicting.js';

/** The formats of a table: those that are sent, and lines of JSON arrays from a query. */
export type TableFormat =
  | 'csv'
  | 'json'
  | 'ndjson'
  | 'arrow-stream'
  | 'arrow-file'
  | 'parquet'
  | 'records';

/** The options for reading CSV, in place of what its first lines tell. */
export interface CsvReading {
  readonly header?: boolean | undefined;
  readonly delimiter?: ',' | ';' | '\t' | undefined;
}

/** The details of a reading job; the text follows as input. */
export interface TableReading {
  readonly format: TableFormat;
  readonly target: string;
  /** The task; undefined if the values of the target decide. */
  readonly task?: Task | undefined;
  readonly csv?: CsvReading | undefined;
}

/** The facts of a table that was read. */
export interface TableFacts {
  readonly rowCount: number;
  readonly task: Task;
}

/**
 * The result of a reading job. Either the parts of the table have been written, as `encodeTable`
 * makes them, or the table was refused.
 */
export type TableMessage =
  | ({ readonly kind: 'read' } & TableFacts)
  | { readonly kind: 'unusable'; readonly faults: readonly TableFault[] }
  | { readonly kind: 'malformed' | 'misshapen'; readonly message: string };
