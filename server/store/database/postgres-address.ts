import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { type PostgresHosts, readHosts, type SessionTarget } from './address.js';
import { endedBySilence, PostgresClient, silentHost } from './postgres-client.js';
import { isPoolExhausted, NoHostError, openingError, StoreUnreachableError } from './unavailable.js';

/** The time between two looks at the source of an address, and between two searches of its hosts, in milliseconds. */
const LOOK_EVERY_MS = 1000;

/** The longest time of a search for a host that can be used, in milliseconds. */
const SEARCH_MS = 2000;

/** The most times that a connection is tried for one caller. */
const MAX_FAILURES = 3;

/** The message of PgBouncer for a connection that sets a timeout (protocol_violation, 08P01). */
const POOLER = /^unsupported startup parameter/;

/** Reports what became of another address: it is in use, or cannot be used for a reason. */
export type NoteAddress = (url: string, failure?: Error) => void;

interface AddressOptions {
  /** Returns the present address, which may be the same; undefined if it never changes. */
  readonly read?: (() => string) | undefined;
  /** Called when another address or host is used, and once for each address that cannot be used. */
  readonly note?: NoteAddress | undefined;
  /** The target of an address with several hosts that names none. */
  readonly several?: SessionTarget;
}

/**
 * The address of a PostgreSQL database, which may name several hosts, and may change while the service runs, such as with
 * a rotated password. All connections go to one host, until none can be made to it: then the hosts are tried in their
 * order. So connections do not spread over two servers that both take writes, and a host that is down costs one search.
 * Another address is used once a connection with it has succeeded, so that a file that is half written, or that is
 * changed before the password is, takes no connection away.
 */
export class PostgresAddress {
  #source: string;
  #hosts: PostgresHosts;
  #url: string;
  #lookedAt = performance.now();
  #searchedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<boolean> | undefined;
  #refused: string | undefined;
  #failure: Error | undefined;
  #isPooled = false;

  /**
   * @param source the address of the beginning
   * @throws if it cannot be read
   */
  constructor(
    source: string,
    private readonly options: AddressOptions = {},
  ) {
    this.#source = source;
    this.#hosts = readHosts(source, options.several);
    this.#url = firstOf(this.#hosts);
  }

  /** The address of the host that connections are made to. */
  get url(): string {
    return this.#url;
  }

  get target(): SessionTarget {
    return this.#hosts.target;
  }

  get hasOthers(): boolean {
    return this.#hosts.urls.length > 1;
  }

  /** Why the last search found no host; undefined if it found one. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** True if a pooler such as PgBouncer gives each transaction any session: timeouts hold for a transaction then. */
  get isPooled(): boolean {
    return this.#isPooled;
  }

  /** Returns whether an error of a connection comes from a pooler. Later connections then set no timeouts. */
  isOfPooler(error: unknown): boolean {
    const isOfPooler = error instanceof Error && POOLER.test(error.message);
    if (isOfPooler) this.#isPooled = true;
    return isOfPooler;
  }

