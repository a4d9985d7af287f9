import type { components } from '../../generated/openapi.js';
import type { Handlers } from '../api/handlers.js';
import { idempotent } from '../api/idempotency.js';
import { writtenPage } from '../api/list-page.js';
import { agentNotFound } from '../api/not-found.js';
import { changedFields, withoutNulls } from '../api/omit-nulls.js';
import {
  checkPreconditions,
  isConditional,
  type Pieces,
  shown,
  tagged,
} from '../api/preconditions.js';
import type { Caller } from '../auth/caller.js';
import type { Project } from '../projects/projects.js';
import { findProject, inProject, lockProject } from '../projects/projects.js';
import type { Store } from '../store/index.js';
import type { SkillsChange } from './agent-rows.js';
import {
  createAgent,
  getAgentJson,
  listAgentIds,
  readAgentsJson,
  removeAgent,
  updateAgent,
} from './agent-rows.js';

type AgentOperations = Pick<
  Handlers,
  'listAgents' | 'createAgent' | 'getAgent' | 'updateAgent' | 'deleteAgent' | 'deleteAgentByPlural'
>;
type Agent = components['schemas']['Agent'];
type OpenObject = Record<string, unknown>;
type SkillReference = components['schemas']['SkillReference'];

export function agentOperations(store: Store): AgentOperations {
  return {
    listAgents: async ({ caller, params, query, base, reply }) => {
      const project = await findProject(store, caller, params.project_name);
      const address = `${base}/projects/${project.name}/agents`;
      const page = await writtenPage<Agent>(address, query, {
        entries: (part) => listAgentIds(store, project.id, part),
        written: (entries) => readAgentsJson(store, entries),
      });
      return reply({ status: 200, ...page });
    },

    createAgent: async ({ reply, ...request }) => {
      const { caller, params, body, base } = request;
      const answer = await idempotent<Agent>(store, 'createAgent', request, async (tx) => {
        const project = await lockProject(tx, caller, params.project_name);
        const { skills = [], ...fields } = fieldsOf(withoutNulls(body.agent));
        const agent = { ...EMPTY, ...fields };
        const pieces = await createAgent(tx, project.id, agent, skills.map(nameOf));
        return { pieces, location: `${base}/projects/${project.name}/agents/${agent.name}` };
      });
      return reply(answer);
    },

    getAgent: async ({ caller, params, headers, reply }) => {
      const project = await findProject(store, caller, params.project_name);
      const agent = await findAgent(store, project, params.agent_name);
      return reply(await shown<Agent>(agent, headers));
    },

    updateAgent: ({ caller, params, headers, body, reply }) =>
      inProject(store, caller, params.project_name, async (tx, project) => {
        const name = params.agent_name;
        if (isConditional(headers)) {
          await checkPreconditions(headers, await findAgent(tx, project, name));
        }
        const { skills, skills_to_add, skills_to_remove, ...fields } = fieldsOf(
          changedFields(body.agent, REMOVABLE),
        );
        const change = skillsChange(skills, skills_to_add, skills_to_remove);
        const agent = await updateAgent(tx, project.id, name, fields, change);
        if (!agent) throw agentNotFound(name, project.name);
        return reply({ status: 200, ...(await tagged<Agent>(agent)) });
      }),

    deleteAgent: async ({ reply, ...request }) => {
      await deleteAgent(store, request);
      return reply({ status: 204 });
    },

    deleteAgentByPlural: async ({ reply, ...request }) => {
      await deleteAgent(store, request);
      return reply({ status: 204 });
    },
  };
}

interface Deletion {
  readonly caller: Caller;
  readonly params: { readonly project_name: string; readonly agent_name: string };
  readonly headers: { 'If-Match'?: string };
}

function deleteAgent(store: Store, { caller, params, headers }: Deletion): Promise<void> {
  return inProject(store, caller, params.project_name, async (tx, project) => {
    const name = params.agent_name;
    if (isConditional(headers)) {
      await checkPreconditions(headers, await findAgent(tx, project, name));
    }
    if (!(await removeAgent(tx, project.id, name))) throw agentNotFound(name, project.name);
  });
}

/** The fields that null removes. */
const REMOVABLE = ['model_name', 'provider', 'prompt_template', 'model', 'data'] as const;

const EMPTY = {
  model_name: null,
  provider: null,
  prompt_template: null,
  model: null,
  data: null,
};

/** Returns the fields of a write; `params` is the older name of `settings`. */
function fieldsOf<T extends { settings?: OpenObject; params?: OpenObject }>(body: T) {
  const { settings, params, ...fields } = body;
  return { ...fields, settings: settings ?? params ?? {} };
}

function skillsChange(
  skills?: readonly SkillReference[],
  added?: readonly SkillReference[],
  removed?: readonly SkillReference[],
): SkillsChange | undefined {
  if (skills) return { replace: skills.map(nameOf) };
  if (!added && !removed) return undefined;
  return { add: (added ?? []).map(nameOf), remove: (removed ?? []).map(nameOf) };
}

function nameOf(skill: SkillReference): string {
  return typeof skill === 'string' ? skill : skill.name;
}

async function findAgent(store: Store, project: Project, nameOrId: string): Promise<Pieces> {
  const agent = await getAgentJson(store, project.id, nameOrId);
  if (!agent) throw agentNotFound(nameOrId, project.name);
  return agent;
}
