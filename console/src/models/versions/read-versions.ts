import type { Model } from 'roster-client';
import { readList } from '../../session/read-list.js';
import { roster } from '../../session/roster.js';
import type { ModelPath } from '../change-model.js';

/** Reads all versions of a model, the newest first. */
export async function readVersions(path: ModelPath, signal: AbortSignal): Promise<Model[]> {
  const versions = await readList(
    (query) =>
      roster.GET('/api/projects/{projectName}/models/{modelName}/versions', { params: { path, query }, signal }),
    { keyOf: ({ version }) => version },
  );
  return versions.toSorted((a, b) => b.version - a.version);
}
