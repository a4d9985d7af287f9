/** The kinds of finding, as GitHub's annotations name them. */
export type Severity = 'error' | 'warning' | 'notice';

/** A finding of one reviewer. */
export interface Remark {
  /** The reviewer and its rule: `spectral/operation-tags`. */
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  /** The remedy; from the table of remedies if the reviewer does not say it. */
  readonly remedy?: string | undefined;
  /** A JSON pointer to the part that is at fault. */
  readonly pointer: string;
}

/** A place in a file, counted from 1 as editors do. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A fault of a file, with every rule that found it. */
export interface Finding extends Place {
  readonly severity: Severity;
  readonly rules: readonly string[];
  readonly message: string;
  readonly remedy: string;
}
