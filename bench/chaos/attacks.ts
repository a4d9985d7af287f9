import { setTimeout as delay } from 'node:timers/promises';
import type { Scope } from '../../contract/scopes.js';
import { ask, type Headers } from '../../testkit/http/client.js';
import { Crowd, head } from '../../testkit/http/load.js';
import { RawConnection } from '../../testkit/http/raw-connection.js';
import type { Service } from '../../testkit/service/measured-service.js';
import { makeKey } from '../../testkit/store/keys.js';
import type { Finding } from '../scenarios.js';
import { train } from '../services.js';

/** Attacks until the signal is aborted. @returns findings in addition to those of every attack */
export type RunAttack = (over: AbortSignal) => Promise<readonly Finding[] | undefined>;

interface Settings {
  readonly settings?: NodeJS.ProcessEnv;
  /** The store of the service; SQLite by default. */
  readonly store?: 'postgres';
  /** The duration in seconds, if it differs from the default. */
  readonly seconds?: number;
  /** The bound of additional memory, in MiB, if it is above that of the family. */
  readonly memory?: number;
  /**
   * The statuses of which its requests must get one, so that it cannot pass without attacking; if there are none, it
   * judges that by its own findings.
   */
  readonly expects?: readonly number[];
}

/** An attack by one owner, or a few. */
export interface Attack extends Settings {
  readonly name: string;
  readonly prepare: (target: Target) => Promise<RunAttack>;
}

/** The project of each attacker, its models, and a model of prices. */
export const PROJECT = '/projects/attackers';
export const MODELS = `/api${PROJECT}/models`;
export const PRICES = `${MODELS}/prices`;

/** The attacked service, with helpers for the attackers. */
export class Target {
  readonly #connections = new Set<RawConnection>();
  /** The statuses of all answers to the attackers, and how many there were before the attack that runs. */
  readonly #answers: string[] = [];
  #before = 0;

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

  async project(owner: Headers): Promise<void> {
    await ask('POST', `${this.url}/projects`, { project: { name: 'attackers' } }, owner);
  }

  /** Creates the project of an owner, with a model that is trained from CSV. */
  async model(owner: Headers, csv: string, path = PRICES, column = 'price'): Promise<void> {
    await this.project(owner);
    await train(`${this.url + path}?target=${column}`, csv, owner);
  }

  /** Sends requests in turn, on several connections, for as long as the attack lasts. */
  async flood(connections: number, requests: readonly Buffer[]): Promise<undefined> {
    let sent = 0;
    const crowd = new Crowd(this.url, () => requests[sent++ % requests.length] ?? Buffer.alloc(0));
    const { served, refusing, others } = await crowd.closedLoop(connections, this.seconds);
    crowd.close();
    const statuses = others.map((other) => Number(other) || undefined);
    this.count(200, served);
    for (const status of statuses) this.count(status);
    this.count(503, refusing.length - statuses.filter(Boolean).length);
  }

  /** Opens a connection that is closed after the attack. Its first answer is counted, unless it is not awaited. */
  connect({ isCounted = true } = {}): RawConnection {
    const connection = new RawConnection(this.url);
    this.#connections.add(connection);
    if (isCounted) void connection.status.then((status) => this.count(status));
    return connection;
  }

  /** Counts answers to the attackers, so that unexpected ones become visible. */
  count(status: number | undefined, times = 1): void {
    const answer = status === undefined ? 'no answer' : String(status);
    for (let counted = 0; counted < times; counted += 1) this.#answers.push(answer);
  }

  begin(): void {
    this.#before = this.#answers.length;
  }

