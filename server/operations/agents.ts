import type { components } from '../../generated/openapi.js';
import type { Handlers } from '../contract/handlers.js';
import { type FieldError, invalidRequest, problem } from '../contract/problems.js';
import {
  AddedAndRemovedError,
  type SkillsChange,
  type Store,
  UnknownReferenceError,
} from '../store/index.js';
import { listPage } from './list-page.js';
import { inProject, projectNamed, sent, written } from './resource.js';

type AgentOperations = Pick<
  Handlers,
  'listAgents' | 'createAgent' | 'getAgent' | 'updateAgent' | 'deleteAgent' | 'deleteAgentByPlural'
>;
type SkillReference = components['schemas']['SkillReference'];

/** The fields of a write that name skills, as they were sent. */
interface NamedSkills {
  readonly skills?: readonly SkillReference[] | undefined;
  readonly skills_to_add?: readonly SkillReference[] | undefined;
  readonly skills_to_remove?: readonly SkillReference[] | undefined;
}

export function agentOperations(store: Store): AgentOperations {
  const remove = async (projectName: string, nameOrId: string): Promise<void> => {
    const project = await projectNamed(store, projectName);
    const removed = await inProject(store, project.name, (store) =>
      store.agents.remove(project.id, nameOrId),
    );
    if (!removed) throw notFound(nameOrId, project.name);
  };

  return {
    listAgents: async ({ params, query, base, reply }) => {
      const project = await projectNamed(store, params.project_name);
      const page = await listPage(`${base}/projects/${project.name}/agents`, query, (part) =>
        store.agents.list(project.id, part),
      );
      return reply({ status: 200, ...page });
    },

    createAgent: async ({ params, body, base, reply }) => {
      const project = await projectNamed(store, params.project_name);
      const { skills = [], settings, params: olderSettings, ...fields } = sent(body.agent);
      const agent = await referring({ skills }, () =>
        written(store, { kind: 'agent', project, name: fields.name, sent: body.agent }, (store) =>
          store.agents.create(
            project.id,
            { ...EMPTY, ...fields, settings: settings ?? olderSettings ?? {} },
            skills.map(nameOf),
          ),
        ),
      );
      return reply({
        status: 201,
        body: agent,
        headers: { Location: `${base}/projects/${project.name}/agents/${agent.name}` },
      });
    },

    getAgent: async ({ params, reply }) => {
      const project = await projectNamed(store, params.project_name);
      const agent = await store.agents.find(project.id, params.agent_name);
      if (!agent) throw notFound(params.agent_name, project.name);
      return reply({ status: 200, body: agent });
    },

    updateAgent: async ({ params, body, reply }) => {
      const project = await projectNamed(store, params.project_name);
      const {
        skills,
        skills_to_add,
        skills_to_remove,
        settings,
        params: olderSettings,
        ...fields
      } = sent(body.agent);
      const named = { skills, skills_to_add, skills_to_remove };
      const agent = await referring(named, () =>
        written(store, { kind: 'agent', project, name: fields.name, sent: body.agent }, (store) =>
          store.agents.update(
            project.id,
            params.agent_name,
            { ...fields, settings: settings ?? olderSettings ?? {} },
            skillsChange(named),
          ),
        ),
      );
      if (!agent) throw notFound(params.agent_name, project.name);
      return reply({ status: 200, body: agent });
    },

    deleteAgent: async ({ params, reply }) => {
      await remove(params.project_name, params.agent_name);
      return reply({ status: 204 });
    },

    deleteAgentByPlural: async ({ params, reply }) => {
      await remove(params.project_name, params.agent_name);
      return reply({ status: 204 });
    },
  };
}

const EMPTY = {
  model_name: null,
  provider: null,
  prompt_template: null,
  model: null,
  data: null,
};

function skillsChange(named: NamedSkills): SkillsChange | undefined {
  const { skills, skills_to_add: added, skills_to_remove: removed } = named;
  if (skills) return { replace: skills.map(nameOf) };
  if (!added && !removed) return undefined;
  return { add: (added ?? []).map(nameOf), remove: (removed ?? []).map(nameOf) };
}

function nameOf(skill: SkillReference): string {
  return typeof skill === 'string' ? skill : skill.name;
}

/** Runs a write that names skills, and says which of them is at fault in words for the caller. */
async function referring<T>(named: NamedSkills, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof UnknownReferenceError) {
      throw problem(
        '/problems/unknown-skill',
        'A skill that the agent should use does not exist in the project; nothing was changed.',
        {
          errors: places(
            named,
            error.named,
            (name) =>
              `there is no skill with the name or identifier "${name}"; create it first, or mend the name`,
          ),
        },
      );
    }
    if (error instanceof AddedAndRemovedError) {
      const { skills_to_add = [] } = named;
      throw invalidRequest(
        places(
          { skills_to_add },
          error.named,
          () => 'is in skills_to_remove too; name it in one of the two',
        ),
      );
    }
    throw error;
  }
}

function places(
  named: NamedSkills,
  faulty: readonly string[],
  message: (name: string) => string,
): FieldError[] {
  return Object.entries(named)
    .flatMap(([field, skills]: [string, NamedSkills['skills']]) =>
      (skills ?? []).map((skill, index) => ({
        pointer: `/body/agent/${field}/${index}`,
        name: nameOf(skill),
      })),
    )
    .filter(({ name }) => faulty.includes(name))
    .map(({ pointer, name }) => ({ pointer, message: message(name) }));
}

function notFound(nameOrId: string, project: string) {
  return problem(
    '/problems/agent-not-found',
    `There is no agent with the name or identifier "${nameOrId}" in the project "${project}".`,
  );
}
