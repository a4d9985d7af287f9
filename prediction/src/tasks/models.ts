import * as v from 'valibot';
import { ModelLineReader, ModelLineWriter } from '../model/model-lines.js';
import { refuseLaterFormat } from '../table/codec/stored-format.js';
import { finish, type Steps } from '../trees/steps.js';
import { describeClassification } from './classification/metrics.js';
import {
  type ClassificationModel,
  classificationHeadSchema,
  decodeClassification,
  encodeClassification,
} from './classification/model.js';
import { describeRegression } from './regression/metrics.js';
import {
  decodeRegression,
  encodeRegression,
  type RegressionModel,
  regressionHeadSchema,
} from './regression/model.js';

/** A trained model, told apart by its task. */
export type Model = RegressionModel | ClassificationModel;

const FORMAT = 'roster-model/2';

const formatSchema = v.object({ format: v.literal(FORMAT) });
const headSchema = v.variant('task', [regressionHeadSchema, classificationHeadSchema]);

/** Encodes a model as lines of JSON. Decoded, it predicts the same to the last bit. */
export function encodeModel(model: Model): Uint8Array {
  const lines = new ModelLineWriter();
  const head =
    model.task === 'regression'
      ? encodeRegression(model, lines)
      : encodeClassification(model, lines);
  return lines.finish({ format: FORMAT, ...head });
}

/** @throws {Error} if the bytes are not an encoded model of this format. */
export function decodeModel(bytes: Uint8Array): Model {
  return finish(decodeModelInSteps(bytes));
}

/**
 * Decodes a model in steps.
 *
 * @throws {Error} in a step, as `decodeModel`.
 */
export function* decodeModelInSteps(bytes: Uint8Array): Steps<Model> {
  const lines = new ModelLineReader(bytes);
  const stored = lines.next();
  refuseLaterFormat(stored, FORMAT);
  v.parse(formatSchema, stored);
  const head = v.parse(headSchema, stored);
  const model =
    head.task === 'regression'
      ? yield* decodeRegression(head, lines)
      : yield* decodeClassification(head, lines);
  lines.end();
  return model;
}

/** Returns a sentence or two on whether a model is better than always giving the same answer. */
export function describeModel(model: Model): string {
  return model.task === 'regression'
    ? describeRegression(model.metrics, model.target_reading)
    : describeClassification(model.metrics, model.classes[0]?.name ?? '');
}
