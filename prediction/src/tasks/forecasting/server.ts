import { type AdaptedCalibration, chooseShifts, shiftAt } from '../../calibration/adapting.js';
import { describeStepWidths, nameStepGroups, stepGroup } from '../../calibration/trained-calibration.js';
import { requireLevel } from '../../intervals/conformal.js';
import { Rounding, WHOLE, withinSupport } from '../../intervals/target-range.js';
import { chooseIds } from '../../promises/ids.js';
import type { PromiseForm } from '../../promises/subject.js';
import {
  ANOMALY,
  addContributions,
  CONFIDENCE,
  EXPLAINED_SHARE,
  flagChoice,
  isOutside,
  layOutInterval,
  MAX,
  MIN,
  type PredictedBlock,
  refuseManyContributions,
  VALUE,
} from '../../rows/answer-layout.js';
import {
  type AnsweredBlock,
  type BlockPredictor,
  type GatheredAnswer,
  MAX_ARRAY_ROWS,
  objectBlocks,
  type PredictOptions,
  type RowGatherer,
} from '../../rows/blocks.js';
import { ObjectBlock, RowBinner, type RowBlock } from '../../rows/row-binner.js';
import { type CheckedRequest, type SchemaCheck, SchemaChecks } from '../../rows/row-check.js';
import { ColumnMapper } from '../../rows/row-keys.js';
import { RowForms } from '../../rows/row-writer.js';
import { estimateMemory } from '../../serving/memory.js';
import { type JsonAnswer, writeArray } from '../../serving/row-server.js';
import { estimateExplained, estimateReading, estimateSeries, SLICE_WORK } from '../../serving/work.js';
import type { RowObject } from '../../table/cells.js';
import { baseColumn, contributionColumn, seasonColumn } from '../../table/column-names.js';
import { InvalidRowsError } from '../../table/invalid-rows.js';
import { formatMoment } from '../../table/moments.js';
import { cacheByPosition, findMoment } from '../../table/time-grid.js';
import { countTrees } from '../../trees/forest/tree.js';
import { finish, type Steps } from '../../trees/steps.js';
import type { AskedSeries } from './asked-series.js';
import { ForecastRequest } from './forecast-request.js';
import { createGrid } from './horizon.js';
import { KnownAhead } from './known-ahead.js';
import { Forecaster } from './method.js';
import { type SeriesFacts, SeriesIndex } from './series-index.js';
import type { SeriesModel } from './series-model.js';

/** A forecast of one step of a series. */
export interface ForecastPrediction {
  /** The columns that order and group rows, by name. */
  readonly row: RowObject;
  /** Steps after the last value of the series, from 1. */
  readonly step: number;
  readonly value: number;
  /** In a backtest, the value that came; null where there is none. */
  readonly actual: number | null;
  /** The share of true values that lie between min and max. */
  readonly confidence: number;
  readonly min: number;
  readonly max: number;
}

/** A value of a series; null in a gap. */
export interface SeriesValue {
  readonly moment: string | number;
  readonly value: number | null;
}

/** The level of intervals for which none was asked. */
const DEFAULT_LEVEL = 0.9;

/** Rows of an answer that are made together. */
const MAX_ROWS = 256;

/** The most series that are forecast together, if they take at most a slice of work. */
const MAX_SERIES = 32;

/** A window in which bases compete takes as long as so many of other models. */
const COMPETITION_READS = 3;

/** The place of the step among the numbers of a row. */
const STEP = 4;
const NUMBERS = 5;

interface Parts {
  readonly model: SeriesFacts;
  /** See `SeriesServer.memoryBytes`. */
  readonly memoryBytes: number;
  readonly index: SeriesIndex;
  readonly forecaster: Forecaster;
  /** The numbers of a row where contributions are asked for, beside the others. */
  readonly contributions: number;
  /** The number of trees that a step passes. */
  readonly trees: number;
  readonly binner: RowBinner;
  readonly forms: RowForms;
  readonly checks: SchemaChecks;
}

/** Forecasts series: those of its model, continued by what rows say, or those of which rows give the history. */
export class SeriesServer {
  readonly #parts: Parts;

