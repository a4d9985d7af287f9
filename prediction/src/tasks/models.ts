import * as v from 'valibot';
import { ModelLineReader, ModelLineWriter } from '../model/model-lines.js';
import { describeTestRows } from '../model/summary.js';
import { refuseLaterFormat } from '../table/codec/format.js';
import type { LeftOutRows } from '../table/rows-read.js';
import type { RowTable, Table } from '../table/table.js';
import { quote } from '../table/table-error.js';
import { summarizeValidation, type ValidationSummary } from '../table/validation.js';
import { finish, type Steps } from '../trees/steps.js';
import { describeClassification } from './classification/metrics.js';
import {
  type ClassificationModel,
  classificationHeadSchema,
  decodeClassification,
  encodeClassification,
} from './classification/model.js';
import { describeForecast } from './forecasting/metrics.js';
import { decodeForecast, encodeForecast, forecastHeadSchema, type SeriesModel } from './forecasting/series-model.js';
import { describeRegression } from './regression/metrics.js';
import { decodeRegression, encodeRegression, type RegressionModel, regressionHeadSchema } from './regression/model.js';

/** A trained model, distinguished by its task. */
export type Model = RowModel | SeriesModel;

/** A model that predicts rows. */
export type RowModel = RegressionModel | ClassificationModel;

const FORMAT = 'roster-model/2';

const formatSchema = v.object({ format: v.literal(FORMAT) });
const headSchema = v.variant('task', [regressionHeadSchema, classificationHeadSchema, forecastHeadSchema]);

/** Encodes a model as lines of JSON. Decoded, it predicts the same to the last bit. */
export function encodeModel(model: Model): Uint8Array {
  const lines = new ModelLineWriter();
  return lines.finish({ format: FORMAT, ...encodeHead(model, lines) });
}

function encodeHead(model: Model, lines: ModelLineWriter) {
  switch (model.task) {
    case 'regression':
      return encodeRegression(model, lines);
    case 'classification':
      return encodeClassification(model, lines);
    case 'forecast':
      return encodeForecast(model, lines);
  }
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
  const model = yield* decodeRest(head, lines);
  lines.end();
  return model;
}

function* decodeRest(head: v.InferOutput<typeof headSchema>, lines: ModelLineReader): Steps<Model> {
  switch (head.task) {
    case 'regression':
      return yield* decodeRegression(head, lines);
    case 'classification':
      return yield* decodeClassification(head, lines);
    case 'forecast':
      return yield* decodeForecast(head, lines);
  }
}

/**
 * Returns a sentence or two on whether a model is better than always giving the same answer, and on rows and columns of
 * its table that were left out.
 *
 * @param table that it was trained on
 */
export function describeModel(model: Model, table: DescribedTable = {}): string {
  const { unnamedColumns = 0, leftOut = [], validation } = table;
  const quality = describeQuality(model, validation && summarizeValidation(validation, model.row_count));
  const parts = [quality, describeLeftOut(leftOut, model), describeUnnamed(unnamedColumns)];
  return parts.filter((part) => part !== '').join(' ');
}

/** Below this share of the rows, those without a target are not worth a sentence, unless a word took its place. */
const FEW_ROWS = 0.01;

function describeLeftOut(leftOut: readonly LeftOutRows[], { target, row_count: used }: Model): string {
  const left = leftOut.find(({ cause }) => cause === 'no_target');
  if (left === undefined) return '';
  const [word] = left.words;
  const sent = used + left.rows;
  if (word === undefined && left.rows < FEW_ROWS * sent) return '';
  const [rows, all] = [left.rows, sent].map((count) => count.toLocaleString('en'));
  const said = word ? `, such as those with ${quote(word.word)}` : '';
  return `${rows} of ${all} rows are left out: they have no value of ${quote(target)}${said}.`;
}

function describeUnnamed(count: number): string {
  if (count === 0) return '';
  const columns = count === 1 ? '1 column' : `${count.toLocaleString('en')} columns`;
  return `${columns} without a name and without values ${count === 1 ? 'is' : 'are'} left out.`;
}

type DescribedTable = Pick<Table, 'unnamedColumns' | 'leftOut'> & Pick<RowTable, 'validation'>;

function describeQuality(model: Model, validation: ValidationSummary | undefined): string {
  const words = (rows: number) => describeTestRows(rows, model.row_count, validation);
  switch (model.task) {
    case 'regression':
      return describeRegression(model.metrics, words(model.metrics.held_out_rows), model.target_reading);
    case 'classification':
      return describeClassification(model, words(model.metrics.held_out_rows));
    case 'forecast':
      return describeForecast(model.metrics, model);
  }
}
