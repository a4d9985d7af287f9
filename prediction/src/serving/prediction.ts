/** A predicted target; its numbers are finite, and min ≤ value ≤ max. */
export interface Prediction {
  value: number;
  /**
   * Of the rows answered with confidence c, a share c has its true value between min and max. It
   * is below the level asked for where the model has seen too few rows to promise that one.
   */
  confidence: number;
  min: number;
  max: number;
  /** The row's own value of the target, as sent; null if it has none. */
  original: unknown;
  /** Whether the original lies outside min and max; null if it is no number. */
  anomaly: boolean | null;
}
