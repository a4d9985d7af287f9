import { type Kysely, Migrator, sql } from 'kysely';
import { AgentStore } from './agents.js';
import { ChatbotStore } from './chatbots.js';
import { migrations } from './migrations/index.js';
import { ModelStore } from './models.js';
import { ProjectStore } from './projects.js';
import type { Database } from './schema.js';
import { SkillStore } from './skills.js';
import { openSqlite } from './sqlite.js';

export type { SkillsChange } from './agents.js';
export { OtherNameError } from './chatbots.js';
export {
  AddedAndRemovedError,
  isUnavailable,
  NameTakenError,
  ProjectGoneError,
  TooLargeError,
  TrainingInProgressError,
  UnknownReferenceError,
} from './errors.js';
export type { Model, TrainedVersion } from './models.js';
export type { Page } from './page.js';
export type { Contents, Project } from './projects.js';

/** What the service keeps. Its resources have the shapes of the contract. */
export class Store {
  readonly projects: ProjectStore;
  readonly skills: SkillStore;
  readonly agents: AgentStore;
  readonly chatbots: ChatbotStore;
  readonly models: ModelStore;

  private constructor(private readonly db: Kysely<Database>) {
    this.projects = new ProjectStore(db);
    this.skills = new SkillStore(db);
    this.agents = new AgentStore(db);
    this.chatbots = new ChatbotStore(db);
    this.models = new ModelStore(db);
  }

  /**
   * Opens a store, and brings its tables up to date.
   * @param url `file:PATH`, relative to the working directory, or `:memory:`
   * @throws if it cannot be opened, or was written by a later release
   */
  static async open(url: string): Promise<Store> {
    let db: Kysely<Database> | undefined;
    try {
      db = openSqlite(url);
      await migrate(db);
      return new Store(db);
    } catch (cause) {
      await db?.destroy();
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`the store ${url} (DATABASE_URL) cannot be opened: ${reason}`, { cause });
    }
  }

  /** @throws if the store does not answer */
  async ping(): Promise<void> {
    await sql`select 1`.execute(this.db);
  }

  async close(): Promise<void> {
    await this.db.destroy();
  }
}

async function migrate(db: Kysely<Database>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error instanceof Error && /previously executed migration .* is missing/.test(error.message)) {
    throw new Error('it was written by a later release of Roster; run that release', {
      cause: error,
    });
  }
  if (error) throw error;
}
