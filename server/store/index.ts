import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { v4 as uuidv4 } from 'uuid';
import { FairGate, type GateLimits, type QueueLength } from '../common/fair-gate.js';
import { type Act, addEvent } from './audit.js';
import { isPostgres } from './database/address.js';
import { type Databases, getDialect, singleConnection } from './database/dialect.js';
import type { NoteAddress } from './database/postgres-address.js';
import type { Database } from './database/schema.js';
import { openSqlite } from './database/sqlite.js';
import { isLocked, isUnwritable, openingError, StoreBusyError } from './database/unavailable.js';
import { isUpgrade } from './migrations/index.js';
import { DEFAULT_LIMITS, type Limits } from './quota.js';

export { isPostgres, isReadable, withoutCredentials } from './database/address.js';
export { isLocked, isTimeout, isUnavailable, isUnwritable, StoreBusyError } from './database/unavailable.js';
export type { Contents } from './quota.js';
export type { Page } from './rows.js';

export interface StoreOptions {
  /** Overrides of the default limits of projects and owners. */
  readonly limits?: Partial<Limits>;
  /** Called when an idle connection to the database breaks; the pool reconnects when needed. */
  readonly onError?: (error: Error) => void;
  /** True for a service, which is the only one to use a file of SQLite; commands may use it besides. */
  readonly isService?: boolean;
  /** Returns the present URL of a PostgreSQL, where it may change while the service runs. */
  readonly readUrl?: (() => string) | undefined;
  readonly noteAddress?: NoteAddress;
  /** Gets the names of the migrations that an existing store needed; not called for a new store. */
  readonly noteMigrations?: (names: readonly string[]) => void;
}

/** A project, or the projects of an owner, and who writes to it. */
interface WriteTarget {
  readonly owner: string;
  readonly project?: string | undefined;
  /** Its event ends the transaction; left out for what the service does by itself. */
  readonly act?: Act | undefined;
}

/** Writes that queue wait for at most one that runs. Others run at once. */
const WRITE_LIMITS: GateLimits = {
  slots: Number.POSITIVE_INFINITY,
  slotsPerOwner: 1,
  maxWaiting: 256,
  maxWaitMs: 5000,
  busy: (waitedMs) =>
    new StoreBusyError(
      waitedMs === undefined
        ? '256 writes already wait for their turn; try again later.'
        : `The write waited ${waitedMs / 1000} seconds for its turn; try again later.`,
    ),
};

/**
 * Snapshots and long transactions run one at a time: each takes one of the connections that trainings need, and the
 * memory of a project.
 */
const LONG_WORK_LIMITS: GateLimits = {
  slots: 1,
  slotsPerOwner: 1,
  maxWaiting: 32,
  maxWaitMs: 30_000,
  busy: () => new StoreBusyError('Other large projects wait for their turn; try again later.'),
};

/** The store of the service. Its resources have the shapes of the contract. */
export class Store {
  /** The reads of requests; within a transaction, all statements. */
  readonly reads: Kysely<Database>;
  /** The store for work that may take longer: see `Databases`. */
  readonly work: Kysely<Database>;
  readonly keyReads: Kysely<Database>;
  #isUneventful = false;

  private constructor(
    readonly databases: Databases,
    readonly limits: Limits,
    private readonly gate: FairGate,
    private readonly longGate: FairGate,
    private readonly probe: WriteProbe,
    /** The file of SQLite, or `:memory:`; undefined on PostgreSQL, and within a transaction. */
    readonly path?: string,
    /**
     * Returns a mark that stays the same object until the store changes. Returns undefined on PostgreSQL,
     * where reading a mark takes as long as any query.
     */
    readonly mark: () => object | undefined = () => undefined,
    /**
     * Returns a mark that stays the same object until the version that serves a model may be another: what this
     * instance changes is seen at once, and what others change within a second. Returns undefined in a transaction.
     */
    readonly recently: () => object | undefined = mark,
    private readonly unclaim: () => void = () => {},
  ) {
    const { reads, work, keys } = databases;
    this.reads = reads;
    this.work = work;
    this.keyReads = keys;
  }

