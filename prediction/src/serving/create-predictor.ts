import type { Model } from '../model/model.js';
import { Classifier } from './classifier.js';
import { Predictor } from './predictor.js';

/** Makes a model ready for answering, a regressor or a classifier. */
export function createPredictor(model: Model): Predictor | Classifier {
  return model.task === 'regression' ? new Predictor(model) : new Classifier(model);
}
