import { Predictors } from '../../server/training/predictors.js';

/**
 * Loaded into the service before it starts, it makes of `predict` an operation that does nothing: what
 * validates the request and sends the answer stays, what finds the model and predicts is left out.
 */
const NOTHING = { answer: () => ['[]'] };

Object.assign(Predictors.prototype, { serving: async () => NOTHING });
