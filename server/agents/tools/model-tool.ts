import { setImmediate } from 'node:timers/promises';
import { InvalidRowsError, type RowPredictor, runSteps, SeriesServer } from 'roster-prediction/predicting';
import { asRecord } from '../../../contract/json-record.js';
import type { components } from '../../../generated/openapi.js';
import type { Caller } from '../../auth/caller.js';
import { describeFindings, describeRecord } from '../../models/model-record.js';
import { findServing, type Model } from '../../models/model-rows.js';
import type { Predictors } from '../../models/predictions/predictors.js';
import type { RowCounter } from '../../models/predictions/row-counter.js';
import type { Project } from '../../projects/projects.js';
import type { Store } from '../../store/index.js';
import { CLASS_OUTPUT, forecastOutput, groupSchema, NUMBER_OUTPUT, nameExplain, rowSchema } from './model-schemas.js';
import { describeSeasons } from './season-words.js';
import {
  type AgentSkill,
  type SkillTool,
  type ToolDescription,
  ToolError,
  type ToolResult,
  throwToolError,
} from './tool.js';

type Column = components['schemas']['Column'];

/** The confidence of the intervals and sets that agents state: nine cases of ten. */
const CONFIDENCE = 0.9;

const MAX_WARNINGS = 20;

export interface ModelToolServices {
  readonly store: Store;
  readonly predictors: Predictors;
  readonly counter: RowCounter;
}

/**
 * Returns the tool of a skill of the type `model` (`params: {model, version?}`), which predicts a
 * row, or forecasts a series.
 * @throws {ToolError} if the tool cannot be used now, with the reason
 */
export async function modelTool(
  skill: AgentSkill,
  services: ModelToolServices,
  caller: Caller,
  project: Project,
): Promise<SkillTool> {
  const { model: name, version, description } = skill.params;
  if (!caller.scopes.includes('predict')) {
    throw new ToolError("The key of the request does not have the scope 'predict'.");
  }
  if (typeof name !== 'string') throw new ToolError('Its params name no model.');
  const number = typeof version === 'number' ? version : undefined;
  const about = await describeModel(services.store, project, name, number);
  return {
    ...about,
    description: typeof description === 'string' ? `${description} ${about.description}` : about.description,
    run: (input) => predictWith(services, caller, project, { name, version: number }, input),
  };
}

/**
 * Describes the tool of a model: its columns, what it predicts, and how well it did.
 * @param version the one that answers; without it, the one that serves
 * @throws {ToolError} if no version can answer, with the reason
 */
export async function describeModel(
  store: Store,
  project: Project,
  name: string,
  version?: number,
): Promise<ToolDescription> {
  const model = await findServing(store, project.id, name, version);
  if (!model) {
    const what = version === undefined ? 'model' : `version ${version} of the model`;
    throw new ToolError(`There is no ${what} ${JSON.stringify(name)} in the project.`);
  }
  const { columns } = model;
  if (model.status !== 'ready' || columns === null) {
    const state = model.status === 'training' ? 'is still training' : 'could not be trained';
    throw new ToolError(`Version ${model.version} of the model ${JSON.stringify(model.name)} ${state}.`);
  }
  const address = JSON.stringify(version === undefined ? name : `${name}.${version}`);
  if (model.task === 'forecast') return describeForecast(model, address, columns);
  const purpose = `Predicts ${JSON.stringify(model.target)} for one row, with the model ${address}. Leave out what is not known.`;
  return {
    description: withRecord(purpose, model),
    parameters: rowSchema(columns),
    output: model.task === 'classification' ? CLASS_OUTPUT : NUMBER_OUTPUT,
  };
}

/** The most steps that a tool returns. */
const MAX_STEPS = 100;

