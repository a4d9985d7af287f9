import type { Kysely } from 'kysely';
import type { components } from '../../generated/openapi.js';
import { dialectOf } from './dialect.js';
import { LimitReachedError, NameTakenError } from './errors.js';
import { type Contents, HELD } from './held.js';
import { inOrder, type Page } from './page.js';
import { newResource } from './resource.js';
import type { Database } from './schema.js';

export type Project = components['schemas']['Project'];

/** What callers see of a project. */
const SHOWN = ['id', 'name', 'created_at'] as const;

export class ProjectStore {
  /** @param most how many projects an owner has at most */
  constructor(
    private readonly db: Kysely<Database>,
    private readonly most: number,
  ) {}

  list(owner: string, page: Page): Promise<Project[]> {
    const all = this.db.selectFrom('projects').select(SHOWN).where('owner', '=', owner);
    return inOrder(all, 'id', page).execute();
  }

  find(owner: string, name: string): Promise<Project | undefined> {
    return this.#named(owner, name).executeTakeFirst();
  }

  /**
   * Finds a project, and keeps all others from writing to it until the end of the transaction, within which
   * this is called. What is read of the project after it stays true until then.
   */
  hold(owner: string, name: string): Promise<Project | undefined> {
    return this.#named(owner, name)
      .$if(dialectOf(this.db).locksRows, (query) => query.forUpdate())
      .executeTakeFirst();
  }

  /**
   * @throws {NameTakenError}
   * @throws {LimitReachedError} about, not exactly, where many are created at the same moment
   */
  async create(owner: string, name: string): Promise<Project> {
    if (await this.find(owner, name)) throw new NameTakenError();
    const { projects } = await this.db
      .selectFrom('projects')
      .select(({ fn }) => fn.countAll().as('projects'))
      .where('owner', '=', owner)
      .executeTakeFirstOrThrow();
    if (Number(projects) >= this.most) throw new LimitReachedError('projects', this.most);
    const project = await this.#insert(owner, name);
    if (!project) throw new NameTakenError();
    return project;
  }

  /** Gives an owner who has no project the empty project `default`. */
  async beginOwner(owner: string): Promise<void> {
    const [first] = await this.list(owner, { limit: 1 });
    if (!first) await this.#insert(owner, 'default');
  }

  /**
   * Deletes a project that holds nothing; of one that does, it tells what it holds. Within a transaction
   * that holds the project.
   */
  async remove({ id }: Project): Promise<Contents | undefined> {
    const contents = await this.db
      .selectFrom('projects')
      .select(HELD)
      .where('id', '=', id)
      .executeTakeFirst();
    if (contents && HELD.some((kind) => contents[kind] > 0)) return contents;
    await this.db.deleteFrom('projects').where('id', '=', id).execute();
    return undefined;
  }

  #named(owner: string, name: string) {
    return this.db
      .selectFrom('projects')
      .select(SHOWN)
      .where('owner', '=', owner)
      .where('name', '=', name);
  }

  /** Two may insert a name at the same moment: then the second gets nothing. */
  #insert(owner: string, name: string): Promise<Project | undefined> {
    const { id, created_at } = newResource();
    return this.db
      .insertInto('projects')
      .values({ id, owner, name, created_at })
      .onConflict((conflict) => conflict.columns(['owner', 'name']).doNothing())
      .returning(SHOWN)
      .executeTakeFirst();
  }
}
