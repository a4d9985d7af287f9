import { wilson } from '../../intervals/wilson.js';
import { isBetter, percent, shortNumber } from '../../model/summary.js';
import type { SeriesMetrics, SeriesModel } from './series-model.js';

/** Returns whether a forecaster is better than repeating the last season, and whether its intervals held. */
export function describeForecast(
  { errors, baseline_errors, value_count, interval_coverage, interval_level }: SeriesMetrics,
  { method }: { readonly method: Pick<SeriesModel['method'], 'season'> },
): string {
  const repeated = method.season > 1 ? 'repeating the last season' : 'repeating the last value';
  const values = `on ${value_count.toLocaleString('en')} forecasts of values at the ends of the series`;
  const told = `they are off by ${shortNumber(errors.mae)} on average (sMAPE ${shortNumber(errors.smape)} %), ${repeated} is by ${shortNumber(baseline_errors.mae)} (${shortNumber(baseline_errors.smape)} %)`;
  const isTooFew =
    interval_coverage !== null && wilson(interval_coverage, value_count)[1] < interval_level;
  const kept =
    interval_coverage === null
      ? ''
      : ` ${percent(interval_coverage)} of the values lay within intervals for ${percent(interval_level)}${isTooFew ? ', which is too few' : ''}.`;
  const [error, baseline] =
    errors.mase === null || baseline_errors.mase === null
      ? [errors.mae, baseline_errors.mae]
      : [errors.mase, baseline_errors.mase];
  const isBest = isBetter(error, baseline);
  const verdict = isBest ? 'Better than' : 'No better than';
  // Large series may say the contrary: their errors make up most of the mean.
  const scaled =
    isBest === isBetter(errors.mae, baseline_errors.mae)
      ? ''
      : ` in units of each series (MASE ${shortNumber(error)} against ${shortNumber(baseline)})`;
  return `${verdict} ${repeated}${scaled}: ${values}, ${told}.${kept}`;
}
