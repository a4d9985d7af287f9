import type { RowPlaces } from '../table/rows-read.js';
import type { Table } from '../table/table.js';
import type { Outcome } from '../tasks/forecasting/backtest.js';
import type { Model } from '../tasks/models.js';
import type { HeldOutRows } from '../training/train-model.js';
import { findForecastErrors } from './forecast-errors.js';
import type { ModelErrors } from './model-errors.js';
import { findRowErrors } from './row-errors.js';

/** The rows that measured a model, as `train` reports them. */
export interface Tested {
  readonly heldOut?: HeldOutRows | undefined;
  readonly outcomes?: readonly (readonly Outcome[])[] | undefined;
  /** The places of the rows of the table, where they are known. */
  readonly places?: RowPlaces | undefined;
}

/**
 * Finds the largest errors of a model that was just trained on a table, and where it errs most.
 *
 * @returns null if nothing was measured.
 */
export function findErrors(table: Table, model: Model, { heldOut, outcomes, places }: Tested): ModelErrors | null {
  if (table.task === 'forecast') {
    const isForecast = model.task === 'forecast' && outcomes !== undefined;
    return isForecast && outcomes.some(({ length }) => length > 0) ? findForecastErrors(table, model, outcomes) : null;
  }
  return heldOut === undefined ? null : findRowErrors(table, model.columns, heldOut, places);
}
