import { rowIdPrefix } from '../promises/ids.js';
import type { RowObject } from '../table/cells.js';
import { derivedColumns, ECHO_COLUMNS, ROW_ID_COLUMN } from '../table/column-names.js';
import type { ColumnSummary } from '../table/column-profile.js';
import { InvalidRowsError } from '../table/invalid-rows.js';
import type { ColumnReading, NumberReading } from '../table/reading/column-reading.js';
import { createReader } from '../table/reading/create-reader.js';

/** The meaning of the texts of a column of numbers. */
export interface TextNumbers {
  readonly read: (text: string) => number;
  /** Whether a text with a decimal point is read as a program would. */
  readonly readsPoints: boolean;
}

/** The source of a value. `at` is the index of a number, or of the first choice, in a `PredictedBlock`. */
type Source =
  /**
   * The value that the row sent under a name of `AnswerLayout.sent`, at this index. A format with its own types has
   * numbers if there is a reader of them.
   */
  | { readonly kind: 'echo'; readonly at: number; readonly numbers: TextNumbers | null }
  | { readonly kind: 'number'; readonly at: number }
  /** A text that is the same for all rows, and the number of the row in the answer behind it. */
  | { readonly kind: 'row-id'; readonly prefix: string }
  /** Null, false or true, as the choice says: see `flagChoice`. */
  | { readonly kind: 'flag'; readonly at: number }
  /** One of the texts. */
  | { readonly kind: 'text'; readonly at: number; readonly texts: readonly string[] }
  /** Some of the texts: the choices are their number, then their indexes. */
  | { readonly kind: 'list'; readonly at: number; readonly texts: readonly string[] }
  | { readonly kind: 'null' };

/** A value under a name. */
export type Member = Source & { readonly name: string };

/** An object of JSON. Full rows and tables have it as text. */
export interface ObjectColumn {
  readonly kind: 'object';
  readonly name: string;
  readonly members: readonly Member[];
}

/** A text about the row itself; null if it is like those of the table. */
export interface WarningsColumn {
  readonly kind: 'warnings';
  readonly name: string;
  readonly describe: (row: RowObject) => string | null;
}

/** Columns that an answer has where a parameter of that name asks for them. */
type OptionalPart = 'probabilities' | 'warnings' | 'contributions';

interface InPart {
  /**
   * Where the column is: in all rows; in full ones alone; in full ones, and in lean ones behind the others if they are
   * explained; or where probabilities, warnings or contributions are asked for.
   */
  readonly part: 'lean' | 'full' | 'explained' | OptionalPart;
}

/** A column of answer rows that a task fills. */
type TaskColumn = (Member | ObjectColumn) & InPart;

/** A column of answer rows. */
export type AnswerColumn = TaskColumn | (WarningsColumn & InPart);

/** The columns that an answer has of those that a model can answer with. */
export interface RowOptions {
  /** `full` has the columns that older clients know. CSV and Arrow are always lean. */
  readonly rows?: 'full' | 'lean';
  /** Adds the original, the anomaly and the explanation to lean rows. Full ones always have them. */
  readonly explain?: boolean;
  /** Adds a column for the probability of each class. */
  readonly probabilities?: boolean;
  /** Adds a column for the warnings of each row. */
  readonly warnings?: boolean;
  /** Adds the base of each prediction, and what each column contributes to it. */
  readonly contributions?: boolean;
  /** Remembers the promise of each row, and adds its id. */
  readonly remember?: Remembering;
}

/** The memory of an answer. */
export interface Remembering {
  /** The id of the answer, with which those of its rows begin: 20 digits and lower-case letters. */
  readonly answer: string;
  /** The number of the first row in the answer, where answers share one id; 0 without it. */
  readonly first?: number;
  /** The column with the caller's own id of each row. */
  readonly id?: string;
}

/** The columns of answer rows: those that a model can answer with, or those of one answer in any format. */
export interface AnswerLayout {
  /** The names under which rows send what answers repeat: the input columns, the target, and those that close a row. */
  readonly sent: readonly string[];
  readonly columns: readonly AnswerColumn[];
  /** The numbers of a row, those of contributions only where they are asked for, and its choices. */
  readonly numberCount: number;
  readonly choiceCount: number;
  /** The index of the target in `sent`, and whether it is a number. */
  readonly target: number;
  readonly isNumeric: boolean;
  /** Whether a text of the target with a decimal point is read as a program would. */
  readonly readsPoints: boolean;
  /** The names in `sent` of columns of numbers whose texts have the unit %. */
  readonly percents: ReadonlySet<string>;
  /** Whether JSON has the objects in a row as text, as full rows do. */
  readonly isNestedText: boolean;
}

/** The predictions of the rows of a block. The next block overwrites it. */
export interface PredictedBlock {
  /** Row by row, `AnswerLayout.numberCount` each. */
  readonly numbers: Float64Array;
  /**
   * The bins of the rows, feature by feature, as many each as the block has rows; of a forecast, the group of each step,
   * from 1.
   */
  readonly bins?: Uint8Array;
  /** The number of the first row in the answer, where rows have ids. */
  readonly first?: number;
  /**
   * Writes the choices of a row, each a byte, from an index on.
   *
   * @param original the row's own value of the target, as sent; null if it has none.
   */
  writeChoices(row: number, original: unknown, choices: Uint8Array, at: number): void;
}