  /**
   * Opens a store and migrates its tables. Several instances may do so at once.
   * @param url `file:PATH`, relative to the working directory, `:memory:`, or `postgres://…`
   * @throws if the store cannot be opened, or was written by a later release; the message shows no credentials
   */
  static async open(
    url: string,
    { limits = {}, onError = () => {}, isService, noteMigrations = () => {}, ...options }: StoreOptions = {},
  ): Promise<Store> {
    const all = { ...DEFAULT_LIMITS, ...limits };
    const gates = [new FairGate(WRITE_LIMITS), new FairGate(LONG_WORK_LIMITS)] as const;
    const probe = new WriteProbe();
    const noteFailure = (error: unknown) => probe.noteFailure(error);
    try {
      if (isPostgres(url)) {
        // Loaded on demand: this driver takes a tenth of the start-up time.
        const { openPostgres } = await import('./database/postgres.js');
        const { databases, recently, migrated } = await openPostgres(url, { onError, noteFailure, ...options });
        if (isUpgrade(migrated)) noteMigrations(migrated);
        return new Store(databases, all, ...gates, probe, undefined, undefined, recently);
      }
      const { databases, path, mark, unclaim, migrated } = await openSqlite(url, noteFailure, isService);
      if (isUpgrade(migrated)) noteMigrations(migrated);
      return new Store(databases, all, ...gates, probe, path, mark, mark, unclaim);
    } catch (cause) {
      throw openingError(url, cause);
    }
  }

  /**
   * Runs work in one transaction, with a store that is bound to it. Queries through another store are not part of the
   * transaction, and on SQLite would wait for its end forever. If the work throws, the transaction is rolled back. In a
   * store that is already bound, the work joins that transaction.
   * @param target the target of the write. Writes to one project queue before they take a connection. SQLite has one
   *   write connection, which owners take in turn: there, the writes of one owner queue.
   * @throws {StoreBusyError} if too many writes wait, or this one waits for too long
   */
  transaction<T>(work: (store: Store) => Promise<T>, target?: WriteTarget): Promise<T> {
    const { writes } = this.databases;
    if (writes.isTransaction) return work(this);
    return this.#transaction(writes, work, target);
  }

  /**
   * Runs work with a store that reads the state of one moment, while others may write. A store in memory has one
   * connection, so writes to it wait.
   * @throws {StoreBusyError} if too many others wait, or the wait takes too long
   */
  snapshot<T>(owner: string, work: (store: Store) => Promise<T>): Promise<T> {
    return this.longGate.run(owner, undefined, () => this.#readMoment(work));
  }

  #readMoment<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const { limits, gate, longGate, probe, databases } = this;
    // SQLite's driver leaves out both settings: a transaction on its connection for snapshots is like this anyway.
    return databases.snapshots
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute((db) => work(new Store(singleConnection(db), limits, gate, longGate, probe)));
  }

  /**
   * Runs work in one transaction that may take longer than those of other requests, as `transaction` does.
   * @param prepare runs before the transaction, with a snapshot, while other writes of this process to the target
   *   already wait
   * @throws {StoreBusyError} if too many writes wait, or this one waits for too long
   */
  longTransaction<T>(
    work: (store: Store) => Promise<T>,
    target: WriteTarget,
    prepare?: (snapshot: Store) => Promise<void>,
  ): Promise<T> {
    const run = () => this.#transaction(this.databases.work, work, target, prepare);
    return this.longGate.run(target.owner, undefined, run);
  }

