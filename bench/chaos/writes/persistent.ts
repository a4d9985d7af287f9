import { setTimeout as delay } from 'node:timers/promises';
import { v4 as uuidv4 } from 'uuid';
import { type Answer, Client, NoAnswer } from '../../../testkit/http/client.js';
import { textOf } from '../../../testkit/json.js';
import { type Ledger, storedValue } from './ledger.js';

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