/** The choice of a flag, an index of `FLAGS`. */
export function flagChoice(flag: boolean | null): number {
  return flag === null ? 0 : Number(flag) + 1;
}

export const FLAGS = [null, false, true] as const;

/** The parts of a model that its answers repeat. */
interface LaidOutModel {
  readonly columns: readonly ColumnSummary[];
  readonly target: string;
  readonly target_reading?: NumberReading | null;
}

/** Lays out the answer of a task: the input columns before its own, and behind them those that close a row. */
export function layOutAnswer(
  { columns: inputs, target, target_reading: reading = null }: LaidOutModel,
  isNumeric: boolean,
  ownColumns: (truth: Source) => readonly TaskColumn[],
): AnswerLayout {
  const sent = [...inputs.map(({ name }) => name), target, ...ECHO_COLUMNS];
  // Models of earlier releases wrote a truth as a plain number, whatever its unit was.
  const truthReading = reading?.decided_by === undefined ? null : reading;
  const truths = isNumeric ? textNumbers(truthReading) : null;
  const own = ownColumns({ kind: 'echo', at: inputs.length, numbers: truths });
  const columns = [
    ...inputs.map(({ name, kind, reading }, at): AnswerColumn => {
      const numbers = kind === 'number' ? textNumbers(reading) : null;
      return { name, kind: 'echo', at, numbers, part: 'lean' };
    }),
    ...own,
    ...ECHO_COLUMNS.map((name, index): AnswerColumn => {
      return { name, kind: 'echo', at: inputs.length + 1 + index, numbers: null, part: 'full' };
    }),
  ];
  let [numberCount, choiceCount] = [0, 0];
  for (const column of own.flatMap((one) => (one.kind === 'object' ? one.members : [one]))) {
    if (column.kind === 'number') numberCount = Math.max(numberCount, column.at + 1);
    const size = column.kind === 'list' ? 1 + column.texts.length : 1;
    const isChosen = column.kind === 'flag' || column.kind === 'text' || column.kind === 'list';
    if (isChosen) choiceCount = Math.max(choiceCount, column.at + size);
  }
  return {
    sent,
    columns,
    numberCount,
    choiceCount,
    target: inputs.length,
    isNumeric,
    readsPoints: readsPoints(reading),
    percents: listPercents([...inputs, { name: target, reading }]),
    isNestedText: true,
  };
}

function listPercents(columns: readonly Pick<ColumnSummary, 'name' | 'reading'>[]): ReadonlySet<string> {
  // Models of earlier releases read numbers of cells as they are.
  const ofPercents = columns.filter(({ reading }) => {
    return reading?.kind === 'number' && reading.unit === '%' && reading.decided_by !== undefined;
  });
  return new Set(ofPercents.map(({ name }) => name));
}

function textNumbers(reading: ColumnReading | null): TextNumbers {
  return { read: createReader('number', reading), readsPoints: readsPoints(reading) };
}

/** Returns whether a text with a decimal point is read as a program would. */
export function readsPoints(reading: ColumnReading | null): boolean {
  if (reading?.kind !== 'number' || reading.decided_by === undefined) return true;
  return reading.decimal === '.';
}

/** The places of the numbers of a row that is answered with an interval. A task may have more behind them. */
export const [VALUE, CONFIDENCE, MIN, MAX] = [0, 1, 2, 3];

/** The choice of such a row: whether its own value is an anomaly. */
export const ANOMALY = 0;

/** Returns whether a value is outside the interval of a row, whose numbers begin at an index. */
export function isOutside(actual: number, numbers: Float64Array, at: number): boolean {
  return actual < (numbers[at + MIN] ?? 0) || actual > (numbers[at + MAX] ?? 0);
}

/**
 * Lays out the answer of a task that predicts a number with an interval.
 *
 * @param explained further members of the explanation.
 */
export function layOutInterval(
  model: { readonly columns: readonly ColumnSummary[]; target: string },
  explained: readonly Member[] = [],
): AnswerLayout {
  const { original, confidence, min, max, anomaly, explain } = derivedColumns(model.target);
  const value = { kind: 'number', at: VALUE } as const;
  const level = { kind: 'number', at: CONFIDENCE } as const;
  const lower = { kind: 'number', at: MIN } as const;
  const upper = { kind: 'number', at: MAX } as const;
  const outside = { kind: 'flag', at: ANOMALY } as const;
  return layOutAnswer(model, true, (truth) => [
    { name: model.target, ...value, part: 'lean' },
    { name: original, ...truth, part: 'explained' },
    { name: confidence, ...level, part: 'lean' },
    { name: min, ...lower, part: 'lean' },
    { name: max, ...upper, part: 'lean' },
    { name: anomaly, ...outside, part: 'explained' },
    {
      name: explain,
      kind: 'object',
      members: [
        { name: 'predicted_value', ...value },
        { name: 'confidence', ...level },
        { name: 'anomaly', ...outside },
        { name: 'truth', ...truth },
        { name: 'confidence_lower_bound', ...lower },
        { name: 'confidence_upper_bound', ...upper },
        ...explained,
      ],
      part: 'explained',
    },
  ]);
}

