import { type Insertable, type Kysely, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { OperationId } from '../api/handlers.js';
import { type Created, type CreationHeaders, idempotent } from '../api/idempotency.js';
import { type ListPage, type PageQuery, streamPage } from '../api/list-page.js';
import {
  type ConditionalReply,
  type Conditions,
  checkPreconditions,
  conditionalGet,
  isConditional,
} from '../api/preconditions.js';
import { type Tagged, withEtag } from '../api/reply/send.js';
import type { Caller } from '../auth/caller.js';
import { problem } from '../problems/problem.js';
import { findProject, inProject, lockProject, type Project } from '../projects/projects.js';
import { getDialect, type Parameter, PreparedQuery } from '../store/database/dialect.js';
import type { Database } from '../store/database/schema.js';
import type { Store } from '../store/index.js';
import { adjustCounters } from '../store/quota.js';
import {
  chunksBySize,
  type JsonChunks,
  type Key,
  key,
  type ListEntry,
  lookup,
  newResource,
  type Page,
  paginate,
} from '../store/rows.js';

export type Table = 'skills' | 'agents' | 'chatbots';

/** The columns that a resource of each kind has. */
export type CommonRow = {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string;
};

/** A kind of resource: it belongs to a project, and its name is unique there. */
interface Kind<K extends Table, Row extends CommonRow> {
  readonly table: K;
  readonly noun: 'skill' | 'agent' | 'chatbot';
  /** True if an address may have the id in place of the name. */
  readonly hasIdAddress: boolean;
  /**
   * The columns of JSON and long text, whose bytes count; the largest first. All others are short,
   * and limited by the number of resources.
   */
  readonly longText: readonly (keyof Row & keyof Database[K] & string)[];
  /** The column of `agent_skills` that counts its uses. */
  readonly usedAs?: 'skill_id' | 'agent_id';
  readonly select: (db: Kysely<Database>) => SelectQueryBuilder<Database, K, Row>;
  /** Returns what writes the JSON of rows, and may read more of them. */
  readonly writer: (db: Kysely<Database>) => (row: Row) => JsonChunks | Promise<JsonChunks>;
  /** Deletes what does not go with the row by itself. */
  readonly beforeRemoval?: (tx: Store, row: Row) => Promise<void>;
}

/** The columns of a row that its kind alone has. */
type OwnColumns<K extends Table> = Omit<Insertable<Database[K]>, keyof CommonRow> & { readonly name: string };

/**
 * The rows of resources of one kind: lists, reads and writes them. Writes run within
 * `Store.transaction`, with the project locked.
 */
export class ResourceRows<K extends Table, Row extends CommonRow> {
  readonly #find: Readonly<Record<Key['column'], PreparedQuery<FindValues, Row>>>;
  readonly #findByPath: Readonly<Record<Key['column'], PreparedQuery<PathValues, Row>>>;
  readonly #findNamed: PreparedQuery<FindValues, { id: string }>;
  /** By the names of the columns: only those of an insert have the id. */
  readonly #writes = new Map<string, ReturnType<typeof insertInto>>();

  constructor(protected readonly kind: Kind<K, Row>) {
    const table: Table = kind.table;
    this.#find = prepareFind(kind, (_, parameter) => parameter('projectId'));
    this.#findByPath = prepareFind(kind, selectProject);
    this.#findNamed = new PreparedQuery((db, parameter) =>
      db
        .selectFrom(table)
        .select('id')
        .where('project_id', '=', parameter('projectId'))
        .where('name', '=', parameter('value')),
    );
  }

  notFound(nameOrId: string, project: { readonly name: string }) {
    const { noun, hasIdAddress } = this.kind;
    const given = hasIdAddress ? 'name or identifier' : 'name';
    return problem(
      `/problems/${noun}-not-found`,
      `There is no ${noun} with the ${given} "${nameOrId}" in the project "${project.name}".`,
    );
  }

  /** Returns the entries of a list without reading the resources. */
  listIds(store: Store, projectId: string, page: Page, filter?: Filter): Promise<ListEntry[]> {
    const table: Table = this.kind.table;
    const { octets } = getDialect(store.reads);
    const all = store.reads
      .selectFrom(table)
      .select(['id', octets(this.kind.longText[0] ?? 'id').as('bytes')])
      .where('project_id', '=', projectId)
      .$if(filter !== undefined, (query) => query.where(filter ?? sql<SqlBool>`true`));
    return paginate(all, 'id', page).execute();
  }

  /** Yields the JSON of resources; skips those that no longer exist. */
  async *readJson(store: Store, entries: readonly ListEntry[]): AsyncGenerator<JsonChunks> {
    const write = this.kind.writer(store.reads);
    for (const part of chunksBySize(entries)) {
      const ids = part.map(({ id }) => id);
      const rows = await this.readRows(store.reads, ids);
      for (const id of ids) {
        const row = rows.get(id);
        if (row) yield await write(row);
      }
    }
  }

  /** Returns rows by their ids; skips those that do not exist. */
  async readRows(db: Kysely<Database>, ids: readonly string[]): Promise<Map<string, Row>> {
    const id = sql.ref(`${this.kind.table}.id`);
    const rows = await lookup(ids, (some) =>
      this.kind
        .select(db)
        .where(sql<SqlBool>`${id} in (${sql.join(some)})`)
        .execute(),
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  find(store: Store, projectId: string, nameOrId: string): Promise<Row | undefined> {
    const { column, value } = this.#key(nameOrId);
    return this.#find[column].first(store.reads, { projectId, value });
  }

  /** Finds a row in one query, for callers who see all projects of their owner. */
  findByPath(store: Store, owner: string, project: string, nameOrId: string): Promise<Row | undefined> {
    const { column, value } = this.#key(nameOrId);
    return this.#findByPath[column].first(store.reads, { owner, project, value });
  }

  /** @throws {ProblemError} if the project has no such resource */
  async require(store: Store, project: Project, nameOrId: string): Promise<Row> {
    const row = await this.find(store, project.id, nameOrId);
    if (!row) throw this.notFound(nameOrId, project);
    return row;
  }

  /** Returns the JSON of a row; yields to other requests if it reads much. */
  async write(store: Store, row: Row): Promise<JsonChunks> {
    return this.kind.writer(store.reads)(row);
  }

  /**
   * Refuses a new name of a row that another resource of the kind has. Runs before the change, because PostgreSQL
   * aborts a transaction once it has refused a row.
   * @throws {ProblemError}
   */
  async refuseTakenName(tx: Store, row: Row, name = row.name): Promise<void> {
    if (name === row.name) return;
    const { project_id: projectId } = row;
    const other = await this.#findNamed.first(tx.reads, { projectId, value: name });
    if (other) throw await this.#nameTaken(tx, projectId, name);
  }

  async #nameTaken(tx: Store, projectId: string, name: string) {
    const project = await tx.reads
      .selectFrom('projects')
      .select('name')
      .where('id', '=', projectId)
      .executeTakeFirstOrThrow();
    const { noun } = this.kind;
    return problem(
      '/problems/name-taken',
      `There is already ${noun === 'agent' ? 'an' : 'a'} ${noun} named "${name}" in the project "${project.name}"; choose another name, or update that one.`,
    );
  }

  /**
   * @param uses of skills by agents
   * @throws {ProblemError} if the name is taken, or a limit of the project or its owner would be exceeded
   */
  async insert<C extends OwnColumns<K>>(tx: Store, projectId: string, columns: C, uses = 0) {
    const row = { ...newResource(), project_id: projectId, ...columns };
    const { table } = this.kind;
    const growth = { [table]: 1, bytes: this.countBytes(row), uses };
    const made = await this.#prepareWrite(insertInto, Object.keys(row)).first(tx.reads, row);
    if (made === undefined) throw await this.#nameTaken(tx, projectId, columns.name);
    await adjustCounters(tx.reads, projectId, growth, tx.limits);
    return row;
  }

  #prepareWrite(prepare: typeof insertInto, names: readonly string[]) {
    const write = this.#writes.get(names.join()) ?? prepare(this.kind.table, names);
    this.#writes.set(names.join(), write);
    return write;
  }

  /**
   * Changes columns of a row, whose new name is not taken.
   * @param uses of skills by agents; without them, they stay
   * @returns the row as it is then
   * @throws {ProblemError} if a limit of the project or its owner would be exceeded
   */
  async change(tx: Store, row: Row, columns: Partial<OwnColumns<K>>, uses?: number): Promise<Row> {
    const changed = { ...columns, updated_at: new Date().toISOString() };
    const changedRow = { ...row, ...changed };
    const growth = {
      bytes: this.countBytes(changedRow) - this.countBytes(row),
      uses: uses === undefined ? 0 : uses - (await this.#countUses(tx, row)),
    };
    await adjustCounters(tx.reads, row.project_id, growth, tx.limits);
    const names = Object.keys(changed);
    await this.#prepareWrite(update, names).all(tx.reads, { ...changed, id: row.id });
    return changedRow;
  }

  /** Deletes a resource, and everything that depends on it. */
  async remove(tx: Store, row: Row): Promise<void> {
    const table: Table = this.kind.table;
    await this.kind.beforeRemoval?.(tx, row);
    // Read first: the uses of a skill or an agent are deleted with it.
    const uses = await this.#countUses(tx, row);
    await tx.reads.deleteFrom(table).where('id', '=', row.id).execute();
    const growth = { [table]: -1, bytes: -this.countBytes(row), uses: -uses };
    await adjustCounters(tx.reads, row.project_id, growth);
  }

  #key(nameOrId: string): Key {
    return this.kind.hasIdAddress ? key(nameOrId) : { column: 'name', value: nameOrId };
  }

  /** Returns the bytes of a row that count toward the size of its project. */
  countBytes(row: Readonly<Record<string, unknown>>): number {
    let bytes = 0;
    for (const column of this.kind.longText) bytes += Buffer.byteLength(String(row[column] ?? ''));
    return bytes;
  }

  async #countUses(tx: Store, { id }: Row): Promise<number> {
    const { usedAs } = this.kind;
    if (!usedAs) return 0;
    const { uses } = await tx.reads
      .selectFrom('agent_skills')
      .select(({ fn }) => fn.countAll().as('uses'))
      .where(usedAs, '=', id)
      .executeTakeFirstOrThrow();
    return Number(uses);
  }
}

