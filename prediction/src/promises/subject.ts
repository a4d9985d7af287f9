import type { TrainedCalibration } from '../calibration/trained-calibration.js';
import type { ModelBase } from '../model/model.js';
import { textReader, wholeName } from '../table/cells.js';
import type { ColumnSummary } from '../table/column-profile.js';
import type { NumberReading } from '../table/reading/column-reading.js';
import { createReader } from '../table/reading/create-reader.js';
import type { TargetClass } from '../table/table.js';
import { MERGED_CLASS } from '../table/target-cells.js';
import type { DatePart } from '../trees/binning/date-parts.js';

/** The most columns whose bins are kept with a promise: those that matter most. */
const MAX_COLUMNS = 32;

/** A column whose bins are kept. Bin 0 is a missing value; see `Encoder`. */
export interface PromisedColumn {
  readonly name: string;
  readonly kind: ColumnSummary['kind'];
  /** The part of a date that is binned. */
  readonly part: DatePart | null;
  /** Ascending cuts between the bins of numbers and dates: bin b holds the values above cut b − 2, up to cut b − 1. */
  readonly cuts: readonly number[];
  /** The categories of bins 1, 2, …; one more is all others. */
  readonly categories: readonly string[] | null;
}

/** The facts of a version that its promises need to be understood when it is gone: plain data. */
export interface PromiseSubject {
  readonly target: string;
  readonly task: 'regression' | 'classification' | 'forecast';
  /** The form of the target's numbers. */
  readonly reading: NumberReading | null;
  /** The words that count as missing in the target; absent where the model does not list them. */
  readonly missing_words?: readonly string[];
  /** The classes, in the order of their probabilities; none where numbers are predicted. */
  readonly classes: readonly TargetClass[];
  readonly columns: readonly PromisedColumn[];
  /** The calibration that truths move; null where nothing adapts. */
  readonly calibration: TrainedCalibration | null;
  /** The rows that calibrated it. */
  readonly calibrated_rows: number;
}

/** The facts of a task's promises. */
export type PromisedTarget = Pick<
  PromiseSubject,
  'task' | 'reading' | 'missing_words' | 'classes' | 'calibration' | 'calibrated_rows'
>;

/** The subject of a model's promises, and the features whose bins are kept, one a column. */
export interface PromiseForm {
  readonly subject: PromiseSubject;
  readonly features: readonly number[];
}

/** Returns the features whose bins are kept, one a column, the most important first. */
export function chooseFeatures({ columns, features }: Pick<ModelBase, 'columns' | 'features'>): number[] {
  const first = new Map<number, number>();
  for (const [feature, { column }] of features.entries()) {
    if (!first.has(column)) first.set(column, feature);
  }
  const gainOf = ([column]: readonly [number, number]) => columns[column]?.importance?.gain ?? 0;
  const chosen = [...first].sort((one, other) => gainOf(other) - gainOf(one)).slice(0, MAX_COLUMNS);
  return chosen.map(([, feature]) => feature);
}

export function describePromises(
  { target, columns, features }: Pick<ModelBase, 'target' | 'columns' | 'features'>,
  promised: PromisedTarget,
): PromiseForm {
  const chosen = chooseFeatures({ columns, features });
  const described = chosen.flatMap((feature): PromisedColumn[] => {
    const { column, part = null, cuts = [] } = features[feature] ?? {};
    const summary = column === undefined ? undefined : columns[column];
    if (!summary) return [];
    const { name, kind, categories } = summary;
    return [{ name, kind, part, cuts, categories }];
  });
  return { subject: { target, ...promised, columns: described }, features: chosen };
}

/** The class of a truth that is none of the model's. */
export const UNKNOWN_CLASS = -1;

/**
 * Returns what reads the true value of a target: a number, or the index of a class, `UNKNOWN_CLASS` for a text that is
 * none. It returns null for a missing value, and NaN for what is not a number.
 */
export function createTruthReader({
  task,
  reading,
  missing_words: words,
  classes,
}: Omit<PromisedTarget, 'calibration' | 'calibrated_rows'>): (value: unknown) => number | null {
  if (task === 'classification') return createClassReader(classes, words);
  const read = createReader('number', reading);
  const readText = textReader(words);
  return (value) => {
    const text = readText(value);
    if (text === '') return null;
    const number = typeof value === 'number' ? value : read(text);
    return Number.isFinite(number) ? number : Number.NaN;
  };
}

/** Returns what finds the class of what rows have for the target, as `createTruthReader` says. */
export function createClassReader(
  classes: readonly TargetClass[],
  words: readonly string[] | undefined,
): (value: unknown) => number | null {
  const readText = textReader(words);
  const indexOf = new Map(classes.map(({ name }, index) => [name, index]));
  const merged = classes.some(({ merged_count }) => merged_count > 0);
  // Where the model merged rare classes, texts that it does not know are of that class.
  const otherwise = merged ? (indexOf.get(MERGED_CLASS) ?? UNKNOWN_CLASS) : UNKNOWN_CLASS;
  return (value) => {
    const text = readText(value);
    return text === '' ? null : (indexOf.get(wholeName(text)) ?? otherwise);
  };
}
