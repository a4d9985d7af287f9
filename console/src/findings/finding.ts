/** What looks odd in a table, what it may do to a model, and the parameters of a training that mend it. */
export interface Finding {
  readonly kind: string;
  readonly column: string | null;
  readonly message: string;
  readonly effect: string | null;
  readonly remedies: readonly Remedy[];
}

/** A parameter of a training, and its value. */
export interface Remedy {
  readonly parameter: string;
  readonly value: string;
}
