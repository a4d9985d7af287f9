import type { components } from '../../generated/openapi.js';
import { type Handlers, JsonText } from '../pipeline/handlers.js';
import { problem } from '../problems/problem.js';
import type { Project, Store } from '../store/index.js';
import { heedConditions, type InPieces, shownPieces, taggedPieces } from './conditions.js';
import { writtenPage } from './list-page.js';
import { once } from './once.js';
import { holding, inProject, projectNamed, sent, written } from './resource.js';

type SkillOperations = Pick<
  Handlers,
  'listSkills' | 'createSkill' | 'getSkill' | 'updateSkill' | 'deleteSkill'
>;

type Skill = components['schemas']['Skill'];

export function skillOperations(store: Store): SkillOperations {
  return {
    listSkills: async ({ caller, params, query, base, reply }) => {
      const project = await projectNamed(store, caller, params.project_name);
      const address = `${base}/projects/${project.name}/skills`;
      const page = await writtenPage<Skill>(address, query, {
        entries: (part) => store.skills.entries(project.id, part, query.agent),
        written: (entries) => store.skills.written(entries),
      });
      return reply({ status: 200, ...page });
    },

    createSkill: async ({ reply, base, ...request }) => {
      const { caller, params, body } = request;
      const { name, type, params: skillParams = {} } = sent(body.skill);
      const answer = await once(store, 'createSkill', request, (store) =>
        holding(store, caller, params.project_name, async (store, project) => {
          const skill = await written({ kind: 'skill', project, name, sent: body.skill }, () =>
            store.skills.create(project.id, { name, type, params: skillParams }),
          );
          return {
            resource: new JsonText<Skill, readonly string[]>(skill),
            location: `${base}/projects/${project.name}/skills/${name}`,
          };
        }),
      );
      return reply(answer);
    },

    getSkill: async ({ caller, params, headers, reply }) => {
      const { project_name, skill_name } = params;
      const found = await store.skills.showAt(caller.owner, project_name, skill_name);
      const skill = found
        ? new JsonText<Skill, readonly string[]>(found)
        : await skillNamed(store, await projectNamed(store, caller, project_name), skill_name);
      return reply(await shownPieces(skill, headers));
    },

    updateSkill: ({ caller, params, headers, body, reply }) =>
      inProject(store, caller, params.project_name, async (store, project) => {
        await heedConditions(headers, () => skillNamed(store, project, params.skill_name));
        const change = sent(body.skill);
        const skill = await written(
          { kind: 'skill', project, name: change.name, sent: body.skill },
          () => store.skills.update(project.id, params.skill_name, change),
        );
        if (!skill) throw notFound(params.skill_name, project);
        return reply({
          status: 200,
          ...(await taggedPieces(new JsonText<Skill, readonly string[]>(skill))),
        });
      }),

    deleteSkill: ({ caller, params, headers, reply }) =>
      inProject(store, caller, params.project_name, async (store, project) => {
        await heedConditions(headers, () => skillNamed(store, project, params.skill_name));
        const removed = await store.skills.remove(project.id, params.skill_name);
        if (!removed) throw notFound(params.skill_name, project);
        return reply({ status: 204 });
      }),
  };
}

async function skillNamed(
  store: Store,
  project: Project,
  nameOrId: string,
): Promise<InPieces<Skill>> {
  const skill = await store.skills.show(project.id, nameOrId);
  if (!skill) throw notFound(nameOrId, project);
  return new JsonText(skill);
}

function notFound(nameOrId: string, project: Project) {
  return problem(
    '/problems/skill-not-found',
    `There is no skill with the name or identifier "${nameOrId}" in the project "${project.name}".`,
  );
}