/** A condition of rows. */
export type Filter = ReturnType<typeof sql<SqlBool>>;

/**
 * Returns the condition that resources of a project have some names or ids. The project stands beside both: if it
 * stood beside their `or`, SQLite would read all of its resources.
 */
export function hasNameOrId(
  table: Table,
  projectId: RawBuilder<string> | string,
  values: readonly (RawBuilder<string> | string)[],
): Filter {
  const [project, name, id] = ['project_id', 'name', 'id'].map((column) => sql.ref(`${table}.${column}`));
  const list = sql.join(values);
  return sql`(
    ${project} = ${projectId} and ${name} in (${list}) or ${project} = ${projectId} and ${id} in (${list})
  )`;
}

type FindValues = Readonly<Record<'projectId' | 'value', string>>;

/** The names in the address of a resource. */
type PathValues = Readonly<Record<'owner' | 'project' | 'value', string>>;

/**
 * Prepares the reading of a row by its id or name.
 * @param project returns the id of its project
 */
function prepareFind<K extends Table, Row extends CommonRow, Values extends { value: string }>(
  { table, select }: Kind<K, Row>,
  project: (db: Kysely<Database>, parameter: Parameter<Values>) => unknown,
): Readonly<Record<Key['column'], PreparedQuery<Values, Row>>> {
  const findBy = (column: Key['column']) =>
    new PreparedQuery((db, parameter: Parameter<Values>) =>
      select(db)
        .where(sql<SqlBool>`${sql.ref(`${table}.project_id`)} = ${project(db, parameter)}`)
        .where(sql<SqlBool>`${sql.ref(`${table}.${column}`)} = ${parameter('value')}`),
    );
  return { id: findBy('id'), name: findBy('name') };
}

