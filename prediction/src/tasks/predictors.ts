import { createParts, RowServer } from '../serving/row-server.js';
import { finish, type Steps } from '../trees/steps.js';
import type { ClassificationModel } from './classification/model.js';
import { type ClassPrediction, serveClasses } from './classification/server.js';
import type { SeriesModel } from './forecasting/series-model.js';
import { SeriesServer } from './forecasting/server.js';
import type { Model, RowModel } from './models.js';
import type { RegressionModel } from './regression/model.js';
import { type Prediction, serveNumbers } from './regression/server.js';

/** A regressor made ready for answering. */
export class Predictor extends RowServer<Prediction> {
  static *create(model: RegressionModel, seenRows?: Uint8Array): Steps<Predictor> {
    return new Predictor(model, yield* createParts(model, serveNumbers(model), seenRows));
  }

  constructor(model: RegressionModel, parts = finish(createParts(model, serveNumbers(model)))) {
    super(parts);
  }
}

/** A classifier made ready for answering. */
export class Classifier extends RowServer<ClassPrediction> {
  static *create(model: ClassificationModel, seenRows?: Uint8Array): Steps<Classifier> {
    return new Classifier(model, yield* createParts(model, serveClasses(model), seenRows));
  }

  constructor(model: ClassificationModel, parts = finish(createParts(model, serveClasses(model)))) {
    super(parts);
  }
}

/** A predictor of rows as numbers or as classes. */
export type RowPredictor = Predictor | Classifier;

/** A predictor of rows, or of the next values of series. */
export type AnyPredictor = RowPredictor | SeriesServer;

/** Makes a model ready for answering. */
export function createPredictor(model: RegressionModel): Predictor;
export function createPredictor(model: ClassificationModel): Classifier;
export function createPredictor(model: SeriesModel): SeriesServer;
export function createPredictor(model: RowModel): RowPredictor;
export function createPredictor(model: Model): AnyPredictor;
export function createPredictor(model: Model): AnyPredictor {
  return finish(createPredictorInSteps(model));
}

/**
 * Makes a model ready for answering in steps.
 *
 * @param seenRows the rows that it was trained on, as `SeenRows` encodes them; with them, warnings tell such rows
 */
export function createPredictorInSteps(model: Model, seenRows?: Uint8Array): Steps<AnyPredictor> {
  switch (model.task) {
    case 'regression':
      return Predictor.create(model, seenRows);
    case 'classification':
      return Classifier.create(model, seenRows);
    case 'forecast':
      return SeriesServer.create(model);
  }
}
