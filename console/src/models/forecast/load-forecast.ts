import { answered, type ForecastModel, type PredictionRow, ProblemError } from 'roster-client';
import { type Contributions, isWithoutContributions, readContributions } from '../../predictions/contributions.js';
import { roster } from '../../session/roster.js';
import { moment } from '../../ui/format.js';

const PREDICT = '/api/projects/{projectName}/models/{modelName}/predict';

/** A moment of a series. */
export interface Known {
  /** Steps after the end of the series: 0 is its last value. */
  readonly at: number;
  readonly moment: string;
  /** The same without the time of the day. */
  readonly day: string;
  /** The value that came; null where none has. */
  readonly actual: number | null;
}

/** A row of a moment to forecast: the moment, and what is known of it. */
export type AheadRow = Readonly<Record<string, unknown>>;

export interface Step extends Known {
  /** The value of the order column, as the service writes it. */
  readonly order: unknown;
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** The parts of the forecast; undefined where the model has none. */
  readonly reasons?: Contributions | undefined;
}

export interface Asked {
  /** The series, by its values of the group columns. */
  readonly groups: readonly string[];
  readonly confidence: number;
  readonly steps: number;
  /** Steps before the end of the series at which the forecast begins. */
  readonly back: number;
  /** Rows of the steps, with what is known ahead of them; none if nothing is. */
  readonly ahead: readonly AheadRow[];
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
  try {
    return { asked, steps: await askFor(project, model, asked, signal, true) };
  } catch (error) {
    if (!isWithoutContributions(error)) throw error;
    return { asked, steps: await askFor(project, model, asked, signal) };
  }
}

/** The last values of a series. */
export interface History {
  readonly groups: readonly string[];
  readonly steps: readonly Known[];
}

/** Steps to show before a forecast, beside two seasons and as many as it has. */
const MIN_SHOWN = 24;

/** Loads the last values of a series: two seasons before each forecast. Throws as `loadForecast`. */
export async function loadHistory(
  project: string,
  { name: modelName, series, horizon, metrics }: ForecastModel,
  groups: readonly string[],
  signal: AbortSignal,
): Promise<History> {
  const { values } = await answered(
    roster.GET('/api/projects/{projectName}/models/{modelName}/series', {
      params: { path: { projectName: project, modelName }, query: { group: [...groups] } },
      signal,
    }),
  );
  const found = metrics?.seasons?.flatMap(({ length, strength }) => (strength ? 2 * length : [])) ?? [];
  const shown = values.slice(-horizon - Math.max(2 * series.season, ...found, horizon, MIN_SHOWN));
  return {
    groups,
    steps: shown.map(({ moment, value }, index) => ({
      at: index + 1 - shown.length,
      ...writeMoment(moment),
      actual: value,
    })),
  };
}

async function askFor(
  project: string,
  model: ForecastModel,
  asked: Asked,
  signal: AbortSignal,
  contributions = false,
): Promise<Step[]> {
  const { order_by, target } = model;
  const { params, body } = request(project, model, asked);
  const query = { ...params.query, contributions };
  const { data, error, response } = await roster.POST(PREDICT, { params: { ...params, query }, body, signal });
  if (error !== undefined) throw new ProblemError(error, response);
  const rows: readonly PredictionRow[] = data;
  return rows.map((row, index) => {
    const original = row[`${target}_original`];
    return {
      at: index + 1 - asked.back,
      order: row[order_by],
      ...writeMoment(row[order_by]),
      value: Number(row[target]),
      low: Number(row[`${target}_min`]),
      high: Number(row[`${target}_max`]),
      actual: typeof original === 'number' ? original : null,
      reasons: readContributions(row, model),
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

function request(project: string, { name, group_by }: ForecastModel, asked: Asked) {
  const { groups, confidence, steps, back, ahead } = asked;
  const backtest = back > 0 ? { backtest: back, explain: true } : {};
  const series = Object.fromEntries(groups.map((value, index) => [group_by[index], value]));
  // Rows with moments say how many steps there are.
  const isGiven = ahead.length > 0;
  return {
    params: {
      path: { projectName: project, modelName: name },
      query: { confidence, ...(!isGiven && { steps }), ...backtest },
    },
    body: isGiven ? ahead.map((row) => ({ ...series, ...row })) : groups.length > 0 ? [series] : [],
  };
}

function writeMoment(value: unknown) {
  if (typeof value === 'number') return { moment: moment(value), day: moment(value) };
  const text = String(value);
  return { moment: moment(text), day: moment(text.split('T', 1).join()) };
}
