import { ask, Client, NoAnswer } from '../../../testkit/http/client.js';
import { arrayOf, fieldOf, textOf } from '../../../testkit/json.js';

/**
 * Writes to its own resources, one write at a time, and remembers the expected state. After a write without an
 * answer, two states are allowed, and nothing in between.
 */
export class Writer {
  acknowledged = 0;
  /** Answers that no write should get. */
  readonly unexpected: string[] = [];
  readonly #client = new Client();
  #belief: Belief = { skills: new Map(), agents: new Map(), chatbots: new Map() };
  #unanswered: Write | undefined;
  #next = 0;

  /** @param prefix the prefix of the names of its resources */
  constructor(private readonly prefix: string) {}

  /** Writes until a request is not answered. */
  async write(project: string): Promise<void> {
    for (;;) {
      const write = nextWrite(this.#belief, `${this.prefix}_${this.#next++}`);
      this.#unanswered = write;
      try {
        const answer = await this.#client.send(write.method, project + write.path, write.body);
        // A 503 leaves the outcome as unknown as no answer.
        if (answer.status === 503) return;
        if (answer.status >= 300) {
          this.unexpected.push(
            `${write.method} ${write.path}: ${answer.status} ${JSON.stringify(answer.body)}`,
          );
          return;
        }
      } catch (error) {
        if (error instanceof NoAnswer) return;
        throw error;
      }
      this.acknowledged += 1;
      this.#belief = write.after;
      this.#unanswered = undefined;
    }
  }

  /**
   * Compares the actual state with the allowed ones. Returns the differences, and continues from the actual
   * state.
   */
  compare(there: Contents): string[] {
    const own = this.#ownOf(there);
    const write = this.#unanswered;
    const before = this.#belief;
    this.#belief = own;
    this.#unanswered = undefined;
    const found = describe(own);
    if (found === describe(before) || (write && found === describe(write.after))) return [];
    return [
      `${this.prefix}: ${difference(before, own)}, with ${write ? `${write.method} ${write.path}` : 'nothing'} unanswered`,
    ];
  }

  close(): void {
    this.#client.close();
  }

  #ownOf({ skills, agents, chatbots }: Contents): Belief {
    const own = (all: ReadonlyMap<string, string>) =>
      new Map([...all].filter(([name]) => name.startsWith(`${this.prefix}_`)));
    const parsed = <T>(all: ReadonlyMap<string, string>, parse: (text: string) => T) =>
      new Map([...own(all)].map(([name, text]) => [name, parse(text)]));
    return {
      skills: parsed(skills, fieldsOf),
      agents: parsed(agents, namesOf),
      chatbots: parsed(chatbots, fieldsOf),
    };
  }
}

/** Converts the JSON of `sorted` back to an object of numbers. */
function fieldsOf(text: string): Record<string, number> {
  const fields: unknown = JSON.parse(text);
  if (!Array.isArray(fields)) throw new Error(`${text} are not fields`);
  return Object.fromEntries(fields);
}

function namesOf(text: string): string[] {
  const names: unknown = JSON.parse(text);
  if (!Array.isArray(names)) throw new Error(`${text} are not names`);
  return names.map(String);
}

function difference(before: Belief, after: Belief): string {
  const kinds = ['skills', 'agents', 'chatbots'] as const;
  const differing = kinds.flatMap((kind) => {
    const names = new Set([...before[kind].keys(), ...after[kind].keys()]);
    return [...names]
      .map((name) => ({
        name,
        was: JSON.stringify(before[kind].get(name)),
        is: JSON.stringify(after[kind].get(name)),
      }))
      .filter(({ was, is }) => was !== is)
      .map(({ name, was, is }) => `${kind} ${name} was acknowledged as ${was} and is ${is}`);
  });
  return differing.slice(0, 3).join('; ');
}

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
function nextWrite(belief: Belief, name: string): Write {
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
function describe({ skills, agents, chatbots }: Belief): string {
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

export const LISTS = ['skills', 'agents', 'chatbots', 'models'] as const;

/** The contents of a project: for each kind, by name, the fields that the writers set, as JSON. */
export type Contents = Readonly<Record<(typeof LISTS)[number], ReadonlyMap<string, string>>>;

/**
 * Reads the contents of a project from its lists.
 * @param project the URL of the project
 */
export async function contentsOf(project: string): Promise<Contents> {
  const models = project.replace('/projects/', '/api/projects/');
  const [skills, agents, chatbots, trained] = await Promise.all([
    ask('GET', `${project}/skills`),
    ask('GET', `${project}/agents`),
    ask('GET', `${project}/chatbots`),
    ask('GET', `${models}/models`),
  ]);
  return {
    skills: byName(skills, (skill) => sorted(fieldOf(skill, 'params'))),
    agents: byName(agents, (agent) =>
      arrayOf(fieldOf(agent, 'skills')).map((skill) => textOf(skill, 'name')),
    ),
    chatbots: byName(chatbots, (chatbot) => sorted(fieldOf(chatbot, 'settings'))),
    models: byName(trained, () => true),
  };
}

/** Converts an object to a list of its fields, sorted by name. */
function sorted(value: unknown): unknown {
  const fields = Object.entries(Object(value));
  return fields.sort(([one], [other]) => (one < other ? -1 : 1));
}

function byName(list: unknown, known: (resource: unknown) => unknown): Map<string, string> {
  return new Map(
    arrayOf(list).map((resource) => [textOf(resource, 'name'), JSON.stringify(known(resource))]),
  );
}