function selectProject(db: Kysely<Database>, parameter: Parameter<PathValues>) {
  return db
    .selectFrom('projects')
    .select('id')
    .where('owner', '=', parameter('owner'))
    .where('name', '=', parameter('project'));
}

/** Returns no row if the name is taken. */
function insertInto(table: Table, columns: readonly string[]) {
  return new PreparedQuery((_, parameter: Parameter<Readonly<Record<string, unknown>>>) => {
    const names = columns.map((name) => sql.ref(name));
    const values = columns.map((name) => parameter(name));
    return sql`insert into ${sql.table(table)} (${sql.join(names)}) values (${sql.join(values)})
      on conflict (project_id, name) do nothing returning id`;
  });
}

function update(table: Table, columns: readonly string[]): ReturnType<typeof insertInto> {
  return new PreparedQuery((_, parameter) => {
    const changes = columns.map((name) => sql`${sql.ref(name)} = ${parameter(name)}`);
    return sql`update ${sql.table(table)} set ${sql.join(changes)} where id = ${parameter('id')}`;
  });
}

/** A request for the resources of a project, as far as all operations have it. */
interface ResourceRequest<Reply, Sent> {
  readonly caller: Caller;
  readonly params: { readonly project_name: string };
  readonly headers: Conditions & CreationHeaders;
  readonly base: string;
  readonly reply: (reply: Reply) => Sent;
}

