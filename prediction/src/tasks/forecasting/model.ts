import type { Forests } from './forests.js';

/** Errors of forecasts of values that were not learnt from. */
export interface ForecastErrors {
  /** Mean absolute error, in units of the target. */
  readonly mae: number;
  /** 200 × |error| ÷ (|value| + |forecast|), on average; 0 where both are 0. */
  readonly smape: number;
  /** Mean absolute error ÷ that of the seasonal naive forecast within the history; null if that makes none. */
  readonly mase: number | null;
}

/** The results of backtests on the ends of the series. */
export interface ForecastMetrics {
  /** Forecast values that were compared. */
  readonly value_count: number;
  readonly errors: ForecastErrors;
  /** Of repeating the last season. */
  readonly baseline_errors: ForecastErrors;
  /** The same by step, from the first. */
  readonly errors_by_step: ForecastErrors[];
  readonly baseline_errors_by_step: ForecastErrors[];
  /** The level at which coverage was counted: 0.9. */
  readonly interval_level: number;
  /**
   * The share of values within intervals that were calibrated on other windows; null if the series are too few or
   * too short to count it.
   */
  readonly interval_coverage: number | null;
  /** The same by step. */
  readonly interval_coverage_by_step: (number | null)[];
}

/** A fitted method. It has nothing of the series: forecasts are made from the history that is given then. */
export interface ForecastModel extends Forests {
  readonly season: number;
  readonly horizon: number;
  /** The most values before a forecast that are looked at. */
  readonly history_needed: number;
  readonly past_count: number;
  readonly known_count: number;
  /** The inputs of the trees, in words. */
  readonly features: readonly string[];
  /** Fitted without the last values of each series, at least `horizon` of them. */
  readonly backtest: Forests;
  /** The weight of the value forest, 0 to 1, chosen by an earlier window. */
  readonly value_weight: number;
  /** By step: |error| ÷ expected error of a backtest, ascending. */
  readonly scores: readonly (readonly number[])[];
  readonly metrics: ForecastMetrics;
}

/** The last values of each series that must be kept: a backtest begins before as many of them as the horizon. */
export function valuesToKeep({ history_needed, horizon }: ForecastModel): number {
  return history_needed + horizon;
}
