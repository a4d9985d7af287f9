import { type Incomparable, MIN_COMPARED_ROWS, type ModelComparison } from 'roster-prediction/training';
import type { Store } from '../../store/index.js';
import { count, number } from '../model-record.js';
import type { Model } from '../model-rows.js';
import type { StoredModel } from '../serving-version.js';

/** The version that a training is to be compared with. */
export interface ServingModel extends StoredModel {
  readonly version: number;
}

/** The findings of a training beside the version that served when it began. */
export interface Compared {
  readonly version: number;
  readonly found: ModelComparison | Incomparable;
}

/** Finds the version that a training is to be compared with; undefined if new versions always serve, or none does. */
export async function findServingModel({ work }: Store, versionId: string): Promise<ServingModel | undefined> {
  const found = await work
    .selectFrom('model_versions as trained')
    .innerJoin('models', 'models.id', 'trained.model_id')
    .innerJoin('model_versions as serving', (join) =>
      join.onRef('serving.model_id', '=', 'models.id').onRef('serving.version', '=', 'models.serving_version'),
    )
    .innerJoin('model_artifacts', 'model_artifacts.version_id', 'serving.id')
    .select(['serving.version', 'model_artifacts.bytes', 'model_artifacts.seen_rows'])
    .where('trained.id', '=', versionId)
    .where('models.promotion', '!=', 'always')
    .executeTakeFirst();
  if (!found) return undefined;
  const { version, bytes: artifact, seen_rows: seenRows } = found;
  return { version, artifact, seenRows };
}

/** The state of a model whose next version is ready. */
interface Candidate {
  readonly promotion: Model['promotion'];
  readonly serving_version: number | null;
}

type Comparison = NonNullable<Model['comparison']>;

/** Decides whether a version that is ready serves, and says why. */
export function decidePromotion(
  { promotion, serving_version: serving }: Candidate,
  compared: Compared | null,
): { readonly isPromoted: boolean; readonly comparison: Comparison | null } {
  if (serving === null || promotion === 'always') return { isPromoted: true, comparison: null };
  // Another version serves since, or the setting was changed: there is nothing to go by.
  const found = compared?.version === serving ? compared.found : undefined;
  const isPromoted = promotion === 'if_not_worse' && found !== undefined && isNoWorse(found);
  const figures = { rows: 0, measure: null, error: null, other_error: null };
  const comparison: Comparison = {
    version: serving,
    promoted: isPromoted,
    ...figures,
    reason: `${explain(serving, found)} ${conclude(promotion, isPromoted)}`,
  };
  if (found === undefined || !('measure' in found)) return { isPromoted, comparison };
  const { rows, measure, error, otherError: other_error } = found;
  return { isPromoted, comparison: { ...comparison, rows, measure, error, other_error } };
}

function isNoWorse(found: ModelComparison | Incomparable): boolean {
  return 'measure' in found && !found.isWorse;
}

function conclude(promotion: Model['promotion'], isPromoted: boolean): string {
  if (isPromoted) return 'It serves.';
  return promotion === 'manual'
    ? 'New versions of the model wait until they are chosen.'
    : 'It waits until it is chosen.';
}

function judge({ error, otherError, isWorse }: ModelComparison): string {
  if (isWorse) return 'it is worse';
  return error <= otherError ? 'it is no worse' : 'it is worse by no more than 5 %';
}

function explain(version: number, found: ModelComparison | Incomparable | undefined): string {
  const not = `It was not compared with version ${version}:`;
  if (found === undefined) return `${not} that version did not serve when the training began.`;
  if ('measure' in found) {
    const { rows, measure, error, otherError } = found;
    const name = measure === 'rmse' ? 'RMSE' : 'log loss';
    return `On ${count.format(rows)} rows that neither was trained on, its ${name} is ${number.format(error)} and that of version ${version} ${number.format(otherError)}: ${judge(found)}.`;
  }
  switch (found.why) {
    case 'task':
      return `${not} the two predict something else, or are forecasts.`;
    case 'columns':
      return `${not} the table lacks columns that version ${version} uses, or has them as another kind.`;
    case 'unknown-rows':
      return `${not} the rows that version ${version} was trained on are not known, as it was trained by an earlier release.`;
    case 'few-rows':
      return `${not} ${count.format(found.rows)} of the rows that it held out are new to version ${version}, and a comparison takes ${MIN_COMPARED_ROWS}.`;
  }
}
