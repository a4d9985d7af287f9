import type { Kysely } from 'kysely';
import type { components } from '../../generated/openapi.js';
import { dialectOf } from '../store/database/dialect.js';
import { type Parameter, PreparedQuery } from '../store/database/prepared-query.js';
import type { Database } from '../store/database/schema.js';
import { LimitReachedError, NameTakenError } from '../store/errors.js';
import { type Page, paginate } from '../store/page.js';
import type { Limits } from '../store/quota/limits.js';
import { type Contents, RESOURCE_KINDS } from '../store/quota/project-quota.js';
import { newResource } from '../store/resource.js';

export type Project = components['schemas']['Project'];

/** The columns of a project that callers see. */
const SHOWN = ['id', 'name', 'created_at'] as const;

interface Address {
  readonly owner: string;
  readonly name: string;
}

function named(db: Kysely<Database>, parameter: Parameter<Address>) {
  return db
    .selectFrom('projects')
    .select(SHOWN)
    .where('owner', '=', parameter('owner'))
    .where('name', '=', parameter('name'));
}

const FIND = new PreparedQuery(named);

const LOCK = new PreparedQuery((db, parameter: Parameter<Address>) =>
  named(db, parameter).$if(dialectOf(db).locksRows, (query) => query.forUpdate()),
);

/** Stores the projects of owners. Writes run within `Store.transaction`. */
export class ProjectStore {
  constructor(
    private readonly db: Kysely<Database>,
    private readonly limits: Limits,
  ) {}

  list(owner: string, page: Page): Promise<Project[]> {
    const all = this.db.selectFrom('projects').select(SHOWN).where('owner', '=', owner);
    return paginate(all, 'id', page).execute();
  }

  find(owner: string, name: string): Promise<Project | undefined> {
    return FIND.first(this.db, { owner, name });
  }

  /**
   * Finds a project, and locks it against other writes until the end of the current transaction.
   * Later reads of the project in this transaction stay valid until then.
   */
  lock(owner: string, name: string): Promise<Project | undefined> {
    return LOCK.first(this.db, { owner, name });
  }

  /**
   * @throws {NameTakenError}
   * @throws {LimitReachedError} if the owner has reached the limit of projects
   */
  async create(owner: string, name: string): Promise<Project> {
    await this.#holdOwner(owner);
    if (await this.find(owner, name)) throw new NameTakenError('projects', name);
    const { projects } = await this.db
      .selectFrom('projects')
      .select(({ fn }) => fn.countAll().as('projects'))
      .where('owner', '=', owner)
      .executeTakeFirstOrThrow();
    const { resources } = this.limits;
    if (Number(projects) >= resources) throw new LimitReachedError('projects', resources);
    return this.#insert(owner, name);
  }

  /**
   * Creates the empty project `default` for a new owner. Called before the owner's first key is
   * created, in the same transaction. An owner who has or had a key is not new, and may have
   * deleted that project.
   */
  async beginOwner(owner: string): Promise<void> {
    await this.#holdOwner(owner);
    const key = await this.db
      .selectFrom('api_keys')
      .select('id')
      .where('owner', '=', owner)
      .limit(1)
      .executeTakeFirst();
    const [project] = await this.list(owner, { limit: 1 });
    if (!key && !project) await this.#insert(owner, 'default');
  }

  /**
   * Deletes an empty project; if it is not empty, returns its contents instead. Must run in a
   * transaction that has locked the project.
   */
  async remove({ id }: Project): Promise<Contents | undefined> {
    const contents = await this.db
      .selectFrom('projects')
      .select(RESOURCE_KINDS)
      .where('id', '=', id)
      .executeTakeFirst();
    if (contents && RESOURCE_KINDS.some((kind) => contents[kind] > 0)) return contents;
    await this.db.deleteFrom('projects').where('id', '=', id).execute();
    return undefined;
  }

  /** Locks the owner against other creations of projects until the end of the transaction. */
  #holdOwner(owner: string): Promise<void> {
    return dialectOf(this.db).lock(this.db, JSON.stringify(['projects', owner]));
  }

  #insert(owner: string, name: string): Promise<Project> {
    const { id, created_at } = newResource();
    return this.db
      .insertInto('projects')
      .values({ id, owner, name, created_at })
      .returning(SHOWN)
      .executeTakeFirstOrThrow();
  }
}
