import type { ModelsOperations, PredictionRow, PredictOptions, PredictProblem } from '../../../generated/facade.js';
import type { Bytes, Call } from './types.js';

/** The rows and answers of a model, as `npx roster-client types` writes it. */
export interface ModelTypes {
  /** A row to predict, by column. */
  readonly input: object;
  /** The name of the predicted column. */
  readonly target: string;
  /** A predicted value: a number, or one of the classes. */
  readonly value: number | string;
}

/** The models of a project, by name. */
export type ModelsOf<Models> = Readonly<Record<keyof Models, ModelTypes>>;

/** Models whose columns are not known. */
export type AnyModels = Readonly<Record<string, ModelTypes & { readonly input: Readonly<Record<string, unknown>> }>>;

/** The operations of models; rows to predict and answers are those of the model of that name. */
export interface TypedModels<Models> extends Omit<ModelsOperations, 'predict'> {
  predict: Predict<Models>;
}

/** The options of `predict` that say which columns an answer has. */
type Columns = 'rows' | 'explain' | 'probabilities' | 'warnings' | 'contributions';

interface Predict<Models> {
  /**
   * Predicts rows with a model whose columns are not known: `predict<{ price: number }>('prices', rows)`.
   *
   * @typeParam Value the predicted column and its type, which the columns beside it follow
   */
  <Value extends object = never>(
    name: [Value] extends [never] ? never : string,
    rows: readonly object[] | Bytes,
    options?: PredictOptions,
  ): Call<(PredictionRow & AnswersOf<Value>)[], PredictProblem>;
  /**
   * Predicts rows. There is one row of the answer for each, in the same order; for forecasts, one for each step.
   *
   * @param name The name of the model.
   * @param rows The rows to predict. Columns may be left out.
   * @throws ProblemError with a `PredictProblem`
   */
  <
    Name extends keyof Models & string,
    Rows extends 'full' | 'lean' = 'full',
    Explain extends boolean = false,
    Probabilities extends boolean = false,
    Warnings extends boolean = false,
    Contributions extends boolean = false,
  >(
    name: Name,
    rows: readonly Models[Name][keyof Models[Name] & 'input'][] | Bytes,
    options?: Omit<PredictOptions, Columns> & {
      rows?: Rows | undefined;
      explain?: Explain | undefined;
      probabilities?: Probabilities | undefined;
      warnings?: Warnings | undefined;
      contributions?: Contributions | undefined;
    },
  ): Call<PredictionOf<Models[Name], Rows, Explain, Probabilities, Warnings, Contributions>[], PredictProblem>;
}

/** A row of an answer: the row that was sent, the predicted value, and what is said of it. */
export type PredictionOf<
  Model,
  Rows extends 'full' | 'lean' = 'full',
  Explain extends boolean = false,
  Probabilities extends boolean = false,
  Warnings extends boolean = false,
  Contributions extends boolean = false,
> = Model extends ModelTypes
  ? string extends Model['target']
    ? PredictionRow
    : Echo<Model['input'], Model['target']> &
        Lean<Model['target'], Model['value']> &
        (Rows extends 'full'
          ? Full<Model['target'], Model['value']>
          : Explain extends true
            ? Explained<Model['target'], Explanation<Model['value']>>
            : Unchanged) &
        (Probabilities extends true ? ProbabilityOf<Model['target'], Model['value']> : Unchanged) &
        (Warnings extends true ? Warned<Model['target']> : Unchanged) &
        (Contributions extends true ? Contributed<Model['input'], Model['target'], Model['value']> : Unchanged)
  : never;

type Unchanged = Record<never, never>;

/** Every input column, as it was sent, or null. */
type Echo<Input, Target> = {
  [Column in Exclude<keyof Input, Target>]-?: Exclude<Input[Column], undefined> | null;
};

type AnswersOf<Value> = {
  [Target in keyof Value & string]: Lean<Target, Value[Target]>;
}[keyof Value & string];

/** The predicted value, its confidence, and its interval; for a class, the set that may hold the true one. */
type Lean<Target extends string, Value> = { [_ in Target]: Value } & {
  [_ in `${Target}_confidence`]: number;
} & ([Value] extends [number] ? { [_ in `${Target}_${'min' | 'max'}`]: number } : { [_ in `${Target}_set`]: Value[] });

/** The columns that older clients read: the bounds of a class are null, and the explanation is a text. */
type Full<Target extends string, Value> = Explained<Target, string> &
  ([Value] extends [number] ? Unchanged : { [_ in `${Target}_${'min' | 'max'}`]: null });

type Explained<Target extends string, Explanation> = {
  /** The row's own value of the target. */
  [_ in `${Target}_original`]: unknown;
} & { [_ in `${Target}_anomaly`]: boolean | null } & { [_ in `${Target}_explain`]: Explanation };

/** An explanation of lean rows. */
type Explanation<Value> = {
  predicted_value: Value;
  confidence: number;
  anomaly: boolean | null;
  truth: unknown;
  /** Of forecasts: counted from 1. */
  step?: number;
} & ([Value] extends [number]
  ? { confidence_lower_bound: number; confidence_upper_bound: number }
  : { [_ in `probability_class_${Value & string}`]: number });

type ProbabilityOf<Target extends string, Value> = [Value] extends [number]
  ? Unchanged
  : { [_ in `${Target}_probability_${Value & string}`]: number };

/** The base of the prediction, and what each column adds to it; columns that the model does not use add nothing. */
type Contributed<Input, Target extends string, Value> = { [_ in `${Target}_base`]: number } & {
  [_ in `${Target}_contribution_${keyof Input & string}`]?: number;
} & ([Value] extends [number]
    ? {
        /** Of forecasts: what the season of the series adds. */
        [_ in `${Target}_season`]?: number;
      }
    : { [_ in `${Target}_base_probability`]: number });

/** The warnings of the row, such as `carat: missing`; null if nothing is. */
type Warned<Target extends string> = { [_ in `${Target}_warnings`]: string | null };
