import type { WordCount } from './missing-words.js';
import type { ColumnReading } from './reading/column-reading.js';
import type { UnreadCells } from './reading/unread-cells.js';

/** The use of an input column that its sender chose: left out, or read as a kind whatever its values suggest. */
export type ColumnChoice = 'unused' | 'number' | 'date' | 'category';

/** The use of an input column: as chosen, or `index` for row numbers or names, which models do not learn from. */
export type ColumnUse = ColumnChoice | 'index';

/** Returns whether the cells of a column are not kept. */
export function isPassedOver(use: ColumnUse | undefined): use is 'unused' | 'index' {
  return use === 'unused' || use === 'index';
}

/** The chosen columns by name. Made of entries, because a column may be named `__proto__`. */
export type ColumnChoices = readonly (readonly [name: string, choice: ColumnChoice])[];

export type TableColumn = TextColumn | ValueColumn;

/** The cells of a column without a value; absent where an earlier release has stored the table. */
export interface MissingCells {
  /** The words that count as missing in the column. */
  readonly words: readonly string[];
  /** Those that occur. */
  readonly found: readonly WordCount[];
  /** The cells that contradict what the column holds, and count as missing; null without any. */
  readonly unread: UnreadCells | null;
}

/** A column of which each distinct text is kept once. It may hold numbers and dates too, if few. */
export interface TextColumn {
  readonly kind: 'text';
  readonly name: string;
  /** Distinct texts of the present cells, in order of first appearance; at most `MAX_TEXTS`. */
  readonly texts: readonly string[];
  /**
   * For each row 0 if the cell is missing, 1 + its index in `texts`, or 1 + the number of texts if
   * the cell holds one of the others, which were too many to keep. Those are among the rare ones.
   * Empty if the column is `unused` or an `index`.
   */
  readonly codes: Uint16Array;
  /** How its texts are read; null for categories, and absent where an earlier release has stored the table. */
  readonly reading?: ColumnReading | null;
  /** Set if the texts are categories even where they read as numbers or dates, or are not to be learnt from. */
  readonly chosen?: 'category' | 'unused' | 'index';
  readonly missing?: MissingCells;
}

/** A column of more distinct numbers or dates than texts are kept. */
export interface ValueColumn {
  readonly kind: 'number' | 'date';
  readonly name: string;
  /** For each row its number, or its date in milliseconds since 1970; NaN if it has none. */
  readonly values: Float64Array;
  /** How its cells are read; absent where an earlier release has stored the table with plain numbers or ISO dates. */
  readonly reading?: ColumnReading;
  /** Set if the kind was chosen: cells of another kind count as missing, however many. */
  readonly chosen?: 'number' | 'date';
  readonly missing?: MissingCells;
}

/** The most distinct texts that a column keeps: codes have 16 bits, and two have a meaning. */
export const MAX_TEXTS = 65_534;

/**
 * The share of the present cells of a column of numbers or dates that must be such; the others
 * count as missing.
 */
export const PARSING_SHARE = 0.95;
