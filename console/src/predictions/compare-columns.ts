import type { Model } from 'roster-client';
import { NearestName, nameIndex } from 'roster-prediction/browser';

export interface Comparison {
  /** The columns of the file that the model uses, and their places. */
  readonly used: readonly { readonly name: string; readonly index: number }[];
  /** The columns of the file that the model does not know, each with the name that may be meant. */
  readonly unknown: readonly { readonly name: string; readonly nearest: string | null }[];
  /** The columns that the model uses and the file lacks, those that matter most first. */
  readonly missing: readonly string[];
  /** The share of what the model learnt that it learnt from those, 0 to 1. */
  readonly missingShare: number;
  /** The column that matters most, if the file lacks it. */
  readonly missingBest: string | undefined;
  /** The place of the target in the file, if it has one. */
  readonly targetIndex: number | undefined;
}

/** Compares the columns of a file with those of a model. */
export function compareColumns(columns: readonly string[], model: Model): Comparison {
  const names = nameIndex(columns);
  const known = new Set(model.columns?.map(({ name }) => name));
  const used = (model.columns ?? []).filter((column) => column.used);
  const needed = used.map(({ name }) => name);
  const byGain = used.toSorted((one, other) => readGain(other) - readGain(one));
  const lacking = byGain.filter(({ name }) => !columns.includes(name));
  const missing = lacking.map(({ name }) => name);
  const [best] = byGain;
  const nearest = new NearestName(missing);
  const targetIndex = columns.indexOf(model.target);
  return {
    used: needed.map((name) => ({ name, index: columns.indexOf(name) })).filter(({ index }) => index >= 0),
    // Columns without a name are mostly empty, as behind separators at the ends of lines.
    unknown: names
      .filter((name) => name !== '' && name !== model.target && !known.has(name))
      .map((name) => ({ name, nearest: nearest.of(name) })),
    missing,
    missingShare: sumGains(lacking) / (sumGains(used) || 1),
    missingBest: best && lacking.includes(best) ? best.name : undefined,
    targetIndex: targetIndex < 0 ? undefined : targetIndex,
  };
}

type Column = NonNullable<Model['columns']>[number];

function readGain({ importance }: Column): number {
  return importance?.gain ?? 0;
}

function sumGains(columns: readonly Column[]): number {
  return columns.reduce((sum, column) => sum + readGain(column), 0);
}
