import { type ForecastModel, type PredictionRow, ProblemError } from 'roster-client';
import { roster } from '../../session/roster.js';
import { moment } from '../../ui/format.js';

const PREDICT = '/api/projects/{projectName}/models/{modelName}/predict';

export interface Step {
  /** Steps after the end of the series: 0 is its last value. */
  readonly at: number;
  readonly moment: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** The value that came; null where none has. */
  readonly actual: number | null;
}

export interface Asked {
  /** The series, by its values of the group columns. */
  readonly groups: readonly string[];
  readonly confidence: number;
  readonly steps: number;
  /** Steps before the end of the series at which the forecast begins. */
  readonly back: number;
}

export interface ShownForecast {
  readonly asked: Asked;
  readonly steps: readonly Step[];
}

/**
 * Loads the forecast of one series.
 *
 * @throws {ProblemError} if the service refuses, as for a series that it does not know.
 */
export async function loadForecast(
  project: string,
  model: ForecastModel,
  asked: Asked,
  signal: AbortSignal,
): Promise<ShownForecast> {
  return { asked, steps: await askFor(project, model, asked, signal) };
}

/** The last moments of a series, as many as the horizon; none of a series that is shorter. */
export interface History {
  readonly groups: readonly string[];
  readonly steps: readonly Step[];
}

/** Loads the last values of a series; throws as `loadForecast`. */
export async function loadHistory(
  project: string,
  model: ForecastModel,
  groups: readonly string[],
  signal: AbortSignal,
): Promise<History> {
  const { horizon } = model;
  const asked = { groups, confidence: 0.9, steps: horizon, back: horizon };
  return { groups, steps: await askFor(project, model, asked, signal) };
}

async function askFor(project: string, model: ForecastModel, asked: Asked, signal: AbortSignal): Promise<Step[]> {
  const { order_by, target } = model;
  const { data, error, response } = await roster.POST(PREDICT, { ...request(project, model, asked), signal });
  if (error !== undefined) throw new ProblemError(error, response);
  const rows: readonly PredictionRow[] = data;
  return rows.map((row, index) => {
    const original = row[`${target}_original`];
    return {
      at: index + 1 - asked.back,
      moment: momentText(row[order_by]),
      value: Number(row[target]),
      low: Number(row[`${target}_min`]),
      high: Number(row[`${target}_max`]),
      actual: typeof original === 'number' ? original : null,
    };
  });
}

/**
 * Loads forecasts as CSV: of one series, or of all where no groups are given.
 *
 * @throws {ProblemError} if the service refuses.
 */
export async function loadForecastFile(project: string, model: ForecastModel, asked: Asked): Promise<Blob> {
  const { data, error, response } = await roster.POST(PREDICT, {
    ...request(project, model, asked),
    headers: { Accept: 'text/csv' },
    parseAs: 'blob',
  });
  if (error !== undefined) throw new ProblemError(error, response);
  return data;
}

function request(project: string, { name, group_by }: ForecastModel, { groups, confidence, steps, back }: Asked) {
  const backtest = back > 0 ? { backtest: back, explain: true } : {};
  return {
    params: { path: { projectName: project, modelName: name }, query: { confidence, steps, ...backtest } },
    body: groups.length > 0 ? [Object.fromEntries(group_by.map((column, index) => [column, groups[index] ?? '']))] : [],
  };
}

const momentText = (value: unknown) => moment(typeof value === 'number' ? value : String(value));
