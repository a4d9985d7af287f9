import type { AdaptedCalibration } from '../calibration/adapting.js';
import type { ModelBase } from '../model/model.js';
import { SeenRows } from '../model/seen-rows.js';
import { chooseIds } from '../promises/ids.js';
import { describePromises, type PromisedTarget, type PromiseForm } from '../promises/subject.js';
import {
  type AnswerColumn,
  type AnswerLayout,
  addContributions,
  type PredictedBlock,
  refuseManyContributions,
} from '../rows/answer-layout.js';
import type { ModelExplainer } from '../rows/block-explainer.js';
import { type AnsweredBlock, type BlockPredictor, objectBlocks, type PredictOptions } from '../rows/blocks.js';
import { ObjectBlock, type RowBinner, type RowBlock } from '../rows/row-binner.js';
import { type CheckedRequest, knowsCategories, type SchemaCheck, SchemaChecks } from '../rows/row-check.js';
import { underModelNames } from '../rows/row-keys.js';
import { type RowForm, RowForms, type RowWriter } from '../rows/row-writer.js';
import { ownValue, toRowObject } from '../table/cells.js';
import { warningsColumn } from '../table/column-names.js';
import { InvalidRowsError } from '../table/invalid-rows.js';
import type { Steps } from '../trees/steps.js';
import { createDescriber, listValueChecks, type ValueCheck } from './describe-row.js';
import { estimateMemory } from './memory.js';
import { estimateExplained, estimateRow, SLICE_WORK } from './work.js';

/** Rows that are scored together: their bins stay in the processor's first cache. */
const MAX_ROWS = 256;

/** Bytes that an answer is handed over in, and a little more. */
const PORTION = 64 * 1024;

/** Returns the names of the given options that only forecasters take. */
export function listForecastOptions(options: PredictOptions): string[] {
  return (['steps', 'backtest'] as const).filter((name) => options[name] !== undefined);
}

/**
 * The part of a task that serves a model.
 *
 * @typeParam A a predicted row.
 */
export interface TaskServer<A> {
  readonly layout: AnswerLayout;
  readonly binner: RowBinner;
  /** The bytes of memory that its forests take. */
  readonly forestBytes: number;
  /** The model without its trees, as plain data. */
  readonly facts: unknown;
  readonly promised: PromisedTarget;
  /** The confidence of answers to which none was given; undefined where each row has its own. */
  readonly defaultLevel: number | undefined;
  /** The number of trees that a row may pass. */
  readonly trees: number;
  /**
   * The names of the numbers that stand behind the others where contributions are asked for: of the base, and of what
   * each column contributes. Empty where they cannot be computed.
   */
  readonly contributions: readonly string[];
  /** Computes them; undefined where they cannot be computed. */
  readonly explainer: ModelExplainer | undefined;
  /**
   * Begins an answer, in blocks of at most so many rows.
   *
   * @param adapted the calibration that answers in place of the trained one.
   * @throws {RangeError} if the confidence is not within 0.01 to 0.99.
   */
  begin(asked: AskedNumbers, maxRows: number, adapted?: AdaptedCalibration): TaskAnswer<A>;
}

/** The options that decide the numbers of an answer. */
export type AskedNumbers = Pick<PredictOptions, 'confidence' | 'contributions'>;

/** The predictions of one answer's rows, block by block. */
export interface TaskAnswer<A> extends PredictedBlock {
  predict(rows: RowBlock): void;
  /** @param original as for `writeChoices`. */
  prediction(row: number, original: unknown): A;
}

/** An answer as JSON in UTF-8, in portions. */
export interface JsonAnswer extends IterableIterator<Uint8Array> {
  readonly rowCount: number;
}

/** The parts of a server that take long to make. */
export interface ServerParts<A> {
  readonly model: ModelBase;
  readonly task: TaskServer<A>;
  readonly forms: RowForms;
  readonly checks: SchemaChecks;
  readonly memoryBytes: number;
}

/** The rows that a model was trained on are held as they are stored, and decoded when they are first asked for. */
const SEEN_ROWS_SHARE = 2.5;

/** @param seenRows the encoded rows that the model was trained on, if they are known */
export function* createParts<A>(
  { target, row_count, columns: summaries, features, partial_rows }: ModelBase,
  creation: Steps<TaskServer<A>>,
  seenRows?: Uint8Array,
): Steps<ServerParts<A>> {
  const task = yield* creation;
  // Without the trees, which the task has laid out for the kernel.
  const unfamiliar = partial_rows && { unfamiliar_bins: partial_rows.unfamiliar_bins };
  const model = { target, row_count, columns: summaries, features, partial_rows: unfamiliar };
  const checks = yield* SchemaChecks.create(model, knowsCategories(model));
  const warnings: AnswerColumn = {
    name: warningsColumn(model.target),
    kind: 'warnings',
    part: 'warnings',
    describe: createDescriber(checks, model, () => seenRows && SeenRows.decode(seenRows)),
  };
  const layout = addContributions(task.layout, task.contributions);
  const forms = new RowForms({ ...layout, columns: [...layout.columns, warnings] });
  const memoryBytes = estimateMemory(task.facts, task.forestBytes) + SEEN_ROWS_SHARE * (seenRows?.length ?? 0);
  return { model, task, forms, checks, memoryBytes };
}

