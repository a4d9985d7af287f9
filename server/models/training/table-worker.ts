import type {
  ColumnChoices,
  Goal,
  ModelTask,
  RowFormat,
  RowRanges,
  TableForm,
  TableMarks,
  TruthChunk,
  ValidationChoice,
} from 'roster-prediction/predicting';
import {
  addHolidays,
  encodeTable,
  type ForecastTable,
  previewTable,
  readTableWithPlaces,
  refuseHorizon,
  reportTable,
  seasonLength,
  type Table,
  TableError,
  type TableFormat,
  type TablePreview,
  type TableReport,
} from 'roster-prediction/reading';
import type { Drift } from 'roster-prediction/recording';
import { type JobOutput, serveJobs } from '../../work/serve-jobs.js';
import { unreadableTable, unusableTable } from '../formats.js';
import type { ForecastFields } from '../model-rows.js';
import { bodyProblem } from '../predictions/row-warnings.js';
import { type DriftJob, runDriftJob } from '../record/drift-job.js';
import { readTruthBody, type TruthJob } from '../record/truth-body.js';
import { splitTruthInput } from '../record/truth-input.js';
import { HolidayCalendar } from './holidays.js';

/** The details of a job that reads a table; the text follows as input. */
export interface TableJob {
  /** The format of a table that was sent, or `records` from a query. */
  readonly format: TableFormat;
  readonly target: string;
  /** The task, or what is forecast; undefined if the values of the target decide. */
  readonly task?: Goal | undefined;
  /** The uses of columns that were chosen. */
  readonly choices?: ColumnChoices | undefined;
  /** The meaning of marks in its texts, as far as the request names it. */
  readonly marks?: TableMarks | undefined;
  /** The rows that measure the model; random ones without it. */
  readonly validation?: ValidationChoice | undefined;
  readonly form?: TableForm | undefined;
  /** The rows that the request leaves out. */
  readonly dropped?: RowRanges | undefined;
}

/** The facts of a table whose parts have been written, as `encodeTable` makes them. */
export interface TableResult {
  readonly rowCount: number;
  readonly task: ModelTask;
  readonly forecast: ForecastFields | null;
  readonly report: TableReport;
}

/** The details of a job that shows the beginning of a table that was sent. */
export interface PreviewJob extends Pick<TableJob, 'form' | 'marks' | 'dropped'> {
  readonly format: RowFormat;
  /** The column that findings take for the target; undefined if the request names none. */
  readonly previewTarget?: string | undefined;
  readonly target?: undefined;
}

/** Runs in a separate process: reads tables, checks them, and writes their parts, or shows their beginning; or reads truths. */
await serveJobs(runJob);

/** @throws {ProblemError} if the table is refused */
async function runJob(
  job: TableJob | PreviewJob | TruthJob | DriftJob,
  text: AsyncIterable<Uint8Array>,
  output: JobOutput<TruthChunk>,
): Promise<TableResult | TablePreview | Drift | null | undefined> {
  try {
    if ('drift' in job) return await runDriftJob(job, text);
    if ('truths' in job) {
      await readTruthBody(job, splitTruthInput(text), (chunk) => output.event(chunk));
      return undefined;
    }
    if (job.target === undefined) {
      const { form, format, marks, dropped, previewTarget } = job;
      return await previewTable(text, format, { ...form, marks, dropped, target: previewTarget });
    }
    const { format, target, form, ...options } = job;
    // Unknown codes are refused before the table is read.
    const calendar = await openCalendar(options.task);
    const read = await readTableWithPlaces(format, text, target, { ...options, ...form, drain: false });
    const { places, targetAt } = read;
    const table = withHolidays(read.table, calendar);
    const forecast = table.task === 'forecast' ? describeSeries(table) : null;
    const report = reportTable(table, places, targetAt);
    for (const part of encodeTable(table, places)) output.data(part);
    return { rowCount: table.rowCount, task: table.task, forecast, report };
  } catch (error) {
    if (error instanceof TableError) {
      throw job.target === undefined ? unreadableTable(error.faults) : unusableTable(error.faults);
    }
    throw bodyProblem(error);
  }
}

async function openCalendar(goal: Goal | undefined): Promise<HolidayCalendar | undefined> {
  if (typeof goal !== 'object' || goal.holidays === undefined || goal.holidays.length === 0) return undefined;
  return HolidayCalendar.open(goal.holidays);
}

/** @throws {TableError} if the steps of a forecast have no days */
function withHolidays(table: Table, calendar: HolidayCalendar | undefined): Table {
  if (table.task !== 'forecast' || calendar === undefined) return table;
  return addHolidays(table, (first, last) => calendar.list(first, last));
}

/** @throws {TableError} if the table is too short for the horizon */
function describeSeries(table: ForecastTable): ForecastFields {
  refuseHorizon(table);
  const { goal, grid, report } = table;
  const { series: count, ...found } = report;
  return {
    order_by: goal.orderBy,
    group_by: [...goal.groupBy],
    horizon: goal.horizon,
    window: goal.window ?? null,
    known: [...goal.known],
    holidays: [...(goal.holidays ?? [])],
    ...(goal.aggregate && { aggregate: goal.aggregate }),
    series: { step: grid.step, season: seasonLength(grid), count, ...found },
  };
}
