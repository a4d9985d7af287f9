import type { NumberReading } from '../table/number-formats.js';
import type { ClassificationMetrics } from './class-metrics.js';
import type { RegressionMetrics } from './metrics.js';
import type { Model } from './model.js';

/** Models whose error is within this share of the baseline's are no better. */
const MIN_GAIN = 0.01;

/** Returns a sentence or two on whether a model is better than always giving the same answer. */
export function describeModel(model: Model): string {
  if (model.task === 'regression') return describeRegression(model.metrics, model.target_reading);
  return describeClassification(model.metrics, model.classes[0]?.name ?? '');
}

function describeRegression(
  { mae, rmse, r2, baseline_mae, baseline_rmse, held_out_rows }: RegressionMetrics,
  reading: NumberReading | null,
): string {
  const rows = `on ${held_out_rows.toLocaleString('en')} rows that it was not trained on`;
  const unit = reading === null ? '' : ` ${reading.unit}`;
  const errors = `its predictions are off by ${short(mae)}${unit} on average, the mean is by ${short(baseline_mae)}${unit}`;
  if (rmse > (1 - MIN_GAIN) * baseline_rmse) {
    return `No better than always answering the mean: ${rows}, ${errors}. The columns say little or nothing of the target.`;
  }
  return `Better than always answering the mean: ${rows}, ${errors}. It explains ${percent(r2)} of the variance.`;
}

function describeClassification(
  {
    log_loss,
    baseline_log_loss,
    accuracy,
    baseline_accuracy,
    held_out_rows,
  }: ClassificationMetrics,
  commonest: string,
): string {
  const rows = `on ${held_out_rows.toLocaleString('en')} rows that it was not trained on`;
  const shares = `it is right in ${percent(accuracy)}, ${JSON.stringify(commonest)} in ${percent(baseline_accuracy)}`;
  const losses = `Its log loss is ${short(log_loss)}, that of the classes’ shares ${short(baseline_log_loss)}.`;
  if (log_loss > (1 - MIN_GAIN) * baseline_log_loss) {
    return `No better than always answering the commonest class: ${rows}, ${shares}. ${losses} The columns say little or nothing of the target.`;
  }
  // Where one class is by far the commonest, probabilities may tell much although answers are the same.
  if (accuracy <= baseline_accuracy) {
    return `Better probabilities than the classes’ shares, but no more right answers than always the commonest class: ${rows}, ${shares}. ${losses}`;
  }
  return `Better than always answering the commonest class: ${rows}, ${shares}. ${losses}`;
}

function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`;
}
