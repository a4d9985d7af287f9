import type { TableFault } from '../../prediction/src/predicting.js';

/** The forms of text in which a table may be sent. */
export type TableFormat = 'csv' | 'json';

/** What a process that reads a table is told first; the text follows. */
export interface TableReading {
  readonly format: TableFormat;
  readonly target: string;
}

/** The answer: that it has written the parts of the table, as `encodeTable` makes them, or why not. */
export type TableMessage =
  | { readonly kind: 'read'; readonly rowCount: number }
  | { readonly kind: 'unusable'; readonly faults: readonly TableFault[] }
  | { readonly kind: 'malformed' | 'misshapen'; readonly message: string };
