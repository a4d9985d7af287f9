import type { components } from '../../../generated/openapi.js';
import {
  type AnyPredictor,
  InvalidRowsError,
  type RowPredictor,
  SeriesServer,
} from '../../../prediction/src/predicting.js';
import type { Caller } from '../../auth/caller.js';
import { asRecord } from '../../contract/json-record.js';
import { findModel, type Model } from '../../models/model-rows.js';
import type { Predictors } from '../../models/predictions/predictors.js';
import type { Project } from '../../projects/projects.js';
import type { Store } from '../../store/index.js';
import { type Tool, ToolError, type ToolSkill } from './tool.js';

type Column = components['schemas']['Column'];

/** The confidence of the intervals and sets that agents tell: nine cases of ten. */
const CONFIDENCE = 0.9;

const MAX_WARNINGS = 20;

export interface ModelToolServices {
  readonly store: Store;
  readonly predictors: Predictors;
  readonly onPredicted: () => void;
}

/**
 * Returns the tool of a skill of the type `model` (`params: {model, version?}`), which predicts a
 * row.
 * @throws {ToolError} if the tool cannot be used now, with the reason
 */
export async function modelTool(
  skill: ToolSkill,
  { store, predictors, onPredicted }: ModelToolServices,
  { owner, scopes }: Caller,
  project: Project,
): Promise<Tool> {
  const { model: name, version, description } = skill.params;
  if (!scopes.includes('predict')) {
    throw new ToolError("The key of the request does not have the scope 'predict'.");
  }
  if (typeof name !== 'string') throw new ToolError('Its params name no model.');
  const number = typeof version === 'number' ? version : undefined;
  const model = await findServing(store, project.id, name, number);
  const address = number === undefined ? name : `${name}.${number}`;
  const { columns } = model;
  if (model.status !== 'ready' || columns === null) {
    const state = model.status === 'training' ? 'is still training' : 'could not be trained';
    throw new ToolError(
      `Version ${model.version} of the model ${JSON.stringify(model.name)} ${state}.`,
    );
  }
  if (model.task === 'forecast') {
    return forecastTool(skill, model, address, async () => {
      const predictor = await predictors.serving(owner, project.name, address);
      onPredicted();
      return predictor;
    });
  }
  const purpose = `Predicts ${JSON.stringify(model.target)} for one row, with the model ${JSON.stringify(address)}. Leave out what is not known.`;
  return {
    ...{ name: skill.toolName, skill: skill.name },
    description: typeof description === 'string' ? `${description} ${purpose}` : purpose,
    parameters: rowSchema(columns),
    run: async (row) => {
      const predictor = await predictors.serving(owner, project.name, address);
      if (!predictor || predictor instanceof SeriesServer) {
        throw new ToolError(`The model ${JSON.stringify(address)} is gone.`);
      }
      const text = JSON.stringify(predictRow(predictor, model, row));
      onPredicted();
      return { text };
    },
  };
}

/** The most steps that a tool tells. */
const MAX_STEPS = 100;

/** Returns the tool of a model of forecasts, which tells the next steps of one series. */
function forecastTool(
  skill: ToolSkill,
  model: Extract<Model, { task: 'forecast' }>,
  address: string,
  load: () => Promise<AnyPredictor | undefined>,
): Tool {
  const { target, order_by, group_by, horizon, columns, series } = model;
  const { description } = skill.params;
  const most = Math.min(horizon, MAX_STEPS);
  const purpose = `Forecasts the next ${JSON.stringify(target)} of one series, with the model ${JSON.stringify(address)}: up to ${most} steps of ${series.step.count} ${series.step.unit} after ${series.last}, by ${JSON.stringify(order_by)}.`;
  const groups = (columns ?? []).filter(({ name }) => group_by.includes(name));
  return {
    ...{ name: skill.toolName, skill: skill.name },
    description: typeof description === 'string' ? `${description} ${purpose}` : purpose,
    parameters: {
      type: 'object',
      properties: {
        series: {
          type: 'object',
          description: 'The series to forecast.',
          properties: Object.fromEntries(groups.map((one) => [one.name, valueSchema(one)])),
          required: group_by,
          additionalProperties: false,
        },
        steps: { type: 'integer', minimum: 1, maximum: most },
      },
      required: group_by.length > 0 ? ['series', 'steps'] : ['steps'],
      additionalProperties: false,
    },
    run: async (sent) => {
      const predictor = await load();
      if (!(predictor instanceof SeriesServer)) {
        throw new ToolError(`The model ${JSON.stringify(address)} is gone.`);
      }
      const { series: row, steps } = asRecord(sent);
      return { text: JSON.stringify(forecastSeries(predictor, model, row, Number(steps))) };
    },
  };
}

