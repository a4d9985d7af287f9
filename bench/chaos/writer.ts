import { asArray, asRecord } from '../../contract/json-record.js';
import { type Answer, ask } from '../../testkit/http/client.js';
import { readField, readText } from '../../testkit/json.js';

/** The fields that a writer sets, by name. Those of an agent are the names of its skills. */
type Fields = Readonly<Record<string, unknown>>;

/** The fields of resources, by their path within the project, such as `/skills/w0_1`. */
type State = ReadonlyMap<string, Fields>;

/** A request, and the resources after it. */
export interface Write {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  /** The path within the project. */
  readonly path: string;
  readonly body?: object;
  readonly after: State;
}

/**
 * Writes to its own resources, one write at a time, and remembers the expected state. After a write without an
 * answer, two states are allowed, and nothing in between.
 */
export class Writer {
  acknowledged = 0;
  /** Answers that no write should get. */
  readonly unexpected: string[] = [];
  readonly #ids = new Map<string, string>();
  #state: State = new Map();
  #unanswered: Write | undefined;
  #next = 0;
  #isStopped = false;

  /**
   * @param prefix the prefix of the names of its resources
   * @param send sends a write; the answer is undefined if it is not known whether the write was done
   */
  constructor(
    private readonly prefix: string,
    private readonly send: (write: Write) => Promise<Answer | undefined>,
  ) {}

  /** Writes until it is stopped, or does not know whether a write was done. */
  async write(): Promise<void> {
    while (!this.#isStopped) {
      const name = `${this.prefix}_${this.#next++}`;
      const write = nextWrite(this.#state, name);
      this.#unanswered = write;
      const answer = await this.send(write);
      if (!answer) return;
      const { status, body } = answer;
      if (status >= 300) {
        const { method, path } = write;
        this.unexpected.push(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
        return;
      }
      if (write.method === 'POST') this.#ids.set(`${write.path}/${name}`, readText(body, 'id'));
      this.acknowledged += 1;
      this.#state = write.after;
      this.#unanswered = undefined;
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Returns the differences between what is there and the allowed states, and continues from what is there. */
  compare(there: Contents): string[] {
    const all = [...there].filter(([path]) => path.includes(`/${this.prefix}_`));
    const own = new Map(all.map(([path, { fields }]) => [path, fields]));
    const write = this.#unanswered;
    const before = this.#state;
    this.#state = own;
    this.#unanswered = undefined;
    const others = all
      .filter(([path, { id }]) => id !== (this.#ids.get(path) ?? id))
      .map(([path]) => `${path} is another one than was acknowledged`);
    const found = describe(own);
    if (found === describe(before) || (write && found === describe(write.after))) return others;
    const differing = [...new Set([...before.keys(), ...own.keys()])]
      .map((path) => [path, before.get(path), own.get(path)].map((part) => JSON.stringify(part)))
      .filter(([, was, is]) => was !== is)
      .map(([path, was, is]) => `${path} was acknowledged as ${was} and is ${is}`);
    const unanswered = write ? `${write.method} ${write.path}` : 'nothing';
    return [...others, `${differing.slice(0, 3).join('; ')}, with ${unanswered} unanswered`];
  }
}

/** Returns the same text for the same resources. */
function describe(state: State): string {
  const lines = [...state].map(([path, fields]) => {
    const values = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
    return `${path} ${values.toSorted()}`;
  });
  return lines.toSorted().join('\n');
}

/** The number of resources of a kind that a writer keeps: all of them are read after each kill. */
const MAX_RESOURCES = 30;

/**
 * Chooses a random write.
 * @param name a name that was never used
 */
function nextWrite(state: State, name: string): Write {
  const of = (kind: string) => [...state.keys()].filter((path) => path.startsWith(`/${kind}/`));
  const [skills, chatbots] = [of('skills'), of('chatbots')];
  const crowded = [skills, of('agents'), chatbots].find(({ length }) => length > MAX_RESOURCES);
  const dice = Math.random();
  const fields = { [`key_${chance() % 5}`]: chance() };
  if (skills.length < 3 || (!crowded && dice < 0.25)) {
    const body = { skill: { name, type: 'lookup', params: fields } };
    return { method: 'POST', path: '/skills', body, after: put(state, `/skills/${name}`, fields) };
  }
  if (crowded) return deletion(state, chooseAny(crowded));
  if (dice < 0.5) {
    const path = chooseAny(skills);
    const after = put(state, path, { ...state.get(path), ...fields });
    return { method: 'PUT', path, body: { skill: { params: fields } }, after };
  }
  if (dice < 0.7) {
    const used = new Set([chooseAny(skills), chooseAny(skills), chooseAny(skills)].map(nameIn));
    const body = { agent: { name, skills: [...used] } };
    const after = put(state, `/agents/${name}`, namesAsFields([...used]));
    return { method: 'POST', path: '/agents', body, after };
  }
  if (dice < 0.8) return deletion(state, chooseAny(skills));
  // A chatbot that does not exist is created.
  const isNew = chatbots.length === 0 || Math.random() < 0.4;
  const path = isNew ? `/chatbots/${name}` : chooseAny(chatbots);
  const after = put(state, path, { ...state.get(path), ...fields });
  return { method: 'PUT', path, body: { chatbot: { settings: fields } }, after };
}

function put(state: State, path: string, fields: Fields): State {
  return new Map(state).set(path, fields);
}

/** Deletes a resource. Agents lose a skill that is deleted. */
function deletion(state: State, path: string): Write {
  const isSkill = path.startsWith('/skills/');
  const left = [...state].filter(([other]) => other !== path);
  const after = left.map(([other, fields]): [string, Fields] => {
    if (!isSkill || !other.startsWith('/agents/')) return [other, fields];
    return [other, namesAsFields(Object.keys(fields).filter((name) => name !== nameIn(path)))];
  });
  return { method: 'DELETE', path, after: new Map(after) };
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function namesAsFields(names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, true]));
}

function chance(): number {
  return Math.floor(Math.random() * 1_000_000);
}

function chooseAny(paths: readonly string[]): string {
  const path = paths[Math.floor(Math.random() * paths.length)];
  if (path === undefined) throw new Error('There is nothing to choose from');
  return path;
}

/** The resources of a project, by their path within it. */
export type Contents = ReadonlyMap<string, { readonly id: string; readonly fields: Fields }>;

export const LISTS = ['skills', 'agents', 'chatbots', 'models'] as const;

/**
 * Reads the contents of a project from its lists.
 * @param project the URL of the project
 * @throws if a list has a resource twice
 */
export async function readContents(project: string): Promise<Contents> {
  const there = new Map<string, { readonly id: string; readonly fields: Fields }>();
  for (const list of LISTS) {
    const resources = asArray(await ask('GET', `${writeAddress(project, `/${list}`)}`));
    for (const resource of resources) {
      const path = `/${list}/${readText(resource, 'name')}`;
      if (there.has(path)) throw new Error(`${path} is there twice`);
      there.set(path, { id: readText(resource, 'id'), fields: pickFields(list, resource) });
    }
  }
  return there;
}

/** Returns the URL of a path within a project; models are under `/api`. */
export function writeAddress(project: string, path: string): string {
  const isModel = path.startsWith('/models');
  return (isModel ? project.replace('/projects/', '/api/projects/') : project) + path;
}

function pickFields(list: (typeof LISTS)[number], resource: unknown): Fields {
  if (list === 'models') return {};
  if (list !== 'agents') return asRecord(readField(resource, list === 'skills' ? 'params' : 'settings'));
  return namesAsFields(asArray(readField(resource, 'skills')).map((skill) => readText(skill, 'name')));
}
