/** A predicted class. */
export interface ClassPrediction {
  /** The most likely class. */
  class: string;
  /** Its probability: of the rows answered with probability p, a share p is of their class. */
  confidence: number;
  /** The probability of each class, in the order of the model's classes. */
  probabilities: number[];
  /** The classes that may be the truth at the confidence asked for, the most likely first; never empty. */
  set: string[];
  /** The row's own value of the target, as sent; null if it has none. */
  original: unknown;
  /** Whether the original's class lies outside the set; null if the row has none. */
  anomaly: boolean | null;
}
