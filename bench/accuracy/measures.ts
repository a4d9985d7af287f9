import { seededRandom } from 'roster-prediction/internals';
import type { DataTable, Split } from './tables.js';

/** Answers state probabilities in millionths: one below counts as one millionth, of Roster and of its peers alike. */
const LEAST = 1e-6;

/** The groups of equal size in which stated and observed shares are compared. */
const GROUPS = 15;
const FIFTHS = 5;

/** The times that labels are drawn from stated probabilities. */
const DRAWS = 100;

/** A contender's answers to the rows that measure it. */
export interface Answers {
  /** Numbers, or for each row the probability of each class in the order of `classes`. */
  readonly predictions: readonly number[] | readonly (readonly number[])[];
  readonly classes?: readonly string[];
  /** The intervals, of a contender that states any. */
  readonly bounds?: readonly { readonly min: number; readonly max: number }[];
  /** Seconds of processor time. */
  readonly training: number;
  readonly rowsPerSecond: number;
  /** The name and version of a peer's library. */
  readonly library?: string;
}

/** The rows in intervals, in all and by the fifths of their widths, narrowest first. */
export interface Coverage {
  readonly rows: readonly number[];
  readonly covered: readonly number[];
}

/** A contender's figures on a split of a table. */
export interface Figures {
  /** RMSE, or the mean log loss. */
  readonly loss: number;
  readonly training: number;
  readonly rowsPerSecond: number;
  readonly library?: string;
  readonly accuracy?: number;
  /** The expected calibration error of the likeliest class, and its mean if the probabilities were exact. */
  readonly ece?: number;
  readonly eceByChance?: number;
  readonly coverage?: Coverage;
}

/** Measures a contender's answers to the rows of a split that measure it. */
export function measure({ task, target, rows }: DataTable, { test }: Split, answers: Answers): Figures {
  const truths = test.map((index) => rows[index]?.[target] ?? '');
  return task === 'regression' ? measureNumbers(answers, truths) : measureClasses(answers, truths);
}

function measureNumbers(answers: Answers, truths: readonly string[]): Figures {
  const { predictions, bounds } = answers;
  let sum = 0;
  for (const [index, truth] of truths.entries()) sum += (Number(predictions[index]) - Number(truth)) ** 2;
  const loss = Math.sqrt(sum / truths.length);
  return { loss, ...costs(answers), ...(bounds && { coverage: measureCoverage(bounds, truths) }) };
}

function costs({ training, rowsPerSecond, library }: Answers): Pick<Figures, 'training' | 'rowsPerSecond' | 'library'> {
  return { training, rowsPerSecond, ...(library !== undefined && { library }) };
}

function measureCoverage(bounds: NonNullable<Answers['bounds']>, truths: readonly string[]): Coverage {
  const order = bounds
    .map(({ min, max }, index) => ({
      width: max - min,
      isCovered: Number(truths[index]) >= min && Number(truths[index]) <= max,
    }))
    .sort((one, other) => one.width - other.width);
  const fifths = cut(order, FIFTHS);
  return {
    rows: fifths.map((fifth) => fifth.length),
    covered: fifths.map((fifth) => fifth.filter(({ isCovered }) => isCovered).length),
  };
}

function measureClasses(answers: Answers, truths: readonly string[]): Figures {
  const { predictions, classes = [] } = answers;
  let loss = 0;
  const tops: Top[] = [];
  for (const [index, truth] of truths.entries()) {
    const row = predictions[index];
    if (!Array.isArray(row)) throw new Error('Each row of classes has a probability of each class.');
    const probabilities: readonly number[] = row;
    const label = classes.indexOf(truth);
    loss -= Math.log(Math.min(Math.max(probabilities[label] ?? 0, LEAST), 1));
    const stated = Math.max(...probabilities);
    tops.push({ stated, isRight: probabilities.indexOf(stated) === label });
  }
  tops.sort((one, other) => one.stated - other.stated);
  const random = seededRandom(1);
  let chance = 0;
  for (let draw = 0; draw < DRAWS; draw++) {
    chance += calibrationError(tops.map(({ stated }) => ({ stated, isRight: random() < stated })));
  }
  return {
    loss: loss / truths.length,
    ...costs(answers),
    accuracy: tops.filter(({ isRight }) => isRight).length / tops.length,
    ece: calibrationError(tops),
    eceByChance: chance / DRAWS,
  };
}

/** The likeliest class of a row: its probability, and whether it is the row's. */
interface Top {
  readonly stated: number;
  readonly isRight: boolean;
}

/** Returns the expected calibration error of rows in the order of their stated probabilities. */
function calibrationError(tops: readonly Top[]): number {
  let error = 0;
  for (const group of cut(tops, GROUPS)) {
    error += Math.abs(group.reduce((sum, { stated, isRight }) => sum + stated - Number(isRight), 0));
  }
  return error / tops.length;
}

/** Cuts a list into parts of nearly the same size. */
function cut<T>(items: readonly T[], parts: number): T[][] {
  return Array.from({ length: parts }, (_, part) =>
    items.slice(Math.round((part * items.length) / parts), Math.round(((part + 1) * items.length) / parts)),
  );
}