  get #ofAttack(): readonly string[] {
    return this.#answers.slice(this.#before);
  }

  /** Returns whether the attack that runs got one of its statuses, if it names any. */
  isExpected({ expects }: Attack): boolean {
    return !expects || this.#ofAttack.some((answer) => expects.includes(Number(answer)));
  }

  expectedFinding(attack: Attack): Finding {
    return {
      asked: `the requests of ${attack.name} get ${attack.expects?.join(' or ')}`,
      measured: inWords(this.#ofAttack) || 'no answers',
      passed: this.isExpected(attack),
    };
  }

  times(status: number): number {
    return this.#answers.filter((answer) => answer === String(status)).length;
  }

  get answers(): string {
    return inWords(this.#answers) || 'nothing';
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
    this.#connections.clear();
  }
}

function inWords(answers: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  return [...counts].map(([answer, times]) => `${times} × ${answer}`).join(', ');
}

/** Repeats work with a pause in between, until an attack is over. */
export async function repeat(over: AbortSignal, pause: number, work: () => Promise<unknown>): Promise<undefined> {
  while (!over.aborted) {
    await work();
    await delay(pause);
  }
}

/** Returns an attack by one owner, who is prepared before. */
export function byOne(
  name: string,
  prepare: (target: Target, owner: Headers) => Promise<RunAttack>,
  settings: Settings = {},
): Attack {
  return { ...settings, name, prepare: async (target) => prepare(target, await target.owner(name)) };
}

/** Returns an attack in which one owner sends requests in turn, each as soon as one was answered. */
export function flooding(
  name: string,
  connections: number,
  requests: (target: Target, owner: Headers) => Promise<readonly Buffer[]>,
): Attack {
  return byOne(name, async (target, owner) => {
    const all = await requests(target, owner);
    return () => target.flood(connections, all);
  });
}

interface Crew extends Settings {
  readonly owners?: number;
  /** The clients of each owner. */
  readonly clients?: number;
  /** The pause of a client between two requests, in milliseconds. */
  readonly pause?: number;
  readonly scopes?: readonly Scope[];
}

interface Turn<T> {
  readonly owner: Headers;
  readonly prepared: T;
  readonly client: number;
  /** The turns of this client before. */
  readonly round: number;
  /** The turns of all clients before. */
  readonly number: number;
  readonly over: AbortSignal;
}

/** Returns an attack by clients of some owners, each of which sends one request after the other. */
function byClients<T>(
  name: string,
  { owners = 1, clients = 1, pause = 1000, scopes, ...settings }: Crew,
  prepare: (target: Target, owner: Headers) => Promise<T>,
  send: (target: Target, turn: Turn<T>) => Promise<void>,
): Attack {
  return {
    ...settings,
    name,
    prepare: async (target) => {
      const crew: Pick<Turn<T>, 'owner' | 'prepared' | 'client'>[] = [];
      for (let number = 0; number < owners; number += 1) {
        const owner = await target.owner(`${name}_${number}`, scopes);
        const prepared = await prepare(target, owner);
        for (let client = 0; client < clients; client += 1) crew.push({ owner, prepared, client });
      }
      let number = 0;
      return async (over) => {
        const sending = crew.map((member) => {
          let round = 0;
          return repeat(over, pause, () => send(target, { ...member, round: round++, number: number++, over }));
        });
        await Promise.all(sending);
        return undefined;
      };
    },
  };
}

/** A request whose body comes in pieces. */
interface Poured {
  readonly method?: 'POST' | 'PUT';
  /** @param round the requests of the client before */
  readonly path: (client: number, round: number) => string;
  readonly type: string;
  /** The announced length of the body, in bytes; in chunks, if there is none. */
  readonly length?: number;
  readonly begin?: Buffer | string;
  readonly piece: Buffer;
  /** The length of all pieces, in bytes, after which the answer is awaited; without it, they never end. */
  readonly total?: number;
  /** The time between two pieces, in milliseconds. */
  readonly between?: number;
}

/** Returns an attack in which clients send the bodies of their requests in pieces. */
export function pouring(
  name: string,
  makeBody: () => Poured,
  {
    prepare = (target, owner) => target.project(owner),
    ...crew
  }: Crew & { readonly prepare?: (target: Target, owner: Headers) => Promise<void> } = {},
): Attack {
  let body: Poured | undefined;
  const prepareBody = async (target: Target, owner: Headers) => {
    await prepare(target, owner);
    body ??= makeBody();
    return body;
  };
  return byClients(name, crew, prepareBody, pour);
}

async function pour(target: Target, { owner, prepared, client, round, over }: Turn<Poured>) {
  const { method = 'PUT', path, type, length, begin, piece, between } = prepared;
  const { total = Number.POSITIVE_INFINITY } = prepared;
  const framing = length === undefined ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': length };
  const connection = target.connect();
  const headers = { ...owner, 'Content-Type': type, ...framing };
  await connection.send(head(target.url, method, path(client, round), headers));
  if (begin) await connection.send(begin);
  for (let left = total; left > 0; left -= piece.length) {
    if (over.aborted || !(await connection.send(piece.subarray(0, left)))) break;
    if (between) await Promise.race([connection.closed, delay(between)]);
  }
  if (Number.isFinite(total)) await connection.status;
  connection.close();
}

/** The time after its body after which a client leaves, in milliseconds. */
const LEAVES_AFTER = 200;
/** The time that a client waits for the end of an answer, in milliseconds. */
const STAYS = 60_000;

export interface HostileRequest {
  readonly method: 'POST' | 'PUT';
  /** @param number that of the request, from 0 on */
  readonly path: (number: number) => string;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** The behaviour of a client: it reads the answer to its end, or goes when it has sent half or all of its body. */
const MANNERS = ['stays', 'leaves in the middle', 'stays', 'leaves after the body'] as const;

/**
 * Returns an attack in which two owners send requests in turn, from clients of all manners.
 * @param prepare prepares what the requests of an owner need
 */
export function hostileClients(
  name: string,
  prepare: (target: Target, owner: Headers) => Promise<readonly HostileRequest[]>,
  settings: Settings & Required<Pick<Settings, 'expects'>>,
): Attack {
  return byClients(name, { owners: 2, clients: 3, pause: 50, ...settings }, prepare, sendHostile);
}

async function sendHostile(target: Target, turn: Turn<readonly HostileRequest[]>): Promise<void> {
  const { owner, prepared, number, over } = turn;
  const request = prepared[number % prepared.length];
  if (!request) return;
  const { method, path, headers, body } = request;
  const manner = MANNERS[Math.floor(number / prepared.length) % MANNERS.length];
  const stays = manner === 'stays';
  const connection = target.connect({ isCounted: stays });
  const all = { ...owner, ...headers, 'Content-Length': body.length, Connection: 'close' };
  await connection.send(head(target.url, method, path(number), all));
  const isHalf = manner === 'leaves in the middle';
  await connection.send(isHalf ? body.subarray(0, body.length / 2) : body);
  if (!over.aborted) {
    const late = new AbortController();
    const signal = AbortSignal.any([over, late.signal]);
    const waiting = delay(stays ? STAYS : LEAVES_AFTER, undefined, { signal });
    await Promise.race([connection.closed, waiting.catch(() => {})]);
    late.abort();
  }
  connection.close();
}