/** Forecasts one series, and tells each step in words. */
function forecastSeries(
  predictor: SeriesServer,
  { target, order_by, group_by }: Extract<Model, { task: 'forecast' }>,
  sent: unknown,
  steps: number,
): object {
  const given = asRecord(sent);
  const missing = group_by.filter((name) => given[name] === undefined || given[name] === null);
  if (missing.length > 0) {
    throw new ToolError(
      `Name the series by ${missing.map((name) => JSON.stringify(name)).join(', ')}.`,
    );
  }
  const row = Object.fromEntries(group_by.map((name) => [name, given[name]]));
  try {
    const forecasts = predictor.predict([row], { confidence: CONFIDENCE, steps });
    return {
      target,
      series: row,
      forecasts: forecasts.map((forecast) => {
        const { step, value, min, max, confidence } = forecast;
        const moment = String(forecast.row[order_by]);
        const words = `${moment}: ${value}, and with a confidence of ${confidence} from ${min} to ${max}`;
        return { [order_by]: moment, step, value, interval: { min, max, confidence }, words };
      }),
    };
  } catch (error) {
    if (!(error instanceof InvalidRowsError)) throw error;
    throw new ToolError(`The series cannot be forecast: the row ${error.message}.`);
  }
}

/** Finds the version that answers: the one with the number, or the one that serves. */
async function findServing(
  store: Store,
  projectId: string,
  name: string,
  version: number | undefined,
): Promise<Model> {
  const newest = await findModel(store, projectId, name, version);
  if (!newest) {
    const what = version === undefined ? 'model' : `version ${version} of the model`;
    throw new ToolError(`There is no ${what} ${JSON.stringify(name)} in the project.`);
  }
  const { serving_version } = newest;
  const isOther = version === undefined && serving_version !== null;
  if (!isOther || newest.version === serving_version) return newest;
  return (await findModel(store, projectId, name, serving_version)) ?? newest;
}

/** Predicts a row, and tells what the model does not know in it. */
function predictRow(predictor: RowPredictor, { target, columns }: Model, row: unknown): object {
  const check = predictor.check();
  check.add([row]);
  const { warnings } = check.warnings(MAX_WARNINGS);
  const [prediction] = predictor.predict([row], { confidence: CONFIDENCE });
  if (!prediction) throw new Error('A row was not predicted');
  const given = new Set(Object.keys(Object(row)));
  const notGiven = (columns ?? []).filter(({ name, used }) => used && !given.has(name));
  return {
    target,
    ...describePrediction(prediction),
    not_given: notGiven.slice(0, MAX_WARNINGS).map(({ name }) => name),
    did_not_fit: warnings.map(({ kind, name, nearest }) => ({ kind, name, nearest })),
  };
}

function describePrediction(prediction: ReturnType<RowPredictor['predict']>[number]): object {
  if ('class' in prediction) {
    const { class: name, confidence, set } = prediction;
    const may_be = { classes: set, confidence: CONFIDENCE };
    return { class: name, probability: confidence, may_be };
  }
  const { value, min, max, confidence } = prediction;
  return { value, interval: { min, max, confidence } };
}

/** The most columns that a language model is told of: those that matter most. */
const MAX_COLUMNS = 64;

/** The most categories of a column that are offered as choices; more are told as examples. */
const MAX_CHOICES = 50;

/** The most characters of the categories of a column. */
const MAX_CHARACTERS = 2000;

/**
 * Returns the JSON Schema of a row: a property for each column that the model uses, with its range
 * or its categories.
 */
function rowSchema(columns: readonly Column[]): Readonly<Record<string, unknown>> {
  const used = columns
    .filter((column) => column.used)
    .sort((one, other) => (other.importance?.gain ?? 0) - (one.importance?.gain ?? 0))
    .slice(0, MAX_COLUMNS);
  return {
    type: 'object',
    properties: Object.fromEntries(used.map((column) => [column.name, valueSchema(column)])),
    additionalProperties: false,
  };
}

function valueSchema({ kind, min, max, categories }: Column): object {
  const range = min === null || max === null ? {} : { description: `${min} to ${max}` };
  if (kind === 'number') return { type: 'number', ...range };
  if (kind === 'date') return { type: 'string', format: 'date', ...range };
  let characters = 0;
  const fitting = (categories ?? []).filter((category) => {
    if (characters + category.length > MAX_CHARACTERS) return false;
    characters += category.length;
    return true;
  });
  const choices = fitting.slice(0, MAX_CHOICES);
  if (choices.length === 0) return { type: 'string' };
  return choices.length === categories?.length
    ? { type: 'string', enum: choices }
    : { type: 'string', description: `such as ${choices.join(', ')}` };
}
