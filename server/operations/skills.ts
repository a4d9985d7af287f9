import type { Handlers } from '../contract/handlers.js';
import { problem } from '../contract/problems.js';
import type { Store } from '../store/index.js';
import { listPage } from './list-page.js';
import { inProject, projectNamed, sent, written } from './resource.js';

type SkillOperations = Pick<
  Handlers,
  'listSkills' | 'createSkill' | 'getSkill' | 'updateSkill' | 'deleteSkill'
>;

export function skillOperations(store: Store): SkillOperations {
  return {
    listSkills: async ({ params, query, base, reply }) => {
      const project = await projectNamed(store, params.project_name);
      const page = await listPage(`${base}/projects/${project.name}/skills`, query, (part) =>
        store.skills.list(project.id, part, query.agent),
      );
      return reply({ status: 200, ...page });
    },

    createSkill: async ({ params, body, base, reply }) => {
      const project = await projectNamed(store, params.project_name);
      const { name, type, params: skillParams = {} } = sent(body.skill);
      const skill = await written(
        store,
        { kind: 'skill', project, name, sent: body.skill },
        (store) => store.skills.create(project.id, { name, type, params: skillParams }),
      );
      return reply({
        status: 201,
        body: skill,
        headers: { Location: `${base}/projects/${project.name}/skills/${name}` },
      });
    },

    getSkill: async ({ params, reply }) => {
      const project = await projectNamed(store, params.project_name);
      const skill = await store.skills.find(project.id, params.skill_name);
      if (!skill) throw notFound(params.skill_name, project.name);
      return reply({ status: 200, body: skill });
    },

    updateSkill: async ({ params, body, reply }) => {
      const project = await projectNamed(store, params.project_name);
      const change = sent(body.skill);
      const skill = await written(
        store,
        { kind: 'skill', project, name: change.name, sent: body.skill },
        (store) => store.skills.update(project.id, params.skill_name, change),
      );
      if (!skill) throw notFound(params.skill_name, project.name);
      return reply({ status: 200, body: skill });
    },

    deleteSkill: async ({ params, reply }) => {
      const project = await projectNamed(store, params.project_name);
      const removed = await inProject(store, project.name, (store) =>
        store.skills.remove(project.id, params.skill_name),
      );
      if (!removed) throw notFound(params.skill_name, project.name);
      return reply({ status: 204 });
    },
  };
}

function notFound(nameOrId: string, project: string) {
  return problem(
    '/problems/skill-not-found',
    `There is no skill with the name or identifier "${nameOrId}" in the project "${project}".`,
  );
}
