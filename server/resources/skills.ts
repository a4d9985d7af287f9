import type { components } from '../../generated/openapi.js';
import type { Handlers } from '../api/handlers.js';
import { idempotent } from '../api/idempotency.js';
import { writtenPage } from '../api/list-page.js';
import { withoutNulls } from '../api/omit-nulls.js';
import {
  checkPreconditions,
  isConditional,
  type Pieces,
  shown,
  tagged,
} from '../api/preconditions.js';
import { problem } from '../problems/problem.js';
import type { Project } from '../projects/projects.js';
import { findProject, inProject, lockProject } from '../projects/projects.js';
import type { Store } from '../store/index.js';
import { checkSkill, type DatabaseNames } from './skill-check.js';
import type { FoundSkill } from './skill-rows.js';
import {
  createSkill,
  findSkillRow,
  getSkillJson,
  getSkillJsonByPath,
  listSkillIds,
  readSkillsJson,
  removeSkill,
  updateSkill,
} from './skill-rows.js';

type SkillOperations = Pick<
  Handlers,
  'listSkills' | 'createSkill' | 'getSkill' | 'updateSkill' | 'deleteSkill'
>;

type Skill = components['schemas']['Skill'];

/** @param databaseNames the databases that skills of the type `sql` may name */
export function skillOperations(store: Store, databaseNames: DatabaseNames): SkillOperations {
  return {
    listSkills: async ({ caller, params, query, base, reply }) => {
      const project = await findProject(store, caller, params.project_name);
      const address = `${base}/projects/${project.name}/skills`;
      const page = await writtenPage<Skill>(address, query, {
        entries: (part) => listSkillIds(store, project.id, part, query.agent),
        written: (entries) => readSkillsJson(store, entries),
      });
      return reply({ status: 200, ...page });
    },

    createSkill: async ({ reply, ...request }) => {
      const { caller, params, body, base } = request;
      const answer = await idempotent<Skill>(store, 'createSkill', request, async (tx) => {
        const project = await lockProject(tx, caller, params.project_name);
        const { name, type, params: skillParams = {} } = withoutNulls(body.skill);
        const pieces = await createSkill(tx, project.id, { name, type, params: skillParams });
        await checkSkill(tx, project, pieces, databaseNames(caller.owner));
        return { pieces, location: `${base}/projects/${project.name}/skills/${name}` };
      });
      return reply(answer);
    },

    getSkill: async ({ caller, params, headers, reply }) => {
      const { project_name, skill_name } = params;
      const skill =
        (await getSkillJsonByPath(store, caller.owner, project_name, skill_name)) ??
        (await showSkill(store, await findProject(store, caller, project_name), skill_name));
      return reply(await shown<Skill>(skill, headers));
    },

    updateSkill: ({ caller, params, headers, body, reply }) =>
      inProject(store, caller, params.project_name, async (tx, project) => {
        const name = params.skill_name;
        if (isConditional(headers)) {
          await checkPreconditions(headers, await showSkill(tx, project, name));
        }
        const change = withoutNulls(body.skill);
        const skill = await updateSkill(tx, project.id, name, change);
        if (!skill) throw notFound(name, project);
        // A skill whose model or database has gone can still be renamed.
        if (change.type !== undefined || change.params !== undefined) {
          await checkSkill(tx, project, skill, databaseNames(caller.owner));
        }
        return reply({ status: 200, ...(await tagged<Skill>(skill)) });
      }),

    deleteSkill: ({ caller, params, headers, reply }) =>
      inProject(store, caller, params.project_name, async (tx, project) => {
        const name = params.skill_name;
        if (isConditional(headers)) {
          await checkPreconditions(headers, await showSkill(tx, project, name));
        }
        if (!(await removeSkill(tx, project.id, name))) throw notFound(name, project);
        return reply({ status: 204 });
      }),
  };
}

/**
 * Finds a skill without its params.
 * @throws {ProblemError} if the project has none of this name or identifier
 */
export async function findSkill(
  store: Store,
  project: Project,
  nameOrId: string,
): Promise<FoundSkill> {
  const skill = await findSkillRow(store, project.id, nameOrId);
  if (!skill) throw notFound(nameOrId, project);
  return skill;
}

async function showSkill(store: Store, project: Project, nameOrId: string): Promise<Pieces> {
  const skill = await getSkillJson(store, project.id, nameOrId);
  if (!skill) throw notFound(nameOrId, project);
  return skill;
}

function notFound(nameOrId: string, project: Project) {
  return problem(
    '/problems/skill-not-found',
    `There is no skill with the name or identifier "${nameOrId}" in the project "${project.name}".`,
  );
}
