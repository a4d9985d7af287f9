import { AgentStore } from './agents.js';
import { AnswerStore } from './answers.js';
import { BOUNDS, type Bounds } from './bounds.js';
import { ChatbotStore } from './chatbots.js';
import { isPostgres, withoutCredentials } from './database/address.js';
import { closeAll, type Databases, oneWay } from './database/databases.js';
import { dialectOf } from './database/dialect.js';
import { KeyedMutex } from './database/keyed-mutex.js';
import { openSqlite } from './database/sqlite.js';
import { KeyStore } from './keys.js';
import { VersionStore } from './model-versions.js';
import { ModelStore } from './models.js';
import { ProjectStore } from './projects.js';
import { SkillStore } from './skills.js';
import { TableStore } from './tables.js';

export type { SkillsChange } from './agents.js';
export type { KeptAnswer } from './answers.js';
export { isPostgres, withoutCredentials } from './database/address.js';
export type { Claim } from './database/claims.js';
export { isTimeout, isUnavailable, StoreBusyError } from './database/unavailable.js';
export {
  AddedAndRemovedError,
  LimitReachedError,
  NameTakenError,
  OtherNameError,
  QueueFullError,
  TooLargeError,
  TrainingInProgressError,
  UnknownReferenceError,
} from './errors.js';
export { type ListEntry, pausing } from './json/written-json.js';
export type { ApiKey, KeptKey } from './keys.js';
export type { TrainedVersion } from './models.js';
export type { Page } from './page.js';
export type { Contents } from './project-quota.js';
export type { Project } from './projects.js';
export { MAX_VERSION, type Model, numberedName } from './versions.js';

export interface StoreOptions {
  /** What a project may hold at most, and an owner, where it is not as usual. */
  readonly most?: Partial<Bounds>;
  /** Told that a connection to the database broke while nobody was using it; it is made again when needed. */
  readonly onError?: (error: Error) => void;
}

/** Where a write goes: a project, or the projects of an owner. */
export interface WriteTarget {
  readonly owner: string;
  readonly project?: string | undefined;
}

/** What the service keeps. Its resources have the shapes of the contract. */
export class Store {
  readonly projects: ProjectStore;
  readonly skills: SkillStore;
  readonly agents: AgentStore;
  readonly chatbots: ChatbotStore;
  readonly models: ModelStore;
  readonly versions: VersionStore;
  readonly tables: TableStore;
  readonly keys: KeyStore;
  readonly answers: AnswerStore;
  readonly #turns = new KeyedMutex();

  private constructor(
    private readonly databases: Databases,
    private readonly most: Bounds,
    /**
     * Gives a mark that is the same only while nothing in the store has changed. Undefined where asking for
     * it takes as long as any question does: on PostgreSQL.
     */
    readonly mark: () => string | undefined = () => undefined,
  ) {
    const { reads, work, keys } = databases;
    this.projects = new ProjectStore(reads, most);
    this.skills = new SkillStore(reads, most);
    this.agents = new AgentStore(reads, most);
    this.chatbots = new ChatbotStore(reads, most);
    this.models = new ModelStore(reads, most, work);
    this.versions = new VersionStore(reads);
    this.tables = new TableStore(work, most);
    this.keys = new KeyStore(keys, work);
    this.answers = new AnswerStore(work, most);
  }

  /**
   * Opens a store, and brings its tables up to date. Several instances may do so at once.
   * @param url `file:PATH`, relative to the working directory, `:memory:`, or `postgres://…`
   * @throws if it cannot be opened, or was written by a later release; the message shows no credentials
   */
  static async open(
    url: string,
    { most = {}, onError = () => {} }: StoreOptions = {},
  ): Promise<Store> {
    const bounds = { ...BOUNDS, ...most };
    try {
      if (isPostgres(url)) {
        // Its driver takes as long to load as a tenth of the start.
        const { openPostgres } = await import('./database/postgres.js');
        return new Store(await openPostgres(url, onError), bounds);
      }
      const { databases, mark } = await openSqlite(url);
      return new Store(databases, bounds, mark);
    } catch (cause) {
      const store = `the store ${withoutCredentials(url)} (DATABASE_URL)`;
      throw new Error(`${store} cannot be opened: ${reasonOf(cause)}`, { cause });
    }
  }

  /**
   * Runs work in one transaction. The store that it is given is bound to it: what goes through another does
   * not belong to it, and on SQLite would wait for its end for ever. If the work throws, all of it is undone.
   * In a store that is bound already, the work becomes a part of that transaction.
   * @param target what is written to. Writes to one project wait for each other before they take a connection.
   *   SQLite has one connection that writes, which owners take in turn: there, writes of one owner wait so.
   * @throws {StoreBusyError} if too many writes wait, or this one waits for too long
   */
  transaction<T>(work: (store: Store) => Promise<T>, target?: WriteTarget): Promise<T> {
    const { writes } = this.databases;
    if (writes.isTransaction) return work(this);
    const begin = () =>
      writes.transaction().execute((db) => work(new Store(oneWay(db), this.most)));
    if (!target) return begin();
    const { owner, project } = target;
    const { locksRows } = dialectOf(writes);
    return this.#turns.run(locksRows ? JSON.stringify([owner, project]) : owner, begin);
  }

  /**
   * Reads the tables that every request needs.
   * @throws if the store does not answer within a second
   */
  async ping(): Promise<void> {
    await this.databases.health
      .selectNoFrom(({ selectFrom }) => [
        selectFrom('projects').select('id').limit(1).as('project'),
        selectFrom('api_keys').select('id').limit(1).as('key'),
      ])
      .execute();
  }

  close(): Promise<void> {
    return closeAll(this.databases);
  }
}

/** A host that answers at none of its addresses gives an error without a message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : error.name;
  return COMMON[code] ?? (error.message || code);
}

/** Frequent failures of a store and how to fix them, by the code of the error. */
const COMMON: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused; is PostgreSQL running there?',
  ENOTFOUND: 'the host is not known; is its name right?',
  // invalid_catalog_name
  '3D000': 'the database does not exist; make it with createdb',
  SQLITE_BUSY: 'another program locks it; open it again when that is done',
};
