import type { TableFault, Task } from '../../prediction/src/predicting.js';

/** The forms of text in which a table may be sent. */
export type TableFormat = 'csv' | 'json';

/** What a process that reads a table is told first; the text follows. */
export interface TableReading {
  readonly format: TableFormat;
  readonly target: string;
  /** What the target is predicted as; undefined, for what its values suggest. */
  readonly task?: Task | undefined;
}

/** What is known of a table that was read. */
export interface TableFacts {
  readonly rowCount: number;
  readonly task: Task;
}

/** The answer: that it has written the parts of the table, as `encodeTable` makes them, or why not. */
export type TableMessage =
  | ({ readonly kind: 'read' } & TableFacts)
  | { readonly kind: 'unusable'; readonly faults: readonly TableFault[] }
  | { readonly kind: 'malformed' | 'misshapen'; readonly message: string };