/**
 * Selects the columns of an answer.
 *
 * @throws {InvalidRowsError} if there is no column that is asked for, or an input column has its name
 */
export function selectColumns(
  all: AnswerLayout,
  { rows = 'full', explain = false, probabilities, warnings, contributions, remember }: RowOptions,
): AnswerLayout {
  const layout = withNumbers(remember ? withRowIds(all, remember) : all, contributions ?? false);
  const isAskedFor = { probabilities, warnings, contributions };
  for (const part of OPTIONAL_PARTS) if (isAskedFor[part]) checkNames(layout, part);
  const asked = layout.columns.filter(({ part }) => !isOptional(part) || isAskedFor[part]);
  if (rows === 'full') return { ...layout, columns: asked, isNestedText: true };
  const lean = asked.filter(({ part }) => part !== 'full' && part !== 'explained');
  const explained = explain ? asked.filter(({ part }) => part === 'explained') : [];
  const ids = asked.filter(({ kind }) => kind === 'row-id');
  return { ...layout, columns: [...lean, ...explained, ...ids], isNestedText: false };
}

const OPTIONAL_PARTS = ['probabilities', 'warnings', 'contributions'] as const;

function isOptional(part: AnswerColumn['part']): part is OptionalPart {
  return OPTIONAL_PARTS.some((one) => one === part);
}

/** Adds columns for contributions, whose numbers stand behind the others. */
export function addContributions(layout: AnswerLayout, names: readonly string[]): AnswerLayout {
  const contributions = names.map((name, index): AnswerColumn => {
    return { name, kind: 'number', at: layout.numberCount + index, part: 'contributions' };
  });
  return { ...layout, columns: [...layout.columns, ...contributions] };
}

/** Adds the numbers of contributions, which stand behind the others, to those of a row. */
function withNumbers(layout: AnswerLayout, contributions: boolean): AnswerLayout {
  if (!contributions) return layout;
  const more = layout.columns.filter(({ part }) => part === 'contributions').length;
  return { ...layout, numberCount: layout.numberCount + more };
}

/** Puts the ids of remembered rows in the place of what rows sent under their name, and reads the caller's own. */
function withRowIds(layout: AnswerLayout, { answer, id }: Remembering): AnswerLayout {
  const { sent } = layout;
  const ids: AnswerColumn = { name: ROW_ID_COLUMN, kind: 'row-id', prefix: rowIdPrefix(answer), part: 'full' };
  return {
    ...layout,
    columns: layout.columns.map((column) => (column.name === ROW_ID_COLUMN ? ids : column)),
    sent: id === undefined || sent.includes(id) ? sent : [...sent, id],
  };
}

/** Returns whether rows have fields about their own values of the target. */
export function isExplained({ columns }: AnswerLayout): boolean {
  return columns.some(({ part }) => part === 'explained');
}

/** Contributions are rounded to so much finer steps than predictions, so that rounding does not show in their sum. */
export const EXPLAINED_SHARE = 1e-8;

/** The most numbers for contributions in an answer that is one array. */
const MAX_ARRAY_CONTRIBUTIONS = 10_000_000;

/** @throws {InvalidRowsError} if an array of so many rows would have too many contributions */
export function refuseManyContributions({ columns }: AnswerLayout, rows: number): void {
  const numbers = rows * columns.filter(({ part }) => part === 'contributions').length;
  if (numbers <= MAX_ARRAY_CONTRIBUTIONS) return;
  const message = `asks for ${numbers.toLocaleString('en')} numbers, and an array of JSON has at most ${MAX_ARRAY_CONTRIBUTIONS.toLocaleString('en')}; send fewer rows, or send them as NDJSON, CSV or Arrow`;
  throw new InvalidRowsError([{ parameter: 'contributions', message }]);
}

const ABSENT = {
  probabilities: 'is for models of classes, and this one predicts numbers; leave it out',
  warnings: 'is for models that predict rows, and this one forecasts; leave it out',
  contributions:
    'needs the numbers of rows in the trees, and this version was trained by an earlier release; train the model again',
};

const INSTEAD = {
  probabilities: 'read the probabilities from the explanation',
  warnings: 'read the warnings of all rows together',
  contributions: 'see what columns matter in the model',
};

function checkNames({ columns, sent, target }: AnswerLayout, parameter: OptionalPart): void {
  const refuse = (message: string) => new InvalidRowsError([{ parameter, message }]);
  const names = columns.flatMap(({ name, part }) => (part === parameter ? [name] : []));
  if (names.length === 0) throw refuse(ABSENT[parameter]);
  const inputs = new Set(sent.slice(0, target));
  const double = names.find((name) => inputs.has(name));
  if (double === undefined) return;
  throw refuse(
    `would add a column ${JSON.stringify(double)}, which is an input column of the model; leave it out, and ${INSTEAD[parameter]}, or train the model with another name of the column`,
  );
}
