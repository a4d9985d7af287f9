import type { operations } from '../../../generated/openapi.js';
import { LOCAL_OWNER } from '../../../server/auth/caller.js';
import { ProblemError } from '../../../server/problems/problem.js';
import type { Project } from '../../../server/projects/projects.js';
import { findProjectRow, lockProjectRow } from '../../../server/projects/projects.js';
import { agents, updateAgent } from '../../../server/resources/agents.js';
import { createSkill, skills } from '../../../server/resources/skills.js';
import type { Store } from '../../../server/store/index.js';

export type BodyOf<O extends keyof operations> = operations[O] extends {
  requestBody: { content: { 'application/json': infer B } };
}
  ? B
  : never;

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly location?: string;
}

/**
 * The work of the operations, as one would write it by hand on the same store: the same reads, and the same
 * transaction for a write. It trusts its input.
 */
export class Work {
  constructor(private readonly store: Store) {}

  async getSkill(projectName: string, skillName: string): Promise<Answer> {
    const project = await findProjectRow(this.store, LOCAL_OWNER, projectName);
    const skill = project && (await skills.find(this.store, project.id, skillName));
    if (!skill) return notFound(skillName);
    return { status: 200, body: resourceIn(await skills.write(this.store, skill)) };
  }

  async listSkills(projectName: string, limit: number | undefined): Promise<Answer> {
    const project = await findProjectRow(this.store, LOCAL_OWNER, projectName);
    if (!project) return notFound(projectName);
    const page = await skills.listIds(this.store, project.id, { limit });
    const body: unknown[] = [];
    for await (const skill of skills.readJson(this.store, page)) body.push(resourceIn(skill));
    return { status: 200, body };
  }

  createSkill(projectName: string, { skill }: BodyOf<'createSkill'>): Promise<Answer> {
    const { name, type, params } = skill;
    return this.#inProject(projectName, async (store, project) => {
      const created = await createSkill(store, project.id, { name, type, params: params ?? {} });
      const location = `/projects/${project.name}/skills/${name}`;
      return { status: 201, body: resourceIn(await skills.write(store, created)), location };
    });
  }

  updateAgent(projectName: string, agentName: string, { agent }: BodyOf<'updateAgent'>): Promise<Answer> {
    const { prompt_template, settings } = agent;
    return this.#inProject(projectName, async (store, project) => {
      const change = { ...(prompt_template ? { prompt_template } : {}), ...(settings ? { settings } : {}) };
      const agent = await agents.find(store, project.id, agentName);
      if (!agent) return notFound(agentName);
      const updated = await updateAgent(store, agent, change);
      return { status: 200, body: resourceIn(await agents.write(store, updated)) };
    });
  }

  async #inProject(name: string, write: (store: Store, project: Project) => Promise<Answer>): Promise<Answer> {
    try {
      return await this.store.transaction(
        async (store) => {
          const project = await lockProjectRow(store, LOCAL_OWNER, name);
          return project ? write(store, project) : notFound(name);
        },
        { owner: LOCAL_OWNER, project: name },
      );
    } catch (error) {
      if (error instanceof ProblemError && error.type === '/problems/name-taken') {
        return { status: 409, body: { message: 'name taken' } };
      }
      throw error;
    }
  }
}

function notFound(name: string): Answer {
  return { status: 404, body: { message: `There is no "${name}"` } };
}

/** The resource that the store has written in pieces of JSON: frameworks send objects. */
function resourceIn(pieces: readonly string[]): unknown {
  return JSON.parse(pieces.join(''));
}