  static *create(model: SeriesModel): Steps<SeriesServer> {
    const layout = layOutInterval(model, [{ name: 'step', kind: 'number', at: STEP }]);
    const [order, ...columns] = model.columns;
    // Moments that are asked for are later than the table: none is out of range.
    const checked = order ? [{ ...order, min: null, max: null }, ...columns] : columns;
    const inputs = { columns: checked, features: [], partial_rows: null, target: model.target };
    // Series may be new; other columns are read by the categories that the table had.
    const readsCategories = (column: number) => column > model.group_by.length;
    const grid = { ...createGrid(model.grid, model.holidays, model.events), season: model.method.season };
    const forecaster = yield* Forecaster.create(model.method, grid);
    const { series, ...rest } = model;
    const facts = { ...rest, method: forecaster.model };
    const index = new SeriesIndex({ ...facts, series });
    const contributions = forecaster.isExplainable ? nameContributions(index) : [];
    return new SeriesServer({
      model: { ...facts, series },
      index,
      forecaster,
      contributions: contributions.length,
      trees: countTrees([model.method.value_forest, model.method.error_forest]),
      memoryBytes: estimateMemory(facts, forecaster.forestBytes) + series.bytes,
      binner: yield* RowBinner.create(inputs),
      forms: new RowForms(addContributions(layout, contributions)),
      checks: yield* SchemaChecks.create(inputs, readsCategories),
    });
  }

  /** The one that answers with the latest calibration that was asked for. */
  #adapted: SeriesServer | undefined;

  private constructor(
    parts: Parts,
    /** The calibration that answers in place of the trained one. A backtest has the trained one. */
    readonly calibration?: AdaptedCalibration,
  ) {
    this.#parts = parts;
  }

  /** Returns a server of the same model that answers with another calibration. */
  adapt(calibration: AdaptedCalibration): SeriesServer {
    if (this.#adapted?.calibration !== calibration) {
      this.#adapted = new SeriesServer(this.#parts, calibration);
    }
    return this.#adapted;
  }

  /** The approximate bytes of memory that it takes now, with what contributions are computed from: see `estimateMemory`. */
  get memoryBytes(): number {
    return this.#parts.memoryBytes + this.#parts.forecaster.laidOutBytes;
  }

  /** The model that forecasts, with its target, order and groups. */
  get model(): Pick<SeriesModel, 'target' | 'order_by' | 'group_by' | 'grid' | 'metrics'> {
    return this.#parts.model;
  }