/** Answers rows with a model of any task. May be used by any number of callers in turn. */
export class RowServer<A> {
  readonly #parts: ServerParts<A>;
  #promises: PromiseForm | undefined;
  /** The work of a row of each form, remembered or not: it is estimated once. */
  readonly #work = { remembered: new WeakMap<RowForm, number>(), forgotten: new WeakMap<RowForm, number>() };
  /** The predictor of the latest row that came alone. */
  #single: { readonly asked: AskedNumbers; readonly answer: TaskAnswer<A> } | undefined;
  #values: readonly ValueCheck[] | undefined;

  /** The one that answers with the latest calibration that was asked for. */
  #adapted: RowServer<A> | undefined;

  constructor(
    parts: ServerParts<A>,
    /** The calibration that answers in place of the trained one. */
    readonly calibration?: AdaptedCalibration,
    private readonly trained?: RowServer<A>,
  ) {
    this.#parts = parts;
  }

  /** Returns a server of the same model that answers with another calibration. */
  adapt(calibration: AdaptedCalibration): RowServer<A> {
    if (this.#adapted?.calibration !== calibration) {
      this.#adapted = new RowServer(this.#parts, calibration, this);
    }
    return this.#adapted;
  }

  /** The approximate bytes of memory that it takes now, with what contributions are computed from: see `estimateMemory`. */
  get memoryBytes(): number {
    return this.#parts.memoryBytes + (this.#parts.task.explainer?.laidOutBytes ?? 0);
  }

  /** The model that predicts, with its target and columns. */
  get model(): Pick<ModelBase, 'target' | 'columns'> {
    return this.#parts.model;
  }

