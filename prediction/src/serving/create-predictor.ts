import type { Model } from '../model/model.js';
import { finish, type Steps } from '../steps.js';
import { Classifier } from './classifier.js';
import { Predictor } from './predictor.js';

/** Makes a model ready for answering, a regressor or a classifier. */
export function createPredictor(model: Model): Predictor | Classifier {
  return finish(createPredictorInSteps(model));
}

/** Makes a model ready for answering in steps. */
export function createPredictorInSteps(model: Model): Steps<Predictor | Classifier> {
  return model.task === 'regression' ? Predictor.create(model) : Classifier.create(model);
}
