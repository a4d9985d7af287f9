import type { RosterClient } from '../contract/calls.js';
import type { Effort, Model } from '../contract/resources.js';
import { answered } from '../problem-error.js';
import { type FileSource, formQuery, prepareUpload, type UploadOptions } from './upload.js';
import { fetchWithProgress, type UploadProgress } from './upload-progress.js';

/** The series to forecast. */
export interface ForecastOptions {
  /** The column that orders rows in time. */
  orderBy: string;
  /** The columns that distinguish series. */
  groupBy?: string[];
  /** The number of steps to forecast. */
  horizon: number;
  /** The most values before a forecast that are looked at. */
  window?: number;
  /** The columns that are known ahead. */
  known?: string[];
  /** The countries or regions whose holidays are forecast as such, such as `DE-BY`. */
  holidays?: string[];
}

/** Options of `trainFile`: the target, the task, and how the file is sent. */
export interface TrainFileOptions extends UploadOptions {
  /** The name of the column to predict. */
  target: string;
  /** The task, in place of the one that the target's values suggest. */
  task?: Exclude<Model['task'], 'forecast'> | undefined;
  /** The effort of the training; `standard` by default. A forecast has no choice. */
  effort?: Effort | undefined;
  /** Makes a forecast, and says what orders rows, what distinguishes series, and how many steps are forecast. */
  forecast?: ForecastOptions | undefined;
  /**
   * Browsers only: called while the file is sent, which is then done by XMLHttpRequest in place of
   * the client's `fetch`.
   */
  onUpload?: ((progress: UploadProgress) => void) | undefined;
}

/**
 * Sends a table from a file, and returns the model, whose next version is then in training.
 * `untilReady` waits for it.
 *
 * @throws ProblemError if the service refuses the table
 * @throws TypeError if the format of the file is unknown, or the connection fails
 * @example
 * await trainFile(roster, path, file, { target: 'price' });
 * const model = await untilReady(roster, path);
 */
export async function trainFile(
  roster: Pick<RosterClient, 'PUT'>,
  path: { projectName: string; modelName: string },
  file: FileSource,
  options: TrainFileOptions,
): Promise<Model> {
  const upload = await prepareUpload(file, options);
  const { target, task, effort, forecast, onUpload } = options;
  const form = { ...forecastQuery(forecast), ...formQuery(options) };
  return answered(
    roster.PUT('/api/projects/{projectName}/models/{modelName}', {
      params: { path, query: { target, ...(task && { task }), ...(effort && { effort }), ...form } },
      headers: upload.headers,
      body: upload.body,
      bodySerializer: (body: unknown) => body,
      signal: options.signal ?? null,
      ...(onUpload && { fetch: fetchWithProgress(onUpload) }),
    }),
  );
}

function forecastQuery(forecast: ForecastOptions | undefined) {
  if (forecast === undefined) return {};
  const { orderBy, groupBy, horizon, window, known, holidays } = forecast;
  return {
    order_by: orderBy,
    horizon,
    ...(groupBy && { group_by: groupBy }),
    ...(window !== undefined && { window }),
    ...(known && { known }),
    ...(holidays && { holidays }),
  };
}
