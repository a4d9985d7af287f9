import { answered, type Model, type PredictionRow, ProblemError } from 'roster-client';
import { roster } from '../session/roster.js';
import { pinnedName } from './pinned-name.js';

/** The contribution of each column to a prediction. */
export interface Contributions {
  /** The prediction for a row without any known value: in units of the target, or in log-odds. */
  readonly base: number;
  /** Those of the columns, the largest first, with their values. */
  readonly columns: readonly { readonly name: string; readonly value?: string; readonly added: number }[];
  /** The class that they speak for, and its probability before and after; undefined for numbers. */
  readonly ofClass: { readonly name: string; readonly before: number; readonly after: number } | undefined;
}

/** Reads the contributions of a row of an answer; undefined if it has none. */
export function readContributions(row: PredictionRow, { target, task }: Model): Contributions | undefined {
  const base = row[`${target}_base`];
  if (typeof base !== 'number') return undefined;
  const before = row[`${target}_base_probability`];
  const isForecast = task === 'forecast';
  const prefix = `${target}_contribution_`;
  const added = Object.entries(row).flatMap(([field, added]) => {
    if (typeof added !== 'number') return [];
    if (isForecast && field === `${target}_season`) return [{ name: 'season', added }];
    if (!field.startsWith(prefix)) return [];
    const name = field.slice(prefix.length);
    // Forecasts of columns that no row was sent for are of their history.
    if (isForecast && (name === target || row[name] == null)) return [{ name: `history of ${name}`, added }];
    return [{ name, value: String(row[name] ?? ''), added }];
  });
  return {
    base,
    columns: added.sort((one, other) => Math.abs(other.added) - Math.abs(one.added)),
    ofClass:
      typeof before === 'number'
        ? { name: String(row[target]), before, after: Number(row[`${target}_confidence`]) }
        : undefined,
  };
}

/** Returns whether the service refused a request because a model has no contributions. */
export function isWithoutContributions(error: unknown): boolean {
  return (
    error instanceof ProblemError && error.problem.status === 400 && error.problem.detail.includes('contributions')
  );
}

/**
 * Asks what each column added to the prediction of a row.
 * @throws ProblemError if the service refuses, as for a version of an earlier release
 */
export async function explainRow(
  project: string,
  model: Model,
  row: Readonly<Record<string, string | number>>,
): Promise<Contributions | undefined> {
  const [answer] = await answered(
    roster.POST('/api/projects/{projectName}/models/{modelName}/predict', {
      params: {
        path: { projectName: project, modelName: pinnedName(model) },
        query: { rows: 'lean', contributions: true },
      },
      body: [row],
    }),
  );
  return answer && readContributions(answer, model);
}