  /**
   * Predicts the target of each row. An object gives its values by column name, blanks at whose ends do
   * not count; any other value gives none.
   *
   * @throws {RangeError} if `confidence` is not within 0.01 to 0.99.
   */
  predict(rows: readonly unknown[], options: PredictOptions = {}): A[] {
    const { target } = this.#parts.model;
    const maxRows = Math.min(this.#maxRows(options), rows.length);
    const answer = rows.length === 1 ? this.#beginSingle(options) : this.#begin(maxRows, options);
    const predictions: A[] = [];
    for (const block of this.#blocks(rows, maxRows)) {
      answer.predict(block);
      for (const [index, row] of block.rows.entries()) {
        predictions.push(answer.prediction(index, ownValue(row, target)));
      }
    }
    return predictions;
  }

  /**
   * The answer to a prediction request as JSON in UTF-8: one array with an object a row, which has the
   * model's input columns as sent, the columns derived from the target, and the columns that close a
   * row, or the columns that the options select. Rows of classes have a set of them in place of bounds,
   * which are null. It comes in portions, each made when it is asked for, of some 64 KB or a little work,
   * so that others can be served in between; they may be kept, as each has its own memory.
   *
   * @throws {RangeError} at once, if `confidence` is not within 0.01 to 0.99.
   * @throws {InvalidRowsError} at once, if an option does not fit the model.
   */
  answer(rows: readonly unknown[], options: PredictOptions = {}): JsonAnswer {
    const maxRows = Math.min(this.#maxRows(options), rows.length);
    refuseManyContributions(this.#parts.forms.get(options).layout, rows.length);
    const answered = this.#answered(rows, this.#begin(maxRows, options), maxRows);
    return writeArray(answered, this.#parts.forms.get(options).writer, rows.length);
  }

  /** Lays out in steps what contributions are computed from. Returns whether they can be computed. */
  *prepareContributions(): Steps<boolean> {
    const { explainer } = this.#parts.task;
    if (!explainer) return false;
    yield* explainer.prepare();
    return true;
  }

  /**
   * Estimates the work of answering rows, in microseconds of processor time; see `work.ts`. Reads no row.
   *
   * @throws {InvalidRowsError} if an option does not fit the model.
   */
  estimate(rows: readonly unknown[], options: PredictOptions = {}): number {
    const { task } = this.#parts;
    const work = rows.length * this.#estimateRow(options);
    if (!options.contributions) return work;
    return work + estimateExplained(rows.length, task.trees, task.explainer?.isReady ?? true);
  }

  /**
   * The same for one row, at once and as text. Its objects are kept for the next row, as they take longer to make
   * than to use.
   *
   * @throws as `answer`.
   */
  answerOne(row: unknown, options: PredictOptions = {}): string {
    const answer = this.#beginSingle(options);
    const { task, checks, forms } = this.#parts;
    const { writer } = forms.get(options);
    const sent = toRowObject(row);
    const read = underModelNames(sent, checks.names.findLayout(sent));
    answer.predict(new ObjectBlock([read], task.binner));
    return `[${writer.write(read, answer, 0)}]`;
  }

  /**
   * Begins the prediction of rows in any format, for one body.
   *
   * @throws as `answer`.
   */
  blocks(options: PredictOptions = {}): BlockPredictor {
    const { model, task, forms } = this.#parts;
    const { remember } = options;
    const { explainer } = task;
    const maxRows = this.#maxRows(options);
    const answer = this.#begin(maxRows, options);
    const checks = this.#parts.checks.with(remember?.id);
    const form = forms.get(options);
    return {
      columns: model.columns,
      names: checks.names,
      binner: task.binner,
      maxRows,
      ...form,
      ...(options.contributions && explainer && { prepare: () => explainer.prepare() }),
      predict: (block) => {
        answer.predict(block);
        return answer;
      },
      check: () => checks.begin(),
      promiseSettings: remember && {
        layout: form.layout,
        form: this.#promiseForm,
        first: remember.first ?? 0,
        ids: chooseIds(remember.id),
        adapted: this.calibration,
        level: task.defaultLevel && (options.confidence ?? task.defaultLevel),
      },
    };
  }

  get #promiseForm(): PromiseForm {
    if (this.trained) return this.trained.#promiseForm;
    const { model, task } = this.#parts;
    this.#promises ??= describePromises(model, task.promised);
    return this.#promises;
  }

  /**
   * Begins a check of rows for names and values that the model does not know. It predicts nothing.
   */
  check({ id }: CheckedRequest = {}): SchemaCheck {
    return this.#parts.checks.with(id).begin();
  }

  /** Returns the columns of which a row has a value that the model uses, and cannot read, as a text for a number. */
  listUnreadable(row: unknown): string[] {
    const { model, checks } = this.#parts;
    this.#values ??= listValueChecks(model.columns);
    const sent = toRowObject(row);
    const read = underModelNames(sent, checks.names.findLayout(sent));
    const unreadable: string[] = [];
    for (const { cell, isMissing } of this.#values) {
      const value = cell.of(read);
      if (value !== null && isMissing(value)) unreadable.push(cell.name);
    }
    return unreadable;
  }

  /** Returns the most rows of a block: those of one slice of work. */
  #maxRows(options: PredictOptions): number {
    return Math.max(1, Math.min(MAX_ROWS, Math.floor(SLICE_WORK / this.#estimateRow(options))));
  }

  /** @throws {InvalidRowsError} if an option does not fit the model. */
  #estimateRow({ remember, ...options }: PredictOptions): number {
    refuseForecastOptions(options);
    const { model, task, forms } = this.#parts;
    const form = forms.get(options);
    const known = remember ? this.#work.remembered : this.#work.forgotten;
    let work = known.get(form);
    if (work === undefined) {
      work = estimateRow({
        columns: model.columns.length,
        trees: task.trees,
        bytes: form.writer.rowBytes,
        remembered: remember ? this.#promiseForm.subject.classes.length : 0,
      });
      known.set(form, work);
    }
    return work;
  }

  #begin(maxRows: number, options: PredictOptions): TaskAnswer<A> {
    return this.#parts.task.begin(options, maxRows, this.calibration);
  }

  #beginSingle(options: PredictOptions): TaskAnswer<A> {
    refuseForecastOptions(options);
    const { confidence, contributions = false } = options;
    const known = this.#single;
    if (known?.asked.confidence === confidence && known?.asked.contributions === contributions) return known.answer;
    const asked = { ...(confidence !== undefined && { confidence }), contributions };
    const answer = this.#parts.task.begin(asked, 1, this.calibration);
    this.#single = { asked, answer };
    return answer;
  }

  *#answered(rows: readonly unknown[], answer: TaskAnswer<A>, maxRows: number): Generator<AnsweredBlock> {
    for (const block of this.#blocks(rows, maxRows)) {
      answer.predict(block);
      yield { block, predicted: answer };
    }
  }

  #blocks(rows: readonly unknown[], maxRows: number): Iterable<ObjectBlock> {
    const { task, checks } = this.#parts;
    return objectBlocks(rows, { names: checks.names, binner: task.binner, maxRows });
  }
}

/** Writes answered rows as one array of JSON, in portions. */
export function writeArray(
  answered: Iterable<AnsweredBlock | undefined>,
  writer: RowWriter,
  rowCount: number,
): JsonAnswer {
  return Object.assign(writePortions(answered, writer), { rowCount });
}

function* writePortions(answered: Iterable<AnsweredBlock | undefined>, writer: RowWriter): Generator<Uint8Array> {
  let text = '[';
  let separator = '';
  for (const each of answered) {
    if (!each) continue;
    const { block, predicted } = each;
    for (let index = 0; index < block.rowCount; index++) {
      text += separator + writer.write(block.row(index), predicted, index);
      separator = ',';
      if (text.length < PORTION) continue;
      yield Buffer.from(text);
      text = '';
    }
  }
  yield Buffer.from(`${text}]`);
}

/** @throws {InvalidRowsError} if an option of forecasts is given for rows. */
function refuseForecastOptions(options: PredictOptions): void {
  const message = 'is for forecasts, and this model predicts rows; leave it out';
  const faults = listForecastOptions(options).map((parameter) => ({ parameter, message }));
  if (faults.length > 0) throw new InvalidRowsError(faults);
}
