import type {
  ModelsOperations,
  PredictionRow,
  PredictOptions,
  PredictProblem,
} from '../../../generated/facade.js';
import type { Bytes, Call } from './types.js';

/** What a model takes and answers, as `npx roster-client types` writes it. */
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
export type AnyModels = Readonly<
  Record<string, ModelTypes & { readonly input: Readonly<Record<string, unknown>> }>
>;

/** The operations of models; rows to predict and answers are those of the model of that name. */
export interface TypedModels<Models> extends Omit<ModelsOperations, 'predict'> {
  predict: Predict<Models>;
}

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
  /** Predicts rows. There is one row of the answer for each, in the same order; for forecasts, one for each step. */
  <Name extends keyof Models & string>(
    name: Name,
    rows: readonly Models[Name][keyof Models[Name] & 'input'][] | Bytes,
    options?: PredictOptions,
  ): Call<PredictionOf<Models[Name]>[], PredictProblem>;
}

/** A row of an answer: the row that was sent, the predicted value, and what is said of it. */
export type PredictionOf<Model> = Model extends ModelTypes
  ? string extends Model['target']
    ? PredictionRow
    : Echo<Model['input']> & Answer<Model['target'], Model['value']>
  : never;

/** Every input column, as it was sent, or null. */
type Echo<Input> = { [Column in keyof Input]-?: Exclude<Input[Column], undefined> | null };

type AnswersOf<Value> = {
  [Target in keyof Value & string]: Answer<Target, Value[Target]>;
}[keyof Value & string];

/** The columns of a predicted value. A class has a set that may hold the true one in place of the interval. */
type Answer<Target extends string, Value> = { [_ in Target]: Value } & {
  [_ in `${Target}_confidence`]: number;
} & { [_ in `${Target}_${'min' | 'max'}`]: Value extends number ? number : null } & {
  [_ in `${Target}_original`]: unknown;
} & { [_ in `${Target}_anomaly`]: boolean | null } & { [_ in `${Target}_explain`]: string } & {
  [_ in Value extends string ? `${Target}_set` : never]: Value[];
};