/** The resources of one kind, for requests. */
export class Resources<T, K extends Table, Row extends CommonRow> extends ResourceRows<K, Row> {
  /** @param filter limits the list to the rows that fulfil it */
  async list<S>(
    store: Store,
    request: ResourceRequest<{ status: 200 } & ListPage<T>, S> & { readonly query: PageQuery },
    filter?: (project: Project) => Filter,
  ): Promise<S> {
    const { caller, params, query, base, reply } = request;
    const project = await findProject(store, caller, params.project_name);
    const page = await streamPage<T>(`${base}/projects/${project.name}/${this.kind.table}`, query, {
      listIds: (part) => this.listIds(store, project.id, part, filter?.(project)),
      readJson: (entries) => this.readJson(store, entries),
    });
    return reply({ status: 200, ...page });
  }

  async get<S>(
    store: Store,
    { caller, params, headers, reply }: ResourceRequest<ConditionalReply<T>, S>,
    nameOrId: string,
  ): Promise<S> {
    const { project_name: name } = params;
    // Most callers see all projects, so that one query is enough.
    const row =
      caller.projectId === undefined
        ? await this.findByPath(store, caller.owner, name, nameOrId)
        : await this.find(store, (await findProject(store, caller, name)).id, nameOrId);
    if (!row) throw this.notFound(nameOrId, await findProject(store, caller, name));
    return reply(await conditionalGet<T>(await this.write(store, row), headers));
  }

  create<S>(
    store: Store,
    operation: OperationId,
    request: ResourceRequest<Created<T>, S> & { readonly body: object },
    insert: (tx: Store, project: Project) => Promise<Row>,
  ): Promise<S> {
    const { caller, params, base, reply } = request;
    const created = idempotent<T>(store, operation, request, async (tx) => {
      const project = await lockProject(tx, caller, params.project_name);
      const row = await insert(tx, project);
      return { chunks: await this.write(tx, row), location: this.location(base, project, row) };
    });
    return created.then(reply);
  }

  update<S>(
    store: Store,
    { caller, params, headers, reply }: ResourceRequest<{ status: 200 } & Tagged<T>, S>,
    nameOrId: string,
    change: (tx: Store, row: Row, project: Project) => Promise<Row>,
  ): Promise<S> {
    return inProject(store, caller, params.project_name, async (tx, project) => {
      const row = await this.#findForWrite(tx, project, nameOrId, headers);
      const chunks = await this.write(tx, await change(tx, row, project));
      return reply({ status: 200, ...(await withEtag<T>(chunks)) });
    });
  }

  delete<S>(
    store: Store,
    { caller, params, headers, reply }: ResourceRequest<{ status: 204 }, S>,
    nameOrId: string,
  ): Promise<S> {
    return inProject(store, caller, params.project_name, async (tx, project) => {
      await this.remove(tx, await this.#findForWrite(tx, project, nameOrId, headers));
      return reply({ status: 204 });
    });
  }

  async #findForWrite(tx: Store, project: Project, nameOrId: string, conditions: Conditions): Promise<Row> {
    const row = await this.require(tx, project, nameOrId);
    if (isConditional(conditions)) await checkPreconditions(conditions, await this.write(tx, row));
    return row;
  }

  /** Returns the address of a resource, as the caller used the prefix `base`. */
  location(base: string, project: Project, { name }: { readonly name: string }): string {
    return `${base}/projects/${project.name}/${this.kind.table}/${name}`;
  }
}
