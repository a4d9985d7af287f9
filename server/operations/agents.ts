import type { components } from '../../generated/openapi.js';
import type { Caller } from '../auth/caller.js';
import { type Handlers, JsonText } from '../pipeline/handlers.js';
import { type FieldError, invalidRequest, problem } from '../problems/problem.js';
import {
  AddedAndRemovedError,
  type Project,
  type SkillsChange,
  type Store,
  UnknownReferenceError,
} from '../store/index.js';
import { heedConditions, type InPieces, shownPieces, taggedPieces } from './conditions.js';
import { writtenPage } from './list-page.js';
import { once } from './once.js';
import { holding, inProject, projectNamed, sent, written } from './resource.js';

type AgentOperations = Pick<
  Handlers,
  'listAgents' | 'createAgent' | 'getAgent' | 'updateAgent' | 'deleteAgent' | 'deleteAgentByPlural'
>;
type Agent = components['schemas']['Agent'];
type SkillReference = components['schemas']['SkillReference'];

/** The fields of a write that name skills, as they were sent. */
interface NamedSkills {
  readonly skills?: readonly SkillReference[] | undefined;
  readonly skills_to_add?: readonly SkillReference[] | undefined;
  readonly skills_to_remove?: readonly SkillReference[] | undefined;
}

export function agentOperations(store: Store): AgentOperations {
  const remove = (
    caller: Caller,
    params: { project_name: string; agent_name: string },
    conditions: { 'If-Match'?: string },
  ): Promise<void> =>
    inProject(store, caller, params.project_name, async (store, project) => {
      await heedConditions(conditions, () => agentNamed(store, project, params.agent_name));
      const removed = await store.agents.remove(project.id, params.agent_name);
      if (!removed) throw notFound(params.agent_name, project);
    });
  return {
    listAgents: async ({ caller, params, query, base, reply }) => {
      const project = await projectNamed(store, caller, params.project_name);
      const address = `${base}/projects/${project.name}/agents`;
      const page = await writtenPage<Agent>(address, query, {
        entries: (part) => store.agents.entries(project.id, part),
        written: (entries) => store.agents.written(entries),
      });
      return reply({ status: 200, ...page });
    },

    createAgent: async ({ reply, base, ...request }) => {
      const { caller, params, body } = request;
      const { skills = [], settings, params: olderSettings, ...fields } = sent(body.agent);
      const answer = await once(store, 'createAgent', request, (store) =>
        holding(store, caller, params.project_name, async (store, project) => {
          const agent = await referring({ skills }, () =>
            written({ kind: 'agent', project, name: fields.name, sent: body.agent }, () =>
              store.agents.create(
                project.id,
                { ...EMPTY, ...fields, settings: settings ?? olderSettings ?? {} },
                skills.map(nameOf),
              ),
            ),
          );
          return {
            resource: new JsonText<Agent, readonly string[]>(agent),
            location: `${base}/projects/${project.name}/agents/${fields.name}`,
          };
        }),
      );
      return reply(answer);
    },

    getAgent: async ({ caller, params, headers, reply }) => {
      const project = await projectNamed(store, caller, params.project_name);
      const agent = await agentNamed(store, project, params.agent_name);
      return reply(await shownPieces(agent, headers));
    },

    updateAgent: ({ caller, params, headers, body, reply }) =>
      inProject(store, caller, params.project_name, async (store, project) => {
        await heedConditions(headers, () => agentNamed(store, project, params.agent_name));
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
          written({ kind: 'agent', project, name: fields.name, sent: body.agent }, () =>
            store.agents.update(
              project.id,
              params.agent_name,
              { ...fields, settings: settings ?? olderSettings ?? {} },
              skillsChange(named),
            ),
          ),
        );
        if (!agent) throw notFound(params.agent_name, project);
        return reply({
          status: 200,
          ...(await taggedPieces(new JsonText<Agent, readonly string[]>(agent))),
        });
      }),

    deleteAgent: async ({ caller, params, headers, reply }) => {
      await remove(caller, params, headers);
      return reply({ status: 204 });
    },

    deleteAgentByPlural: async ({ caller, params, headers, reply }) => {
      await remove(caller, params, headers);
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
  const names = new Set(faulty);
  return Object.entries(named)
    .flatMap(([field, skills]: [string, NamedSkills['skills']]) =>
      (skills ?? []).map((skill, index) => ({
        pointer: `/body/agent/${field}/${index}`,
        name: nameOf(skill),
      })),
    )
    .filter(({ name }) => names.has(name))
    .map(({ pointer, name }) => ({ pointer, message: message(name) }));
}

async function agentNamed(
  store: Store,
  project: Project,
  nameOrId: string,
): Promise<InPieces<Agent>> {
  const agent = await store.agents.show(project.id, nameOrId);
  if (!agent) throw notFound(nameOrId, project);
  return new JsonText(agent);
}

function notFound(nameOrId: string, project: Project) {
  return problem(
    '/problems/agent-not-found',
    `There is no agent with the name or identifier "${nameOrId}" in the project "${project.name}".`,
  );
}