  #transaction<T>(
    database: Kysely<Database>,
    work: (store: Store) => Promise<T>,
    target: WriteTarget | undefined,
    prepare?: (snapshot: Store) => Promise<void>,
  ): Promise<T> {
    const { limits, gate, longGate, probe } = this;
    const act = target?.act;
    const writeAndRecord = async (db: Kysely<Database>) => {
      const store = new Store(singleConnection(db), limits, gate, longGate, probe);
      const result = await work(store);
      const hasEvent = act !== undefined && !act.isRecorded && !store.#isUneventful;
      if (hasEvent) await addEvent(db, act);
      return { result, hasEvent };
    };
    const begin = async () => {
      if (prepare) await this.#readMoment(prepare);
      const { result, hasEvent } = await database.transaction().execute(writeAndRecord);
      // Not before the commit.
      if (act && hasEvent) act.isRecorded = true;
      return result;
    };
    if (!target) return begin();
    const { owner, project } = target;
    const { locksRows } = getDialect(database);
    return gate.run(locksRows ? JSON.stringify([owner, project]) : owner, undefined, begin);
  }

  /** Lets the current transaction end without an event, as it changes nothing that anybody asked for. */
  skipEvent(): void {
    this.#isUneventful = true;
  }

  /**
   * Reads the tables that every request needs. After a write that failed because the store took no
   * writes, writes too, until it takes one.
   * @throws if the store does not answer a read within a second, or takes no writes; if others lock it for writes, after
   *   five seconds
   */
  async ping(): Promise<void> {
    await this.databases.health
      .selectNoFrom(({ selectFrom }) => [
        selectFrom('projects').select('id').limit(1).as('project'),
        selectFrom('api_keys').select('id').limit(1).as('key'),
      ])
      .execute();
    await this.probe.run(() => writeProbeRow(this.databases.writes));
  }

  /** The writes that run, and those that wait for another of their project or owner. */
  get writing(): QueueLength {
    return this.gate.length;
  }

  /** Returns the size of the store in bytes, without the log of writes. */
  async measure(): Promise<number> {
    const { health } = this.databases;
    const { bytes } = await health.selectNoFrom(getDialect(health).size.as('bytes')).executeTakeFirstOrThrow();
    return Number(bytes);
  }

  async close(): Promise<void> {
    const all: readonly Kysely<Database>[] = Object.values(this.databases);
    await Promise.all([...new Set(all)].map((db) => db.destroy()));
    this.unclaim();
  }
}

/** The time for which others may lock the store for writes before it counts as one that takes none, in milliseconds. */
const LOCKED_MS = 5000;

/**
 * Knows whether the store takes writes: from the writes that fail, and then from a separate write,
 * until one succeeds. While writes succeed, nothing more is written.
 */
export class WriteProbe {
  #isSuspected = false;
  /** When a write of this service first met a lock, by `performance.now()`; undefined if none waits. */
  #lockedSince: number | undefined;
  #running: Promise<void> | undefined;

  /** Takes the error of a statement. */
  noteFailure(error: unknown): void {
    if (isUnwritable(error) || isLocked(error)) this.#isSuspected = true;
  }

  /**
   * Tries a write if one has failed because the store took none. Concurrent callers share that
   * write.
   * @throws what the write throws, unless that is a lock that is not held for long
   */
  async run(write: () => Promise<void>): Promise<void> {
    if (this.#isSuspected) {
      this.#running ??= this.#try(write).finally(() => {
        this.#running = undefined;
      });
    }
    await this.#running;
  }

  async #try(write: () => Promise<void>): Promise<void> {
    // A write that fails meanwhile counts again.
    this.#isSuspected = false;
    try {
      await write();
      this.#lockedSince = undefined;
    } catch (error) {
      this.#isSuspected = true;
      const now = performance.now();
      this.#lockedSince = isLocked(error) ? (this.#lockedSince ?? now) : undefined;
      if (this.#lockedSince !== undefined && now - this.#lockedSince < LOCKED_MS) return;
      throw error;
    }
  }
}

/** The owner of the rows that probe whether the store takes writes. No owner has this name. */
const PROBE_OWNER = '';

/** The least that is written, in bytes: less may find room when most writes do not. */
const PROBE_BYTES = 64 * 1024;

/** Writes a row that nobody finds, and deletes it. */
async function writeProbeRow(db: Kysely<Database>): Promise<void> {
  const body = randomBytes((PROBE_BYTES * 3) / 4).toString('base64');
  const created_at = new Date().toISOString();
  const row = { fingerprint: '', headers: '{}', body, bytes: 0, created_at };
  const probe = { owner: PROBE_OWNER, key: uuidv4(), ...row };
  await db.transaction().execute((tx) => tx.insertInto('kept_answers').values(probe).execute());
  await db.transaction().execute((tx) => tx.deleteFrom('kept_answers').where('owner', '=', PROBE_OWNER).execute());
}