  /**
   * Looks whether there is another address that can be used, at most once a second. Concurrent callers share the look.
   * @returns whether another one is used than before
   */
  look(): Promise<boolean> | false {
    if (this.#looking) return this.#looking;
    const { read } = this.options;
    const now = performance.now();
    if (!read || now - this.#lookedAt < LOOK_EVERY_MS) return false;
    this.#lookedAt = now;
    const found = read();
    return found !== this.#source && this.#share(this.#change(found));
  }

  /**
   * Looks for another address, or else for a host that can be used, at most once a second.
   * @returns whether the next connection is worth a trial
   */
  async lookElsewhere(): Promise<boolean> {
    // An address that cannot be used must not keep the hosts of the present one from being tried.
    if (await this.look()) return true;
    if (this.#looking) return this.#looking;
    const now = performance.now();
    if (!this.hasOthers || now - this.#searchedAt < LOOK_EVERY_MS) return false;
    this.#searchedAt = now;
    return this.#share(this.#search());
  }

  #share(looking: Promise<boolean>): Promise<boolean> {
    this.#looking = looking.finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #change(source: string): Promise<boolean> {
    try {
      const hosts = readHosts(source, this.options.several);
      this.#url = await findHost(hosts);
      this.#hosts = hosts;
    } catch (error) {
      if (this.#refused !== source) this.options.note?.(source, openingError(source, error));
      this.#refused = source;
      return false;
    }
    this.#refused = undefined;
    this.#failure = undefined;
    this.#source = source;
    this.options.note?.(this.#url);
    return true;
  }

  async #search(): Promise<boolean> {
    const before = this.#url;
    const { urls, target } = this.#hosts;
    try {
      // The one that has just failed comes last.
      this.#url = await findHost({ urls: [...urls.filter((url) => url !== before), before], target });
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      return false;
    }
    if (this.#url !== before) this.options.note?.(this.#url);
    return true;
  }
}

function firstOf({ urls: [first = ''] }: PostgresHosts): string {
  return first;
}

/**
 * Finds the first host whose sessions allow what the target demands. A host is tried when the one before has failed, or has
 * not answered for its share of half of the time. The first host that answers is used, even after its turn.
 * @returns its URL
 * @throws {NoHostError} if an address of several hosts has none, within the time of a search
 */
async function findHost({ urls, target }: PostgresHosts): Promise<string> {
  if (urls.length === 1) return tryHost(firstOf({ urls, target }), target, SEARCH_MS);
  const end = performance.now() + SEARCH_MS;
  const share = SEARCH_MS / 2 / (urls.length - 1);
  let isFound = false;
  let turn: Promise<unknown> = Promise.resolve();
  const trials = urls.map((url) => {
    const trial = turn.then(async () => {
      if (isFound) throw new Error('it was not tried');
      await tryHost(url, target, end - performance.now());
      isFound = true;
      return url;
    });
    // A pause that is left over must not keep a command from its end.
    const failed = trial.catch(() => {});
    turn = turn.then(() => Promise.race([failed, pause(share, undefined, { ref: false })]));
    return trial;
  });
  try {
    return await Promise.any(trials);
  } catch (error) {
    const faults: unknown[] = error instanceof AggregateError ? error.errors : [];
    throw new NoHostError(urls.map((url, index) => [new URL(url).host, faults[index]]));
  }
}

/**
 * @param timeoutMs the longest time of the connection and of the check together, in milliseconds
 * @throws if no session is made that allows what the target demands
 */
async function tryHost(url: string, target: SessionTarget, timeoutMs: number): Promise<string> {
  const time = Math.max(1, Math.ceil(timeoutMs));
  let socket: Socket | undefined;
  const stream = () => {
    socket = endedBySilence(time);
    return socket;
  };
  const client = new PostgresClient({ stream }, url, target);
  const late = setTimeout(() => socket?.destroy(silentHost()), time);
  try {
    await client.connect();
  } finally {
    clearTimeout(late);
  }
  // A host that has gone silent would be waited for.
  client.end().catch(() => {});
  return url;
}

/**
 * Takes a connection to the present address.
 * @throws {StoreUnreachableError} if none can be made, whatever the reason, or all are in use for too long
 */
export async function takeConnection(pool: Pool, address: PostgresAddress): Promise<PoolClient> {
  void address.look();
  for (let failures = 0; ; ) {
    const { url } = address;
    try {
      const client = await pool.connect();
      if (!(client instanceof PostgresClient) || client.url === address.url) return client;
      client.release(true);
    } catch (error) {
      failures += 1;
      const isWorthARetry = address.isOfPooler(error) || (await lookAfter(error, address)) || address.url !== url;
      if (!isWorthARetry || failures >= MAX_FAILURES) {
        // The last search may be of another outage than a pool that is exhausted.
        throw new StoreUnreachableError(isPoolExhausted(error) ? error : (address.failure ?? error));
      }
    }
  }
}

function lookAfter(error: unknown, address: PostgresAddress): Promise<boolean> | false {
  // A full pool says nothing of the host.
  return isPoolExhausted(error) ? address.look() : address.lookElsewhere();
}
