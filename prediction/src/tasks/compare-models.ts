import { average } from '../intervals/statistics.js';
import { SeenRows } from '../model/seen-rows.js';
import type { ColumnSummary } from '../table/column-profile.js';
import type { RowTable } from '../table/table.js';
import { rowObject } from '../table/table.js';
import type { HeldOutRows } from '../training/train-model.js';
import { measureLoss } from './classification/probabilities.js';
import type { Model, RowModel } from './models.js';
import { createPredictor } from './predictors.js';

/** A comparison of fewer rows says little. */
export const MIN_COMPARED_ROWS = 100;

const MAX_COMPARED_ROWS = 20_000;

/** By how much an error may be larger, as a share: errors of rows that were held out are a little larger than the model's. */
const TOLERANCE = 0.05;

/** Rows that are predicted at one go. */
const BLOCK = 1000;

/** A model that was just trained, beside another on rows that neither was trained on. */
export interface ModelComparison {
  readonly rows: number;
  readonly measure: 'rmse' | 'log_loss';
  readonly error: number;
  readonly otherError: number;
  /** True if its error is larger by more than a twentieth. */
  readonly isWorse: boolean;
}

/** Why two models cannot be compared: what they predict, what they read, or that too few rows are new to both. */
export type Incomparable =
  | { readonly why: 'task' | 'columns' | 'unknown-rows' }
  | { readonly why: 'few-rows'; readonly rows: number };

/**
 * Compares a model with another one on rows of its table that were held out, and that the other was not trained on.
 *
 * @param seen the rows that the other was trained on; undefined if they are not known
 */
export function compareModels(
  table: RowTable,
  model: RowModel,
  heldOut: HeldOutRows,
  other: Model,
  seen: Uint8Array | undefined,
): ModelComparison | Incomparable {
  if (other.task !== model.task || other.target !== model.target) return { why: 'task' };
  if (!readsAlike(model.columns, other.columns)) return { why: 'columns' };
  if (seen === undefined) return { why: 'unknown-rows' };
  const lossOfRow = new Map([...heldOut.rows].map((row, index) => [row, heldOut.losses[index] ?? 0]));
  const fresh = SeenRows.decode(seen).findNew(table, other.columns, heldOut.rows);
  const rows = fresh.subarray(0, MAX_COMPARED_ROWS);
  if (rows.length < MIN_COMPARED_ROWS) return { why: 'few-rows', rows: rows.length };
  const losses = Float64Array.from(rows, (row) => lossOfRow.get(row) ?? 0);
  const otherLosses = measureLosses(other, table, rows);
  const isSquared = model.task === 'regression';
  const toError = (loss: number) => (isSquared ? Math.sqrt(loss) : loss);
  const error = toError(average(losses));
  const otherError = toError(average(otherLosses));
  return {
    rows: rows.length,
    measure: isSquared ? 'rmse' : 'log_loss',
    error,
    otherError,
    isWorse: !(error <= (1 + TOLERANCE) * otherError),
  };
}

/** Returns whether a model has all columns that another uses, and reads them as the same kind. */
function readsAlike(own: readonly ColumnSummary[], others: readonly ColumnSummary[]): boolean {
  const kinds = new Map(own.map(({ name, kind }) => [name, kind]));
  return others.every(({ name, kind, used }) => !used || kinds.get(name) === kind);
}

function measureLosses(other: RowModel, table: RowTable, rows: Uint32Array): Float64Array {
  const predictor = createPredictor(other);
  const names = other.task === 'classification' ? other.classes.map(({ name }) => name) : [];
  const losses: number[] = [];
  for (let start = 0; start < rows.length; start += BLOCK) {
    const some = rows.subarray(start, start + BLOCK);
    const objects = Array.from(some, (row) => rowObject(table, row));
    for (const [index, prediction] of predictor.predict(objects).entries()) {
      const row = some[index] ?? 0;
      if ('value' in prediction && table.task === 'regression') {
        losses.push((prediction.value - (table.targetValues[row] ?? 0)) ** 2);
      } else if ('probabilities' in prediction && table.task === 'classification') {
        const actual = table.classes[table.targetClasses[row] ?? 0]?.name ?? '';
        losses.push(measureLoss(prediction.probabilities[names.indexOf(actual)] ?? 0));
      }
    }
  }
  return Float64Array.from(losses);
}
