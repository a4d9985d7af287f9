import type { ScoredPassage } from './passage-index.js';

/** A search, for the process that runs it. */
export interface SearchJob {
  /** The file of the store. */
  readonly path: string;
  /** A query for passages, and its parameters. */
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** The answer of the process. */
export type SearchAnswer =
  | { readonly kind: 'found'; readonly passages: readonly ScoredPassage[] }
  /** The file cannot be read now; `code` is SQLite's result code, by its name. */
  | { readonly kind: 'unavailable'; readonly code: string };
