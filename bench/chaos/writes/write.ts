import { sorted } from './contents.js';

/** The resources of a writer: the values of skills and chatbots, and the skills of agents, by name. */
export interface Belief {
  readonly skills: ReadonlyMap<string, Readonly<Record<string, number>>>;
  readonly agents: ReadonlyMap<string, readonly string[]>;
  readonly chatbots: ReadonlyMap<string, Readonly<Record<string, number>>>;
}

/** A request, and the resources after it. */
export interface Write {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  /** The path within the project. */
  readonly path: string;
  readonly body?: object;
  readonly after: Belief;
}

/** The number of resources of a kind that a writer keeps: all of them are read after each kill. */
const MAX_RESOURCES = 30;

/**
 * Chooses a random write.
 * @param name a name that was never used
 */
export function nextWrite(belief: Belief, name: string): Write {
  const { skills, agents, chatbots } = belief;
  if (skills.size < 3) return createSkill(belief, name);
  if (skills.size > MAX_RESOURCES) return deleteSkill(belief);
  if (agents.size > MAX_RESOURCES) return deleteAgent(belief);
  if (chatbots.size > MAX_RESOURCES) return deleteChatbot(belief);
  const dice = Math.random();
  if (dice < 0.25) return createSkill(belief, name);
  if (dice < 0.5) return updateSkill(belief);
  if (dice < 0.7) return createAgent(belief, name);
  if (dice < 0.8) return deleteSkill(belief);
  return updateChatbot(belief, name);
}

/** Returns the same text for the same resources. */
export function describe({ skills, agents, chatbots }: Belief): string {
  const values = (all: ReadonlyMap<string, unknown>) =>
    sorted(Object.fromEntries([...all].map(([name, fields]) => [name, sorted(fields)])));
  return JSON.stringify([values(skills), sorted(Object.fromEntries(agents)), values(chatbots)]);
}

function createSkill(belief: Belief, name: string): Write {
  const params = { first: chance() };
  return {
    method: 'POST',
    path: '/skills',
    body: { skill: { name, type: 'lookup', params } },
    after: { ...belief, skills: new Map(belief.skills).set(name, params) },
  };
}

function updateSkill(belief: Belief): Write {
  const name = anyOf(belief.skills);
  const params = { [`key_${chance() % 5}`]: chance() };
  const merged = { ...belief.skills.get(name), ...params };
  return {
    method: 'PUT',
    path: `/skills/${name}`,
    body: { skill: { params } },
    after: { ...belief, skills: new Map(belief.skills).set(name, merged) },
  };
}

function deleteSkill(belief: Belief): Write {
  const gone = anyOf(belief.skills);
  const agents = [...belief.agents].map(
    ([name, skills]) => [name, skills.filter((skill) => skill !== gone)] as const,
  );
  return {
    method: 'DELETE',
    path: `/skills/${gone}`,
    after: { ...belief, skills: without(belief.skills, gone), agents: new Map(agents) },
  };
}

function createAgent(belief: Belief, name: string): Write {
  const skills = [...new Set([anyOf(belief.skills), anyOf(belief.skills), anyOf(belief.skills)])];
  return {
    method: 'POST',
    path: '/agents',
    body: { agent: { name, skills } },
    after: { ...belief, agents: new Map(belief.agents).set(name, skills) },
  };
}

function deleteAgent(belief: Belief): Write {
  const gone = anyOf(belief.agents);
  return {
    method: 'DELETE',
    path: `/agent/${gone}`,
    after: { ...belief, agents: without(belief.agents, gone) },
  };
}

/** Updates a chatbot, or creates it. */
function updateChatbot(belief: Belief, newName: string): Write {
  const isNew = belief.chatbots.size === 0 || Math.random() < 0.4;
  const name = isNew ? newName : anyOf(belief.chatbots);
  const settings = { [`key_${chance() % 5}`]: chance() };
  const merged = { ...belief.chatbots.get(name), ...settings };
  return {
    method: 'PUT',
    path: `/chatbots/${name}`,
    body: { chatbot: { settings } },
    after: { ...belief, chatbots: new Map(belief.chatbots).set(name, merged) },
  };
}

function deleteChatbot(belief: Belief): Write {
  const gone = anyOf(belief.chatbots);
  return {
    method: 'DELETE',
    path: `/chatbots/${gone}`,
    after: { ...belief, chatbots: without(belief.chatbots, gone) },
  };
}

function without<T>(all: ReadonlyMap<string, T>, gone: string): ReadonlyMap<string, T> {
  return new Map([...all].filter(([name]) => name !== gone));
}

function chance(): number {
  return Math.floor(Math.random() * 1_000_000);
}

function anyOf(all: ReadonlyMap<string, unknown>): string {
  const names = [...all.keys()];
  const name = names[Math.floor(Math.random() * names.length)];
  if (name === undefined) throw new Error('There is nothing to choose from');
  return name;
}
