import { setTimeout as delay } from 'node:timers/promises';
import type { Scope } from '../../../server/contract/scopes.js';
import { ask, type Headers } from '../../../testkit/http/client.js';
import { Crowd, type Load } from '../../../testkit/http/load.js';
import { RawConnection } from '../../../testkit/http/raw-connection.js';
import type { Service } from '../../../testkit/service/measured-service.js';
import { untilReadyAt } from '../../../testkit/service/train-prices.js';
import { makeKey } from '../../../testkit/store/keys.js';
import type { Finding } from '../../scenario/scenario.js';

/** Attacks until the signal is aborted. @returns findings in addition to those of every attack */
export type RunAttack = (over: AbortSignal) => Promise<readonly Finding[] | undefined>;

/** An attack by one owner, or a few. */
export interface Attack {
  readonly name: string;
  /** The environment of the service. */
  readonly settings?: NodeJS.ProcessEnv;
  /** The store of the service; SQLite by default. */
  readonly store?: 'postgres';
  /** The duration in seconds, if it differs from the default. */
  readonly seconds?: number;
  /**
   * The statuses of which its requests must get one, so that it cannot pass without attacking; if there are none, it
   * judges that by findings of its own.
   */
  readonly expects?: readonly number[];
  /** Prepares the attack, before the measurement. */
  readonly prepare: (target: Target) => Promise<RunAttack>;
}

/** The attacked service, with helpers for the attackers. */
export class Target {
  readonly #connections = new Set<RawConnection>();
  readonly #answers = new Map<string, number>();
  /** The answers before the attack that runs. */
  #before: ReadonlyMap<string, number> = new Map();

  constructor(
    /** It is another one after it was ended. */
    public service: Service,
    readonly databaseUrl: string,
    /** The duration of the attack, in seconds. */
    readonly seconds: number,
  ) {}

  get url(): string {
    return this.service.url;
  }

  /** Creates a key of an owner. Returns the headers for its requests. */
  async owner(owner: string, scopes?: readonly Scope[]): Promise<Headers> {
    const key = await makeKey(this.databaseUrl, { name: owner, owner, ...(scopes && { scopes }) });
    return { Authorization: `Bearer ${key}` };
  }

  /**
   * Creates a project of an owner with a model of prices.
   * @param csv diamonds with their prices
   * @returns the path of the model
   */
  async model(owner: Headers, csv: string): Promise<string> {
    const name = 'attackers';
    const path = `/api/projects/${name}/models/prices`;
    await ask('POST', `${this.url}/projects`, { project: { name } }, owner);
    await ask('PUT', `${this.url + path}?target=price`, csv, owner);
    await untilReadyAt(this.url + path, owner);
    return path;
  }

  /** Sends requests in turn, on several connections, for as long as the attack lasts. */
  async flood(connections: number, ...requests: readonly Buffer[]): Promise<undefined> {
    let sent = 0;
    const crowd = new Crowd(this.url, () => requests[sent++ % requests.length] ?? Buffer.alloc(0));
    this.countLoad(await crowd.closedLoop(connections, this.seconds));
    crowd.close();
  }

  /** Opens a connection that is closed after the attack. Its first answer is counted, unless it is not awaited. */
  connect({ isCounted = true } = {}): RawConnection {
    const connection = new RawConnection(this.url);
    this.#connections.add(connection);
    if (isCounted) void connection.status.then((status) => this.count(status));
    return connection;
  }

  /** Counts the answers to the attackers, so that unexpected ones become visible. */
  count(status: number | undefined, times = 1): void {
    const answer = status === undefined ? 'no answer' : String(status);
    this.#answers.set(answer, (this.#answers.get(answer) ?? 0) + times);
  }

  countLoad({ served, refusing, others }: Load): void {
    this.count(200, served);
    for (const other of others) this.count(Number(other) || undefined);
    this.count(503, refusing.length - others.filter((other) => Number(other) > 0).length);
  }

  /** The number of answers with a status. */
  times(status: number): number {
    return this.#answers.get(String(status)) ?? 0;
  }

  /** Begins an attack. */
  begin(): void {
    this.#before = new Map(this.#answers);
  }

  /** Returns whether the attack that runs got one of its statuses, if it names any. */
  isExpected({ expects }: Attack): boolean {
    return expects?.some((status) => this.#sinceBegin(String(status)) > 0) ?? true;
  }

  expectedFinding(attack: Attack): Finding {
    const counted = [...this.#answers.keys()].filter((answer) => this.#sinceBegin(answer) > 0);
    const words = counted.map((answer) => `${this.#sinceBegin(answer)} × ${answer}`).join(', ');
    return {
      asked: `the requests of ${attack.name} get ${attack.expects?.join(' or ')}`,
      measured: words || 'no answers',
      passed: this.isExpected(attack),
    };
  }

  #sinceBegin(answer: string): number {
    return (this.#answers.get(answer) ?? 0) - (this.#before.get(answer) ?? 0);
  }

  get answers(): string {
    const counted = [...this.#answers].filter(([, times]) => times > 0);
    return counted.map(([answer, times]) => `${times} × ${answer}`).join(', ') || 'nothing';
  }

  /** Closes the connections of the attackers. */
  close(): void {
    for (const connection of this.#connections) connection.close();
    this.#connections.clear();
  }
}

/** Repeats work with a pause in between, until an attack is over. */
export async function repeat(
  over: AbortSignal,
  pause: number,
  work: () => Promise<unknown>,
): Promise<undefined> {
  while (!over.aborted) {
    await work();
    await delay(pause);
  }
}
