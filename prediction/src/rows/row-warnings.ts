/** Names and values in rows that a model does not know. */
export interface RowWarning {
  /**
   * - `no-column`: rows that name no input column, or are not objects;
   * - `unknown-name`: a name that is none of the model's;
   * - `unreadable`: values that are not the numbers or dates that the column of the table holds, or contradict how its
   *   texts are read, such as 1,5 where the comma groups thousands;
   * - `out-of-range`: numbers outside the range of the table by more than its width;
   * - `new-category`: categories that the table had in no row, or in too few to learn from;
   * - `missing-known`: a column that is known ahead, which rows of moments to forecast lack.
   */
  readonly kind: 'no-column' | 'unknown-name' | 'unreadable' | 'out-of-range' | 'new-category' | 'missing-known';
  /** The column, or the unknown name, cut to 100 characters; null for `no-column`. */
  readonly name: string | null;
  /** The rows that it concerns; 0 for `missing-known` if no row asks for a moment. */
  readonly rows: number;
  /** The input column whose name is nearest to an unknown one; null if none is near, and for other kinds. */
  readonly nearest: string | null;
}

export interface RowWarnings {
  /** By kind, in the order above; within a kind, those of most rows first. */
  readonly warnings: readonly RowWarning[];
  /** The number of further warnings. Unknown names beyond the first 1,000 are not counted. */
  readonly more: number;
}

/** A name that is none of the model's. */
export interface UnknownName {
  readonly name: string;
  /** The index of the first row that has it. */
  readonly firstRow: number;
  readonly rows: number;
  readonly nearest: string | null;
}
