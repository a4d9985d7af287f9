import type { MissingCells } from './column.js';
import type { ColumnSummary } from './column-profile.js';
import type { HolidayDays } from './holidays.js';
import type { ListedWords } from './missing-words.js';
import type { NumberReading } from './reading/column-reading.js';
import type { LeftOutRows } from './rows-read.js';
import type { TimeGrid } from './time-grid.js';

/** The series to forecast, beside the target. */
export interface ForecastGoal {
  /** The column that orders the rows of a series in time. */
  readonly orderBy: string;
  /** The columns whose values distinguish series; without any, all rows are one series. */
  readonly groupBy: readonly string[];
  /** The number of steps to forecast. */
  readonly horizon: number;
  /** The most values before a forecast that are looked at; chosen where it is left out. */
  readonly window?: number | undefined;
  /** The columns that are known ahead, as prices are. The others are known up to the last value. */
  readonly known: readonly string[];
  /** The countries and regions whose holidays differ from usual days, by their codes. */
  readonly holidays?: readonly string[];
  /** How rows of one moment became one before the table was read; a retraining reads it in the same way. */
  readonly aggregate?: 'sum' | 'mean';
}

/** A checked table of series, each on the steps of one grid: plain data, in typed arrays. */
export interface ForecastTable {
  readonly task: 'forecast';
  readonly target: string;
  readonly targetReading?: NumberReading | undefined;
  /** Rows that have a target value. */
  readonly rowCount: number;
  readonly goal: ForecastGoal;
  readonly grid: TimeGrid;
  /** The holidays that the goal names, once they have been added to the table. */
  readonly holidays?: HolidayDays;
  /** By column of `groupBy`, its distinct texts; '' is a missing value. */
  readonly groupTexts: readonly (readonly string[])[];
  /** Series by series, for each column of `groupBy` an index in its texts. */
  readonly groupCodes: Uint32Array;
  /** By series, the position of its first value on the grid. */
  readonly starts: Float64Array;
  /** By series, the end of its values in `values`. */
  readonly ends: Uint32Array;
  /** Series by series, a value a step; NaN is a gap. */
  readonly values: Float64Array;
  /** The other columns, and those of them that can be used: by step as the values, categories as their index. */
  readonly columns: readonly ColumnSummary[];
  readonly covariates: readonly Covariate[];
  /** As in a table of rows. */
  readonly unnamedColumns?: number;
  readonly leftOut?: readonly LeftOutRows[];
  readonly missingWords?: ListedWords;
  /** By column of the table, without the target and those of the goal, its cells without a value. */
  readonly columnsMissing?: readonly MissingCells[];
  readonly report: SeriesReport;
}

export interface Covariate {
  readonly name: string;
  readonly isKnown: boolean;
  readonly values: Float64Array;
}

/** The facts of the order of a table's rows. */
export interface SeriesReport {
  readonly series: number;
  /** The first and the last moment of all series, as the table writes them. */
  readonly first: string | number;
  readonly last: string | number;
  /** Steps without a value between the first and the last value of their series. */
  readonly gaps: number;
  /** The steps of the longest gap. */
  readonly longest_gap: number;
  /** Rows whose series has another row of the same moment, which came later and counts. */
  readonly duplicates: number;
  /** Series that end before the last moment of all. */
  readonly ended_early: number;
  /** The fewest and the most steps of a series. */
  readonly shortest: number;
  readonly longest: number;
}
