import type { Handlers } from '../api/handlers.js';
import { omitNulls } from '../api/idempotency.js';
import { checkPreconditions, isConditional } from '../api/preconditions.js';
import { withEtag } from '../api/reply/send.js';
import { pausing } from '../common/pausing.js';
import { describeModel, lockModel } from '../models/change-models.js';
import { hasModel, type Model, modelJson, requireModel } from '../models/model-rows.js';
import { problem } from '../problems/problem.js';
import { inProject, type Project } from '../projects/projects.js';
import type { Store } from '../store/index.js';
import { adjustCounters } from '../store/quota.js';
import { jsonMembers, mergeJson } from '../store/rows.js';

/** The name and the description of models. Skills refer to models by name, and follow a new one. */
export function modelDetailsOperations(store: Store): Pick<Handlers, 'updateModel'> {
  return {
    updateModel: async ({ caller, params, headers, body, reply }) => {
      const { projectName, modelName } = params;
      const model = await inProject(store, caller, projectName, async (tx, project) => {
        await lockModel(tx, project.id, modelName);
        const before = await requireModel(tx, project, modelName);
        if (isConditional(headers)) await checkPreconditions(headers, modelJson(before));
        const { description } = body.model;
        const { name = before.name } = omitNulls(body.model);
        if (name !== before.name) {
          await refuseTakenName(tx, project, name);
          await renameInSkills(tx, project.id, before.name, name);
        }
        await describeModel(tx.reads, before.id, { name, ...(description !== undefined && { description }) });
        return requireModel(tx, project, name);
      });
      return reply({ status: 200, ...(await withEtag<Model>(modelJson(model))) });
    },
  };
}

async function refuseTakenName(tx: Store, project: Project, name: string): Promise<void> {
  if (!(await hasModel(tx, project.id, name))) return;
  throw problem(
    '/problems/name-taken',
    `There is already a model named "${name}" in the project "${project.name}"; choose another name, or rename that one first.`,
  );
}

/** The skills whose params are read at once: each may have a megabyte, and all of a project 16. */
const RENAMED_AT_ONCE = 200;

/**
 * Writes the new name of a model into the params of the skills that name it.
 * @throws {ProblemError} if the project has no room for it
 */
async function renameInSkills(tx: Store, projectId: string, from: string, to: string): Promise<void> {
  const written = JSON.stringify(from);
  const updated_at = new Date().toISOString();
  const pause = pausing();
  let [bytes, after] = [0, ''];
  for (;;) {
    // `_` of a name stands for any character here, so that some may be found that name another model.
    const found = await tx.reads
      .selectFrom('skills')
      .select(['id', 'params'])
      .where('project_id', '=', projectId)
      .where('type', '=', 'model')
      .where('params', 'like', `%"model":${written}%`)
      .where('id', '>', after)
      .orderBy('id')
      .limit(RENAMED_AT_ONCE)
      .execute();
    for (const { id, params: before } of found) {
      await pause();
      if (!jsonMembers(before).some(([name, value]) => name === 'model' && value === written)) continue;
      const params = mergeJson(before, { model: to }, { noun: 'skill', field: 'params' });
      await tx.reads.updateTable('skills').set({ params, updated_at }).where('id', '=', id).execute();
      bytes += Buffer.byteLength(params) - Buffer.byteLength(before);
    }
    const last = found.at(-1);
    if (last === undefined || found.length < RENAMED_AT_ONCE) break;
    after = last.id;
  }
  await adjustCounters(tx.reads, projectId, { bytes }, tx.limits);
}
