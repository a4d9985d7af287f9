import { Predictors } from '../../server/models/predictions/predictors.js';

/**
 * The service, of whose separate files one is changed: `predict` does nothing. Requests are still validated and
 * answers sent, but no model is loaded and nothing predicted.
 */
const NOTHING = {
  check: () => ({ add: () => {}, warnings: () => ({ warnings: [], more: 0 }) }),
  estimate: () => 0,
  answerOne: () => '[]',
};

Object.assign(Predictors.prototype, { require: () => NOTHING });
await import('../../server/run.js');
