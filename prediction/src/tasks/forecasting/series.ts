/** One series on the grid of steps that it shares with the other series of its table. */
export interface ForecastSeries {
  /** Where the first value is on the grid: its number of steps from the grid's zero. */
  readonly start: number;
  /** Ascending in time; NaN is a gap. */
  readonly values: Float64Array;
  /** Covariates that are known up to the last value; by covariate, as long as `values`. */
  readonly past: readonly Float64Array[];
  /**
   * Covariates that are known ahead; by covariate, from the first value on. May go on beyond the
   * last value; what is not there is unknown, as NaN is.
   */
  readonly known: readonly Float64Array[];
  /** The fit of the training at the last value, where a model stores it: see `packFit`. */
  readonly fit?: Uint16Array;
}

/** A series of which only the first values are known. */
export interface Part {
  readonly series: ForecastSeries;
  /** The number of known values. */
  readonly end: number;
}

/** The recurrence of positions on the grid. */
export interface Grid {
  /** Steps of a season, such as 12 of months; 1 if there is none. */
  readonly season: number;
  /**
   * The lengths of the seasons that series are tested for, in steps, ascending; not always whole. Absent where `season`
   * is the only one.
   */
  readonly seasons?: readonly number[];
  /**
   * Small whole numbers that describe a position, such as the month of the year and the day of the
   * week. As many for each position.
   */
  readonly calendar: (position: number) => readonly number[];
  /** The holidays and other rare events, where they are known. */
  readonly events?: EventGrid;
}

/** The rare events of a series, and the steps at which they occur. */
export interface EventGrid {
  /** The steps of a week, after which usual steps are alike. */
  readonly cycle: number;
  /** Returns a whole number for the event, and the hour, of a position of a series; -1 if it is a usual one. */
  readonly codeAt: (series: ForecastSeries, position: number) => number;
  /** Returns the kinds that a code belongs to, as whole numbers, the most general first; the last is the code itself. */
  readonly kindsOf: (code: number) => readonly number[];
  /** Returns a small whole number, which is 0 far from holidays; absent where none are known. */
  readonly nearHoliday?: (position: number) => number;
}

/** Series to learn from; all with the same covariates. */
export interface SeriesSet extends Grid {
  readonly series: readonly ForecastSeries[];
}

/** The fewest values before a forecast in a training or a backtest. */
export const MIN_HISTORY = 3;

/**
 * Whether a backtest may begin at an end: a value is at most a horizon before it. Later in a gap, nothing recent is
 * known, and nobody would ask for a forecast.
 */
export function isOrigin({ values }: ForecastSeries, end: number, horizon: number): boolean {
  const first = Math.max(0, end - 1 - horizon);
  for (let at = end - 1; at >= first; at--) if (!Number.isNaN(values[at])) return true;
  return false;
}

/** A step needs as many scores to be calibrated for intervals at 0.9. */
export const MIN_SCORES = 9;

/** The largest horizon that a set of series can calibrate; 0 if none. */
export function maxHorizon({ series }: SeriesSet): number {
  let horizon = 0;
  for (const { values } of series) horizon = Math.max(horizon, values.length - MIN_HISTORY);
  while (horizon > 0 && countTargets(series, horizon, horizon + MIN_SCORES) < MIN_SCORES) horizon--;
  return horizon;
}

/** The number of values among the last `length` of each series that can be forecast so many steps before. */
export function countTargets(series: readonly ForecastSeries[], step: number, length: number): number {
  let count = 0;
  for (const { values } of series) {
    count += Math.max(0, Math.min(length, values.length - MIN_HISTORY - step + 1));
  }
  return count;
}
