import { setTimeout as delay } from 'node:timers/promises';
import { v4 as uuidv4 } from 'uuid';
import { type Answer, ask, Client, NoAnswer } from '../../../testkit/http/client.js';
import { arrayOf, fieldOf, textOf } from '../../../testkit/json.js';

/** The pause between two attempts, in milliseconds. */
const PAUSE = 20;

/**
 * A client that follows the contract: it retries each write on one instance or the other until it is answered,
 * a creation with one Idempotency-Key, an update with the entity tag that it has read.
 */
export class Persistent {
  /** The number of requests that were sent more than once. */
  retried = 0;
  readonly #client = new Client();
  #stopped = false;

  /**
   * @param prefix the prefix of the names of its resources
   * @param instances the URLs of all instances, alive or not
   */
  constructor(
    private readonly prefix: string,
    private readonly instances: () => readonly string[],
    private readonly ledger: Ledger,
  ) {}

  /** Writes until it is stopped and every pending write is answered. */
  async work(): Promise<void> {
    for (let number = 0; !this.#stopped; number += 1) {
      const name = `${this.prefix}_${number}`;
      const skill = { name, type: 'lookup', params: { value: 0 } };
      const id = await this.#create('/skills', { skill });
      if (id) this.ledger.skills.set(name, { id, value: 0 });
      const agent = await this.#create('/agents', { agent: { name, skills: [name] } });
      if (agent) this.ledger.agents.set(name, { id: agent });
      if (id) await this.#update(name, id, number + 1);
    }
    this.#client.close();
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Creates a resource, and returns its id. */
  async #create(path: string, body: object): Promise<string | undefined> {
    const answer = await this.#insist('POST', path, body, { 'Idempotency-Key': uuidv4() });
    if (answer.status === 201) return textOf(answer.body, 'id');
    this.#blame(`POST ${path}`, answer);
    return undefined;
  }

  async #update(name: string, id: string, value: number): Promise<void> {
    const path = `/skills/${name}`;
    const { headers } = await this.#insist('GET', path);
    const before = this.retried;
    const condition = { 'If-Match': String(headers['etag']) };
    const answer = await this.#insist('PUT', path, { skill: { params: { value } } }, condition);
    if (answer.status === 412 && this.retried > before) {
      // The first attempt may have changed the skill. No other client writes to it.
      const { body } = await this.#insist('GET', path);
      if (storedValue(body) !== value) this.#blame(`PUT ${path}, done by nobody`, answer);
    } else if (answer.status !== 200) this.#blame(`PUT ${path}`, answer);
    this.ledger.skills.set(name, { id, value });
  }

  async #insist(
    method: string,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const first = Math.floor(Math.random() * 2);
    for (let attempt = 0; ; attempt += 1) {
      const instance = this.instances()[(first + attempt) % 2];
      try {
        const url = `${instance}/projects/default${path}`;
        const answer = await this.#client.send(method, url, body, headers);
        if (!isForLater(answer)) {
          if (method !== 'GET') this.ledger.writes += 1;
          return answer;
        }
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
      }
      if (attempt === 0) this.retried += 1;
      await delay(PAUSE);
    }
  }

  #blame(what: string, { status, body }: Answer): void {
    this.ledger.faults.push(`${what}: ${status} ${JSON.stringify(body)}`);
  }
}

function isForLater({ status, body }: Answer): boolean {
  return status === 503 || textOf(body, 'type') === '/problems/request-in-progress';
}

/** The acknowledged writes of clients that retry until they are acknowledged. */
export interface Ledger {
  /** The id and the last value, by name. */
  readonly skills: Map<string, { readonly id: string; readonly value: number }>;
  /** The id, by name. Each agent has the skill of the same name. */
  readonly agents: Map<string, { readonly id: string }>;
  /** Answers that no client should get. */
  readonly faults: string[];
  writes: number;
}

/** Returns the differences between a project and the acknowledged writes. */
export async function compareWith(ledger: Ledger, project: string): Promise<string[]> {
  const skills = arrayOf(await ask('GET', `${project}/skills`));
  const agents = arrayOf(await ask('GET', `${project}/agents`));
  return [
    ...misplaced('skills', ledger.skills, skills),
    ...misplaced('agents', ledger.agents, agents),
    ...skills
      .filter((skill) => storedValue(skill) !== ledger.skills.get(textOf(skill, 'name'))?.value)
      .map((skill) => `the skill ${textOf(skill, 'name')} has the value ${storedValue(skill)}`),
    ...agents
      .filter(
        (agent) => textOf(arrayOf(fieldOf(agent, 'skills'))[0], 'name') !== textOf(agent, 'name'),
      )
      .map((agent) => `the agent ${textOf(agent, 'name')} is without its skill`),
  ];
}

function storedValue(skill: unknown): unknown {
  return fieldOf(fieldOf(skill, 'params'), 'value');
}

/** Returns the resources that are missing, duplicated, or not as acknowledged. */
function misplaced(
  what: string,
  acknowledged: ReadonlyMap<string, { readonly id: string }>,
  there: readonly unknown[],
): string[] {
  const faults = [...acknowledged]
    .filter(([name, { id }]) => {
      const found = there.filter((resource) => textOf(resource, 'name') === name);
      return found.length !== 1 || textOf(found[0], 'id') !== id;
    })
    .map(([name]) => `${name} of the ${what} is not there once as acknowledged`);
  const more = there.length - acknowledged.size;
  return more > 0 ? [...faults, `${more} ${what} more than were acknowledged`] : faults;
}
