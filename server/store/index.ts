import type { Kysely } from 'kysely';
import { isPostgres, withoutCredentials } from './address.js';
import { AgentStore } from './agents.js';
import { AnswerStore } from './answers.js';
import { BOUNDS, type Bounds } from './bounds.js';
import { ChatbotStore } from './chatbots.js';
import { KeyStore } from './keys.js';
import { sql } from './kysely.js';
import { migrate } from './migrate.js';
import { ModelStore } from './models.js';
import { ProjectStore } from './projects.js';
import { Queues } from './queues.js';
import type { Database } from './schema.js';
import { SkillStore } from './skills.js';
import { openSqlite } from './sqlite.js';
import { TableStore } from './tables.js';
import { inTransaction } from './transaction.js';

export { isPostgres, withoutCredentials } from './address.js';
export type { SkillsChange } from './agents.js';
export type { KeptAnswer } from './answers.js';
export { OtherNameError } from './chatbots.js';
export type { Claim } from './claims.js';
export {
  AddedAndRemovedError,
  LimitReachedError,
  NameTakenError,
  QueueFullError,
  TooLargeError,
  TrainingInProgressError,
  UnknownReferenceError,
} from './errors.js';
export type { Contents } from './held.js';
export { type ApiKey, type KeptKey, SCOPES, type Scope } from './keys.js';
export type { TrainedVersion } from './models.js';
export type { Page } from './page.js';
export type { Project } from './projects.js';
export { isUnavailable } from './unavailable.js';
export type { Model } from './versions.js';
export { type ListEntry, pausing } from './written-json.js';

export interface StoreOptions {
  /** What a project may hold at most, and an owner, where it is not as usual. */
  readonly most?: Partial<Bounds>;
  /** Told that a connection to the database broke while nobody was using it; it is made again when needed. */
  readonly onError?: (error: Error) => void;
}

/** What the service keeps. Its resources have the shapes of the contract. */
export class Store {
  readonly projects: ProjectStore;
  readonly skills: SkillStore;
  readonly agents: AgentStore;
  readonly chatbots: ChatbotStore;
  readonly models: ModelStore;
  readonly tables: TableStore;
  readonly keys: KeyStore;
  readonly answers: AnswerStore;
  readonly #queues = new Queues();

  private constructor(
    private readonly db: Kysely<Database>,
    private readonly most: Bounds,
    /** Leads to the same database, and waits behind no work: whether it answers is asked through this. */
    private readonly watch = db,
    /**
     * Gives a mark that is the same only while nothing in the store has changed. Undefined where asking for
     * it takes as long as any question does: on PostgreSQL.
     */
    readonly mark: () => string | undefined = () => undefined,
  ) {
    this.projects = new ProjectStore(db, most);
    this.skills = new SkillStore(db, most);
    this.agents = new AgentStore(db, most);
    this.chatbots = new ChatbotStore(db, most);
    this.models = new ModelStore(db, most);
    this.tables = new TableStore(db);
    this.keys = new KeyStore(db);
    this.answers = new AnswerStore(db);
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
    let db: Kysely<Database> | undefined;
    try {
      const bounds = { ...BOUNDS, ...most };
      if (isPostgres(url)) {
        // Its driver takes as long to load as a tenth of the start.
        const { openPostgres } = await import('./postgres.js');
        db = openPostgres(url, onError);
        await migrate(db);
        return new Store(db, bounds, openPostgres(url, onError, 1));
      }
      const opened = await openSqlite(url);
      db = opened.db;
      await migrate(db);
      return new Store(db, bounds, db, opened.mark);
    } catch (cause) {
      await db?.destroy();
      const store = `the store ${withoutCredentials(url)} (DATABASE_URL)`;
      throw new Error(`${store} cannot be opened: ${reasonOf(cause)}`, { cause });
    }
  }

  /**
   * Runs work in one transaction. The store that it is given is bound to it: what goes through another does
   * not belong to it, and on SQLite would wait for its end for ever. If the work throws, all of it is undone.
   * In a store that is bound already, the work becomes a part of that transaction.
   * @param queue work that would wait for the same lock waits in one queue, before it takes a connection
   */
  transaction<T>(work: (store: Store) => Promise<T>, queue?: string): Promise<T> {
    const begin = () =>
      inTransaction(this.db, (db) => work(db === this.db ? this : new Store(db, this.most)));
    return queue === undefined || this.db.isTransaction ? begin() : this.#queues.run(queue, begin);
  }

  /** @throws if the store does not answer */
  async ping(): Promise<void> {
    await sql`select 1`.execute(this.watch);
  }

  async close(): Promise<void> {
    await this.db.destroy();
    if (this.watch !== this.db) await this.watch.destroy();
  }
}

/** A host that answers at none of its addresses gives an error without a message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : error.name;
  return COMMON[code] ?? (error.message || code);
}

/** What often goes wrong with a PostgreSQL and how to mend it, by the code of its error. */
const COMMON: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused; is PostgreSQL running there?',
  ENOTFOUND: 'the host is not known; is its name right?',
  // invalid_catalog_name
  '3D000': 'the database does not exist; make it with createdb',
};