function describeForecast(
  model: Extract<Model, { task: 'forecast' }>,
  address: string,
  columns: readonly Column[],
): ToolDescription {
  const { target, order_by, group_by, horizon, series } = model;
  const maxSteps = Math.min(horizon, MAX_STEPS);
  const purpose = `Forecasts the next ${JSON.stringify(target)} of one series, with the model ${address}: up to ${maxSteps} steps of ${series.step.count} ${series.step.unit} after ${series.last}, by ${JSON.stringify(order_by)}.`;
  const groups = columns.filter(({ name }) => group_by.includes(name));
  return {
    description: withRecord(purpose, model),
    parameters: {
      type: 'object',
      properties: {
        series: {
          type: 'object',
          description: 'The series to forecast.',
          properties: Object.fromEntries(groups.map((one) => [one.name, groupSchema(one)])),
          required: group_by,
          additionalProperties: false,
        },
        steps: { type: 'integer', minimum: 1, maximum: maxSteps },
      },
      required: group_by.length > 0 ? ['series', 'steps'] : ['steps'],
      additionalProperties: false,
    },
    output: forecastOutput(order_by),
  };
}

function withRecord(purpose: string, model: Model): string {
  return [purpose, describeRecord(model), describeFindings(model)].filter((part) => part !== undefined).join(' ');
}

/**
 * Predicts a row, or forecasts a series.
 * @param model its name, and the version that answers; without one, the version that serves now
 * @throws {ToolError} if it cannot be answered, with the reason
 */
export async function predictWith(
  { predictors, counter }: Omit<ModelToolServices, 'store'>,
  caller: Caller,
  project: Project,
  { name, version }: { readonly name: string; readonly version?: number | undefined },
  input: unknown,
): Promise<ToolResult> {
  const names = { projectName: project.name, modelName: name, version };
  const found = predictors.require(caller, names);
  const predictor = found instanceof Promise ? await found.catch(throwToolError) : found;
  const { rows, predict } =
    predictor instanceof SeriesServer ? prepareForecast(predictor, input) : await prepareRow(predictor, input);
  const count = counter.begin(caller);
  try {
    const counted = count.add(rows);
    if (counted) await counted;
  } catch (error) {
    throwToolError(error);
  }
  try {
    const result = predict();
    count.answer(rows);
    return result;
  } finally {
    count.end();
  }
}

/** A call of a tool whose rows are not predicted yet. */
interface PreparedCall {
  readonly rows: number;
  readonly predict: () => ToolResult;
}

/** @throws {ToolError} if the input lacks a series or the number of steps */
function prepareForecast(predictor: SeriesServer, input: unknown): PreparedCall {
  const { group_by } = predictor.model;
  const { series, steps } = asRecord(input);
  const given = asRecord(series);
  const missing = group_by.filter((name) => given[name] === undefined);
  if (missing.length > 0) {
    throw new ToolError(`Name the series by ${missing.map((name) => JSON.stringify(name)).join(', ')}.`);
  }
  if (typeof steps !== 'number' || !Number.isInteger(steps) || steps < 1 || steps > MAX_STEPS) {
    throw new ToolError(`The steps must be a whole number from 1 to ${MAX_STEPS}.`);
  }
  const row = Object.fromEntries(group_by.map((name) => [name, given[name]]));
  return { rows: steps, predict: () => forecastSeries(predictor, row, steps) };
}

/** Forecasts one series, and describes each step in words. */
function forecastSeries(predictor: SeriesServer, row: Readonly<Record<string, unknown>>, steps: number): ToolResult {
  const { target, order_by } = predictor.model;
  try {
    const forecasts = predictor.predict([row], { confidence: CONFIDENCE, steps });
    const described = forecasts.map((forecast) => {
      const { step, value, min, max, confidence } = forecast;
      const moment = String(forecast.row[order_by]);
      const words = `${moment}: ${value}, and with a confidence of ${confidence} from ${min} to ${max}`;
      return { [order_by]: moment, step, ...describeNumber(forecast), words };
    });
    return {
      data: { target, series: row, forecasts: described, seasons: describeSeasons(predictor.model) },
      predictions: forecasts.map((forecast) => ({ target, ...describeNumber(forecast) })),
    };
  } catch (error) {
    if (!(error instanceof InvalidRowsError)) throw error;
    throw new ToolError(`The series cannot be forecast: the row ${error.message}.`);
  }
}