  /**
   * Forecasts what rows ask for. Without rows, the next steps of all series.
   *
   * @throws {RangeError} if `confidence` is not within 0.01 to 0.99.
   * @throws {InvalidRowsError} if the rows cannot be answered.
   */
  predict(rows: readonly unknown[], options: PredictOptions = {}): ForecastPrediction[] {
    const { order_by, group_by } = this.#parts.model;
    const predictions: ForecastPrediction[] = [];
    const plain = { ...options, contributions: false };
    const { blocks } = this.#answer(rows, plain, Number.POSITIVE_INFINITY);
    for (const each of blocks) {
      if (!each) continue;
      const { block, predicted } = each;
      for (let index = 0; index < block.rowCount; index++) {
        const sent = block.row(index);
        const row = Object.fromEntries([order_by, ...group_by].map((name) => [name, sent[name] ?? null]));
        const original = sent[this.#parts.model.target];
        const actual = typeof original === 'number' ? original : null;
        predictions.push({ row, actual, ...readNumbers(predicted.numbers, index) });
      }
    }
    return predictions;
  }

  /** The answer as JSON in UTF-8, as `RowServer.answer`; throws as `predict`, at once. */
  answer(rows: readonly unknown[], options: PredictOptions = {}): JsonAnswer {
    const { blocks, rowCount } = this.#answer(rows, options, MAX_ARRAY_ROWS);
    return writeArray(blocks, this.#parts.forms.get(options).writer, rowCount);
  }

  /**
   * Estimates the work of forecasting what rows ask for, in microseconds of processor time; see `work.ts`. A row that
   * names some of the groups counts as one that asks for all series.
   *
   * @throws {InvalidRowsError} if an option does not fit the model.
   */
  estimate(rows: readonly unknown[], options: PredictOptions = {}): number {
    const { model } = this.#parts;
    const reading = estimateReading(rows.length, model.columns.length);
    const count = this.#countSeries(rows);
    const work = reading + count * this.#estimateSeries(options, rows.length);
    if (!options.contributions) return work;
    const { trees, forecaster } = this.#parts;
    return work + estimateExplained(count * (options.steps ?? model.method.horizon), trees, forecaster.isReady);
  }

  /** Begins the answer of rows in any format, for one body. @throws as `predict`. */
  blocks(options: PredictOptions = {}): BlockPredictor {
    const { model, binner, forms } = this.#parts;
    const { remember } = options;
    const checks = this.#parts.checks.with(remember?.id);
    const future = this.#future(options);
    requireLevel(options.confidence ?? DEFAULT_LEVEL);
    const form = forms.get(options);
    return {
      columns: model.columns,
      names: checks.names,
      binner,
      maxRows: MAX_ROWS,
      ...form,
      predict: () => {
        throw new Error('Rows of forecasts are gathered first');
      },
      ...(options.contributions && { prepare: () => this.#parts.forecaster.prepare() }),
      gather: () => this.#gather(options, future),
      check: () => checks.begin(future),
      promiseSettings: remember && {
        layout: form.layout,
        form: describeForecasts(model),
        first: remember.first ?? 0,
        ids: chooseIds(remember.id, model),
        adapted: options.backtest === undefined ? this.calibration : undefined,
        level: undefined,
      },
    };
  }

  /**
   * Returns the last values of a series that are kept, oldest first; undefined if the model does not know it.
   *
   * @param groups its values of the group columns.
   * @param most the most values.
   */
  lastValues(groups: readonly string[], most: number): SeriesValue[] | undefined {
    const { model, index } = this.#parts;
    const { series, grid, group_by } = model;
    const texts = groups.map((group, column) => index.groupText(column, group));
    const found = groups.length === group_by.length ? series.groups.find(texts) : -1;
    if (found < 0) return undefined;
    const { start, values } = series.series(found);
    const first = Math.max(0, values.length - most);
    return Array.from(values.subarray(first), (value, index) => {
      const moment = formatMoment(grid.form, findMoment(grid, start + first + index));
      return { moment, value: Number.isNaN(value) ? null : value };
    });
  }

  /** Begins a check of the rows of a request; see `RowServer.check`. */
  check({ id, backtest }: CheckedRequest = {}): SchemaCheck {
    return this.#parts.checks.with(id).begin(this.#future({ backtest }), true);
  }

  /** Counts what moments lack; the table has what a backtest needs. */
  #future({ backtest }: Pick<CheckedRequest, 'backtest'>): KnownAhead | undefined {
    return backtest === undefined ? new KnownAhead(this.#parts.index) : undefined;
  }

  /** Returns the most series that rows may ask for. */
  #countSeries(rows: readonly unknown[]): number {
    const { model, index, checks } = this.#parts;
    const { count: length } = model.series;
    if (rows.length === 0) return length;
    const keys = new ColumnMapper(checks.names);
    const named = new Set<string>();
    let count = 0;
    for (let start = 0; start < rows.length; ) {
      const read = keys.read(rows, start, MAX_ROWS);
      for (const row of read) {
        const hasMoment = index.orderText(index.order.of(row)) !== '';
        if (hasMoment || index.groups.every((cell) => cell.isIn(row))) {
          named.add(JSON.stringify(index.groups.map((cell, column) => index.groupText(column, cell.of(row)))));
        } else count = length;
      }
      start += read.length;
    }
    return count + named.size;
  }

  /** @param sent the rows that may be history */
  #estimateSeries({ remember, steps, ...options }: PredictOptions, sent = 0): number {
    const { model, trees, forms } = this.#parts;
    const { history_needed, horizon, features, competition } = model.method;
    // Each origin that is compared, too, has a forecast by each base.
    const reads = competition ? COMPETITION_READS * (1 + competition.origins) : 1;
    return estimateSeries({
      values: reads * Math.min(history_needed, Math.max(model.report.longest, sent)),
      steps: steps ?? horizon,
      inputs: features.length,
      trees,
      bytes: forms.get(options).writer.rowBytes,
    });
  }

  #gather(options: PredictOptions, future: KnownAhead | undefined): RowGatherer {
    const request = new ForecastRequest(this.#parts.index, options);
    return {
      add: (block) => addRows(request, block, future),
      answer: (maxRows) => this.#forecast(request, options, maxRows),
    };
  }

  #answer(rows: readonly unknown[], options: PredictOptions, maxRows: number): GatheredAnswer {
    requireLevel(options.confidence ?? DEFAULT_LEVEL);
    const request = new ForecastRequest(this.#parts.index, options);
    const { binner, checks } = this.#parts;
    for (const block of objectBlocks(rows, { names: checks.names, binner, maxRows: MAX_ROWS })) {
      finish(addRows(request, block));
    }
    return finish(this.#forecast(request, options, maxRows));
  }

  /** Checks the request, and forecasts when the blocks are iterated. */
  *#forecast(request: ForecastRequest, options: PredictOptions, maxRows: number): Steps<GatheredAnswer> {
    const asked = request.finish();
    yield;
    const { rowCount } = asked;
    if (rowCount > maxRows) {
      const message = `asks for ${rowCount.toLocaleString('en')} rows, and an array of JSON has at most ${maxRows.toLocaleString('en')}; ask for fewer steps or series, or for NDJSON, CSV or Arrow`;
      throw new InvalidRowsError([{ message }]);
    }
    if (options.contributions && maxRows === MAX_ARRAY_ROWS) {
      refuseManyContributions(this.#parts.forms.get(options).layout, rowCount);
    }
    return { rowCount, blocks: this.#forecastSeries(asked, options) };
  }

  *#forecastSeries(asked: Iterable<AskedSeries>, options: PredictOptions): Generator<AnsweredBlock | undefined> {
    const perSlice = Math.floor(SLICE_WORK / this.#estimateSeries(options));
    const maxSeries = Math.max(1, Math.min(MAX_SERIES, perSlice));
    const { confidence = DEFAULT_LEVEL, backtest } = options;
    let chunk: AskedSeries[] = [];
    const isBacktest = backtest !== undefined;
    const isExplained = options.contributions ?? false;
    const block = new BlockBuilder(this.#parts, { level: confidence, isBacktest, isExplained }, this.calibration);
    for (const series of asked) {
      chunk.push(series);
      if (chunk.length < maxSeries) continue;
      yield* block.add(chunk);
      yield;
      chunk = [];
    }
    yield* block.add(chunk);
    yield* block.end();
  }
}

/** Adds the rows of a block to a request, in steps: one row may ask for all series. */
function* addRows(request: ForecastRequest, block: RowBlock, future?: KnownAhead): Steps<void> {
  for (let index = 0; index < block.rowCount; index++) {
    const row = block.row(index);
    request.add(row);
    future?.add(row);
    yield;
  }
}

/** Describes promises whose only column is the step, by group. */
function describeForecasts({
  target,
  target_reading: reading,
  method,
  metrics,
  whole_target,
  missing_words,
}: SeriesFacts): PromiseForm {
  const categories = nameStepGroups(method.horizon);
  return {
    subject: {
      task: 'forecast',
      target,
      reading,
      ...(missing_words && { missing_words: missing_words.target }),
      classes: [],
      columns: [{ name: 'step', kind: 'category', part: null, cuts: [], categories }],
      calibration: {
        log_widths_by_step: describeStepWidths(method.scores),
        ...(whole_target && { is_whole: whole_target }),
      },
      calibrated_rows: metrics.value_count,
    },
    features: [0],
  };
}

/** Fills blocks of answer rows with the forecasts of series. */
class BlockBuilder {
  readonly #parts: Parts;
  readonly #level: number;
  readonly #isBacktest: boolean;
  /** By step, from 0, by what the trained widths of a level are multiplied; none, if they stand. */
  readonly #factorsOf: ((step: number) => (level: number) => number) | undefined;
  readonly #bins = new Uint8Array(MAX_ROWS);
  readonly #isExplained: boolean;
  /** The numbers of a row. */
  readonly #stride: number;
  readonly #numbers: Float64Array;
  readonly #predicted: PredictedBlock;
  readonly #formatPosition: (position: number) => string | number;
  #rows: RowObject[] = [];

  constructor(
    parts: Parts,
    { level, isBacktest, isExplained }: { level: number; isBacktest: boolean; isExplained: boolean },
    adapted: AdaptedCalibration | undefined,
  ) {
    this.#parts = parts;
    this.#isExplained = isExplained;
    this.#stride = NUMBERS + (isExplained ? parts.contributions : 0);
    this.#numbers = new Float64Array(MAX_ROWS * this.#stride);
    this.#level = level;
    this.#isBacktest = isBacktest;
    const { horizon } = parts.model.method;
    if (adapted && !isBacktest) {
      this.#factorsOf = (step) => {
        const shifts = chooseShifts(adapted, stepGroup(step + 1, horizon));
        return (ofLevel) => Math.exp(shiftAt(shifts, ofLevel));
      };
    }
    this.#predicted = {
      numbers: this.#numbers,
      bins: this.#bins,
      // Only a backtest has the value that came.
      writeChoices: (row, actual, choices, at) => {
        const isAnomaly = typeof actual === 'number' ? isOutside(actual, this.#numbers, row * this.#stride) : null;
        choices[at + ANOMALY] = flagChoice(isAnomaly);
      },
    };
    const { grid } = parts.model;
    this.#formatPosition = cacheByPosition((position) => formatMoment(grid.form, findMoment(grid, position)));
  }

  *add(asked: readonly AskedSeries[]): Generator<AnsweredBlock> {
    const { forecaster, model } = this.#parts;
    let most = 0;
    for (const { steps } of asked) for (const { step } of steps) most = Math.max(most, step);
    if (most === 0) return;
    const forecasts = forecaster.forecast(
      asked.map(({ series }) => series),
      most,
      this.#isBacktest,
      this.#isExplained,
    );
    for (const [place, { groups, steps }] of asked.entries()) {
      const forecast = forecasts[place];
      if (forecast === undefined) throw new Error('A series was not forecast');
      const scale = forecast.unit * (forecast.scales[0] ?? 0);
      const rounding = new Rounding(scale);
      const fine = new Rounding(EXPLAINED_SHARE * scale);
      for (const { step, position, row, actual } of steps) {
        const value = forecast.values[step - 1] ?? 0;
        const factorOf = this.#factorsOf?.(step - 1);
        const { low, high, level } = forecaster.interval(forecast, step - 1, this.#level, factorOf);
        const at = this.#rows.length * this.#stride;
        const numbers = this.#numbers;
        const rounded = {
          value: rounding.nearest(value),
          min: rounding.down(Math.min(low, value)),
          max: rounding.up(Math.max(high, value)),
        };
        const answered = model.whole_target ? withinSupport(WHOLE, rounded) : rounded;
        numbers[at + VALUE] = answered.value;
        numbers[at + CONFIDENCE] = level;
        numbers[at + MIN] = answered.min;
        numbers[at + MAX] = answered.max;
        numbers[at + STEP] = step;
        for (const [index, part] of forecast.explanations?.[step - 1]?.entries() ?? []) {
          numbers[at + NUMBERS + index] = fine.nearest(part);
        }
        this.#bins[this.#rows.length] = stepGroup(step, model.method.horizon) + 1;
        this.#rows.push(row ?? nextRow(model, groups, this.#formatPosition(position), actual));
        if (this.#rows.length === MAX_ROWS) yield* this.end();
      }
    }
  }

  *end(): Generator<AnsweredBlock> {
    if (this.#rows.length === 0) return;
    const block: RowBlock = new ObjectBlock(this.#rows, this.#parts.binner);
    this.#rows = [];
    yield { block, predicted: this.#predicted };
  }
}

function nextRow(
  { order_by, group_by, target }: SeriesFacts,
  groups: readonly string[],
  moment: string | number,
  actual: number | undefined,
): RowObject {
  // Without a prototype, `__proto__` is a key as any other.
  const row: Record<string, unknown> = Object.create(null);
  row[order_by] = moment;
  for (const [index, name] of group_by.entries()) {
    row[name] = groups[index] === '' ? null : groups[index];
  }
  if (actual !== undefined) row[target] = actual;
  return row;
}

/** Names what a forecast is made of: the base, its season, and the subjects of `InputReader` in their order. */
function nameContributions({ model, covariates }: SeriesIndex): string[] {
  const { target, order_by } = model;
  const past = covariates.filter(({ isKnown }) => !isKnown);
  const known = covariates.filter(({ isKnown }) => isKnown);
  const names = [target, order_by, ...[...past, ...known].map(({ cell }) => cell.name)];
  return [baseColumn(target), seasonColumn(target), ...names.map((name) => contributionColumn(target, name))];
}

function readNumbers(numbers: Float64Array, index: number): Omit<ForecastPrediction, 'row' | 'actual'> {
  const at = index * NUMBERS;
  return {
    step: numbers[at + STEP] ?? 0,
    value: numbers[at + VALUE] ?? 0,
    confidence: numbers[at + CONFIDENCE] ?? 0,
    min: numbers[at + MIN] ?? 0,
    max: numbers[at + MAX] ?? 0,
  };
}
