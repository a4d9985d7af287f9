/** A model of a project: the expected effect of every write, in a few lines. */

/** The keys that are the user's own. */
export type Open = Readonly<Record<string, unknown>>;

export interface Skill {
  id: string;
  name: string;
  type: string;
  open: Open;
}

export interface Agent {
  id: string;
  name: string;
  skills: Skill[];
  open: Open;
}

export interface Chatbot {
  id: string;
  name: string;
  agent: Agent | null;
  open: Open;
}

export interface Model {
  id: string;
  name: string;
  version: number;
}

/** The resources of a project, each kind in order of creation. */
export class State {
  skills: Skill[] = [];
  agents: Agent[] = [];
  chatbots: Chatbot[] = [];
  models: Model[] = [];

  /**
   * Removes a resource. A skill is removed from its agents, and the chatbots of an agent are left without one.
   */
  remove(kind: Kind, name: string): void {
    const { skills, agents, chatbots } = this;
    if (kind === 'skills') {
      for (const agent of agents) agent.skills = agent.skills.filter((one) => one.name !== name);
      this.skills = skills.filter((skill) => skill.name !== name);
    } else if (kind === 'agents') {
      for (const chatbot of chatbots) {
        if (chatbot.agent?.name === name) chatbot.agent = null;
      }
      this.agents = agents.filter((agent) => agent.name !== name);
    } else if (kind === 'chatbots') {
      this.chatbots = chatbots.filter((chatbot) => chatbot.name !== name);
    } else {
      this.models = this.models.filter((model) => model.name !== name);
    }
  }

  /** Returns a resource as the service shows it, without timestamps; undefined if there is none. */
  shown(kind: Kind, name: string): Record<string, unknown> | undefined {
    return this.all(kind).find((one) => one['name'] === name);
  }

  /** Returns the list of a kind as the service shows it, without timestamps. */
  all(kind: Kind): Record<string, unknown>[] {
    switch (kind) {
      case 'skills':
        return this.skills.map((skill) => this.#shownSkill(skill));
      case 'agents':
        return this.agents.map(({ id, name, skills, open }) => ({
          id,
          name,
          skills: skills.map((skill) => this.#shownSkill(skill)),
          settings: open,
          params: open,
        }));
      case 'chatbots':
        return this.chatbots.map(({ id, name, agent, open }) => ({
          id,
          name,
          agent_id: agent?.id ?? null,
          agent_name: agent?.name ?? null,
          settings: open,
          params: open,
        }));
      default:
        return this.models.map((model) => ({ ...model }));
    }
  }

  #shownSkill(skill: Skill): Record<string, unknown> {
    const { id, name, type, open } = skill;
    const users = this.agents.filter(({ skills }) => skills.includes(skill));
    return { id, name, type, params: open, agent_ids: users.map((agent) => agent.id) };
  }
}

export type Kind = 'skills' | 'agents' | 'chatbots' | 'models';

/** A name, or the nth of the resources that exist when the command runs. */
export interface Reference {
  readonly name: string;
  readonly nth: number | undefined;
}

/** Resolves a reference to the name of a resource. */
export function named(state: State, kind: Kind, { name, nth }: Reference): string {
  const there: readonly { name: string }[] = state[kind];
  return nth === undefined ? name : (there[nth % there.length]?.name ?? name);
}

/** Merges one level deep: sent keys replace, null removes, other keys stay. */
export function merged(stored: Open, sent: Open): Open {
  const changed = new Map(Object.entries(stored));
  for (const [key, value] of Object.entries(sent)) {
    if (value === null) changed.delete(key);
    else changed.set(key, value);
  }
  return Object.fromEntries(changed);
}
