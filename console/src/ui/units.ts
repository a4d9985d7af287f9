import type { Column, Model } from 'roster-client';
import type { Unit } from './format.js';

/** Returns the unit that all values of a column bear in the table; none if they are plain. */
export const readUnit = (reading: Column['reading']): Unit => (reading?.kind === 'number' ? reading.unit : null);

/** Returns the unit of a model's predictions. */
export const targetUnit = (model: Model): Unit =>
  model.task === 'classification' ? null : readUnit(model.target_reading);
