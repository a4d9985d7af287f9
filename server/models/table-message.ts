import type { MessagePort } from 'node:worker_threads';
import type { TableFault } from '../prediction/predicting.js';

/** The forms of text in which a table may be sent. */
export type TableFormat = 'csv' | 'json';

/** What a thread that reads a table is started with. */
export interface TableReading {
  readonly format: TableFormat;
  readonly target: string;
  /** Brings the text of the table, and takes its parts as `encodeTable` makes them. */
  readonly text: MessagePort;
  readonly parts: MessagePort;
}

/** What it tells when it has read the text: that its parts follow, or why they do not. */
export type TableMessage =
  | { readonly kind: 'read'; readonly rowCount: number }
  | { readonly kind: 'unusable'; readonly faults: readonly TableFault[] }
  | { readonly kind: 'malformed' | 'misshapen'; readonly message: string };
