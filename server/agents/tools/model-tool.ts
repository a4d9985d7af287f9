import type {
  AnyPredictor,
  ClassPrediction,
  Prediction,
} from '../../../prediction/src/predicting.js';
import { findModel, type Model } from '../../models/model-rows.js';
import type { Predictors } from '../../models/predictions/predictors.js';
import type { Store } from '../../store/index.js';
import { type Tool, ToolError } from '../tool.js';
import { rowSchema } from './row-schema.js';
import type { ToolSkill } from './tool-skill.js';

/** The confidence of the intervals and sets that agents tell: nine cases of ten. */
const CONFIDENCE = 0.9;

/** A model that an agent may ask, and its address. */
interface Place {
  readonly store: Store;
  readonly predictors: Predictors;
  /** Called for each row that is predicted. */
  readonly onPredicted: () => void;
  readonly owner: string;
  readonly projectId: string;
  readonly projectName: string;
}

/**
 * Returns the tool of a skill of the type `model` (`params: {model, version?}`), which predicts a
 * row.
 * @param canPredict whether the key of the caller allows predictions
 * @throws {ToolError} if the tool cannot be used now, with the reason
 */
export async function modelTool(
  skill: ToolSkill,
  { store, predictors, onPredicted, owner, projectId, projectName }: Place,
  canPredict: boolean,
): Promise<Tool> {
  const { model: name, version, description } = skill.params;
  if (!canPredict) throw new ToolError("The key of the request does not have the scope 'predict'.");
  if (typeof name !== 'string') throw new ToolError('Its params name no model.');
  const number = typeof version === 'number' ? version : undefined;
  const model = await servingModel(store, projectId, name, number);
  const address = number === undefined ? name : `${name}.${number}`;
  const { columns } = model;
  if (model.status !== 'ready' || columns === null) throw new ToolError(reasonOf(model));
  return {
    ...{ name: skill.toolName, skill: skill.name },
    description: [
      description,
      `Predicts ${JSON.stringify(model.target)} for one row, with the model ${JSON.stringify(address)}. Leave out what is not known.`,
    ]
      .filter((text) => typeof text === 'string')
      .join(' '),
    parameters: rowSchema(columns),
    run: async (row) => {
      const predictor = await predictors.serving(owner, projectName, address);
      if (!predictor) throw new ToolError(`The model ${JSON.stringify(address)} is gone.`);
      const text = JSON.stringify(predicted(predictor, model, row));
      onPredicted();
      return { text };
    },
  };
}

/** Finds the version that answers: the one with the number, or the one that serves. */
async function servingModel(
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

function reasonOf({ name, version, status }: Model): string {
  const state = status === 'training' ? 'is still training' : 'could not be trained';
  return `Version ${version} of the model ${JSON.stringify(name)} ${state}.`;
}

/** Predicts a row, and tells what the model does not know in it. */
function predicted(predictor: AnyPredictor, { target, columns }: Model, row: unknown): object {
  const check = predictor.check();
  check.add([row]);
  const { warnings } = check.warnings(MAX_WARNINGS);
  const [prediction] = predictor.predict([row], { confidence: CONFIDENCE });
  if (!prediction) throw new Error('A row was not predicted');
  const given = new Set(Object.keys(Object(row)));
  const notGiven = (columns ?? []).filter(({ name, used }) => used && !given.has(name));
  return {
    target,
    ...('class' in prediction ? classOf(prediction) : numberOf(prediction)),
    not_given: notGiven.slice(0, MAX_WARNINGS).map(({ name }) => name),
    did_not_fit: warnings.map(({ kind, name, nearest }) => ({ kind, name, nearest })),
  };
}

const MAX_WARNINGS = 20;

function numberOf({ value, min, max, confidence }: Prediction): object {
  return { value, interval: { min, max, confidence } };
}

function classOf({ class: name, confidence, set }: ClassPrediction): object {
  return { class: name, probability: confidence, may_be: { classes: set, confidence: CONFIDENCE } };
}
