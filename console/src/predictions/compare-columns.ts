import type { Model } from 'roster-client';
import { NearestName } from '../../../prediction/src/browser.js';

/** A comparison of the columns of a file with those of a model. */
export interface Comparison {
  /** The columns of the file that the model uses, and their places. */
  readonly used: readonly { readonly name: string; readonly index: number }[];
  /** The columns of the file that the model does not know, each with the name that may be meant. */
  readonly unknown: readonly { readonly name: string; readonly nearest: string | null }[];
  /** The columns that the model uses and the file lacks. */
  readonly missing: readonly string[];
  /** The place of the target in the file, if it has one. */
  readonly targetIndex: number | undefined;
}

/** Compares the columns of a file with those of a model. */
export function compareColumns(columns: readonly string[], model: Model): Comparison {
  const known = new Set(model.columns?.map(({ name }) => name));
  const needed = (model.columns ?? []).filter(({ used }) => used).map(({ name }) => name);
  const missing = needed.filter((name) => !columns.includes(name));
  const nearest = new NearestName(missing);
  const targetIndex = columns.indexOf(model.target);
  return {
    used: needed
      .map((name) => ({ name, index: columns.indexOf(name) }))
      .filter(({ index }) => index >= 0),
    unknown: columns
      .filter((name) => name !== model.target && !known.has(name))
      .map((name) => ({ name, nearest: nearest.of(name) })),
    missing,
    targetIndex: targetIndex < 0 ? undefined : targetIndex,
  };
}