/**
 * Reads a row, and whether it is to be explained: that takes several times as long as its prediction.
 * @throws {ToolError} if the model cannot explain it
 */
async function prepareRow(predictor: RowPredictor, input: unknown): Promise<PreparedCall> {
  const { row, isExplained } = readRow(predictor, input);
  if (isExplained && !(await runSteps(predictor.prepareContributions(), () => setImmediate()))) {
    const reason = 'The model cannot explain a prediction, as it was trained before version 0.3.0.';
    throw new ToolError(`${reason} Call it without ${nameExplain(predictor.model.columns)}.`);
  }
  return { rows: 1, predict: () => predictRow(predictor, row, isExplained) };
}

/** @throws {ToolError} if it is neither true nor false whether to explain the row */
function readRow(predictor: RowPredictor, input: unknown): { readonly row: unknown; readonly isExplained: boolean } {
  const explain = nameExplain(predictor.model.columns);
  const given = asRecord(input);
  if (!Object.hasOwn(given, explain)) return { row: input, isExplained: false };
  const { [explain]: asked, ...row } = given;
  if (asked === null || typeof asked === 'boolean') return { row, isExplained: asked === true };
  throw new ToolError(`${explain} must be true or false.`);
}

/** Predicts a row, and reports what the model does not know in it, and, if it is explained, why. */
function predictRow(predictor: RowPredictor, row: unknown, contributions: boolean): ToolResult {
  const { target, columns } = predictor.model;
  const check = predictor.check();
  check.add([row]);
  const { warnings } = check.warnings(MAX_WARNINGS);
  const [prediction] = predictor.predict([row], { confidence: CONFIDENCE, contributions });
  if (!prediction) throw new Error('A row was not predicted');
  const given = asRecord(row);
  const notGiven = columns.filter(({ name, used }) => used && !(Object.hasOwn(given, name) && given[name] !== null));
  // The check knows fewer of them: nothing of the columns of models of earlier releases, and no missing words.
  const warned = new Set(warnings.flatMap(({ kind, name }) => (kind === 'unreadable' ? [name] : [])));
  const unreadable = predictor
    .listUnreadable(row)
    .filter((name) => !warned.has(name))
    .map((name) => ({ kind: 'unreadable', name, nearest: null }));
  const predicted = { target, ...describePrediction(prediction) };
  return {
    data: {
      ...predicted,
      ...describeReasons(prediction),
      not_given: notGiven.slice(0, MAX_WARNINGS).map(({ name }) => name),
      did_not_fit: [
        ...warnings.map(({ kind, name, nearest }) => ({ kind, name, nearest })),
        ...unreadable.slice(0, MAX_WARNINGS),
      ],
    },
    predictions: [predicted],
  };
}

function describePrediction(prediction: ReturnType<RowPredictor['predict']>[number]) {
  if (!('class' in prediction)) return describeNumber(prediction);
  const { class: name, confidence, set } = prediction;
  const may_be = { classes: [...set], confidence: CONFIDENCE };
  return { class: name, probability: confidence, may_be };
}

/** The number of columns with the largest contributions that language models get. */
const MAX_REASONS = 3;

/** Describes what led to a prediction; for classes in log-odds, with the probability before any column is known. */
function describeReasons({ explanation }: ReturnType<RowPredictor['predict']>[number]) {
  if (!explanation) return {};
  const { base, columns } = explanation;
  const top = columns.toSorted((one, other) => Math.abs(other.value) - Math.abs(one.value)).slice(0, MAX_REASONS);
  const contributions = top.map(({ name, value }) => ({ column: name, adds: Number(value.toPrecision(3)) }));
  const before = 'baseProbability' in explanation ? { probability: explanation.baseProbability } : { value: base };
  return { before_any_column: before, contributions };
}

interface PredictedNumber {
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly confidence: number;
}

function describeNumber({ value, min, max, confidence }: PredictedNumber) {
  return { value, interval: { min, max, confidence } };
}
