import type { Kysely } from 'kysely';
import type { components } from '../../generated/openapi.js';
import type { Handlers } from '../api/handlers.js';
import { idempotent } from '../api/idempotency.js';
import type { RateLimits } from '../api/limits/rate-limits.js';
import { listPage } from '../api/list-page.js';
import { checkPreconditions, conditionalGet, isConditional } from '../api/preconditions.js';
import { type Caller, LOCAL_OWNER, type Reach, seesProject } from '../auth/caller.js';
import { missingScope } from '../auth/identify-caller.js';
import { problem } from '../problems/problem.js';
import { createAct } from '../store/audit.js';
import { getDialect, type Parameter, PreparedQuery } from '../store/database/dialect.js';
import type { Database } from '../store/database/schema.js';
import type { Store } from '../store/index.js';
import { type Contents, limitReached, RESOURCE_KINDS } from '../store/quota.js';
import { jsonWriter, newResource, type Page, paginate } from '../store/rows.js';

export type Project = components['schemas']['Project'];

/** The columns of a project that callers see. */
const COLUMNS = ['id', 'name', 'created_at'] as const;

function named(db: Kysely<Database>, parameter: Parameter<{ owner: string; name: string }>) {
  return db
    .selectFrom('projects')
    .select(COLUMNS)
    .where('owner', '=', parameter('owner'))
    .where('name', '=', parameter('name'));
}

const FIND = new PreparedQuery(named);

const LOCK: typeof FIND = new PreparedQuery((db, parameter) =>
  named(db, parameter).$if(getDialect(db).locksRows, (query) => query.forUpdate()),
);

export function listProjects(store: Store, caller: Reach, page: Page): Promise<Project[]> {
  const { owner, projectId } = caller;
  let all = store.reads.selectFrom('projects').select(COLUMNS).where('owner', '=', owner);
  if (projectId !== undefined) all = all.where('id', '=', projectId);
  return paginate(all, 'id', page).execute();
}

export function findProjectRow({ reads }: Store, owner: string, name: string) {
  return FIND.first(reads, { owner, name });
}

/**
 * Finds a project, and locks it against other writes until the end of the current transaction.
 * Later reads of the project in this transaction stay valid until then.
 */
export function lockProjectRow({ reads }: Store, owner: string, name: string) {
  return LOCK.first(reads, { owner, name });
}

/** @throws {ProblemError} if the name is taken, or the owner has reached the limit of projects */
export async function createProject(store: Store, owner: string, name: string): Promise<Project> {
  await lockOwner(store, owner);
  if (await findProjectRow(store, owner, name)) {
    throw problem(
      '/problems/name-taken',
      `There is already a project named "${name}"; choose another name, or use that one.`,
    );
  }
  const { projects } = await store.reads
    .selectFrom('projects')
    .select(({ fn }) => fn.countAll().as('projects'))
    .where('owner', '=', owner)
    .executeTakeFirstOrThrow();
  const { resources } = store.limits;
  if (Number(projects) < resources) return insertProject(store, owner, name);
  throw limitReached(`There are already ${resources} projects, the most that there may be; delete some.`);
}

/**
 * Creates the empty project `default` for a new owner. Called before the owner's first key is
 * created, in the same transaction, and when the owner's first token arrives. An owner who has or had a key is
 * not new, and may have deleted that project; the local owner has had theirs since the store was made.
 * @returns whether the owner is new
 */
export async function beginOwner(store: Store, owner: string): Promise<boolean> {
  if (owner === LOCAL_OWNER) return false;
  await lockOwner(store, owner);
  const key = await store.reads
    .selectFrom('api_keys')
    .select('id')
    .where('owner', '=', owner)
    .limit(1)
    .executeTakeFirst();
  const [project] = await listProjects(store, { owner }, { limit: 1 });
  if (key || project) return false;
  await insertProject(store, owner, 'default');
  return true;
}

/** Creates the owner that a token of the OIDC issuer names, in a separate transaction. */
export function welcomeOwner(store: Store, owner: string): Promise<void> {
  const act = createAct(owner, 'createProject', '/projects/default');
  return store.transaction(
    async (tx) => {
      if (!(await beginOwner(tx, owner))) tx.skipEvent();
    },
    { owner, act },
  );
}

/**
 * Deletes an empty project; if it is not empty, returns its contents instead. Must run in a
 * transaction that has locked the project.
 */
export async function removeProject(store: Store, { id }: Project): Promise<Contents | undefined> {
  const contents = await store.reads
    .selectFrom('projects')
    .select(RESOURCE_KINDS)
    .where('id', '=', id)
    .executeTakeFirst();
  if (contents && RESOURCE_KINDS.some((kind) => contents[kind] > 0)) return contents;
  await store.reads.deleteFrom('projects').where('id', '=', id).execute();
  return undefined;
}

/** Locks the owner against other creations of projects until the end of the transaction. */
function lockOwner(store: Store, owner: string): Promise<void> {
  return getDialect(store.reads).lock(store.reads, JSON.stringify(['projects', owner]));
}

function insertProject(store: Store, owner: string, name: string): Promise<Project> {
  const { id, created_at } = newResource();
  return store.reads
    .insertInto('projects')
    .values({ id, owner, name, created_at })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** @throws {ProblemError} if the caller has no project of this name */
export async function findProject(store: Store, caller: Caller, name: string): Promise<Project> {
  return requireVisible(await findProjectRow(store, caller.owner, name), name, caller);
}

/**
 * Finds the project of a request that names none: `default`, or the only one that the caller has.
 * @throws {ProblemError} if there is neither
 */
export async function requireImpliedProject(store: Store, caller: Caller): Promise<Project> {
  const found = await findImpliedProject(store, caller);
  if (found) return found;
  const detail = 'There is no project with the name "default"; name another one in the address.';
  throw problem('/problems/project-not-found', detail);
}

/** Finds the project `default` of a caller, or their only one. */
export async function findImpliedProject(store: Store, caller: Caller): Promise<Project | undefined> {
  const named = await findVisible(store, caller, 'default');
  if (named) return named;
  const [only, other] = await listProjects(store, caller, { limit: 2 });
  return other ? undefined : only;
}

/** Finds a project by its name, if the caller sees it. */
export async function findVisible(store: Store, caller: Caller, name: string): Promise<Project | undefined> {
  const found = await findProjectRow(store, caller.owner, name);
  return found && seesProject(caller, found.id) ? found : undefined;
}

/**
 * Finds a project, and locks it against other writes until the end of the transaction.
 * @param pointer the field of the request that names it, if it is not in the address
 * @throws {ProblemError} if the caller has no project of this name
 */
export async function lockProject(tx: Store, caller: Caller, name: string, pointer?: string): Promise<Project> {
  return requireVisible(await lockProjectRow(tx, caller.owner, name), name, caller, pointer);
}

/** Writes to a project of the caller in one transaction, which locks the project. */
export function inProject<T>(
  store: Store,
  caller: Caller,
  name: string,
  write: (tx: Store, project: Project) => Promise<T>,
): Promise<T> {
  return store.transaction(...lockedWrite(caller, name, write));
}

/**
 * Writes to a project as `inProject` does, in a transaction that may take longer.
 * @param prepare see `Store.longTransaction`
 */
export function inLongProjectTransaction<T>(
  store: Store,
  caller: Caller,
  name: string,
  write: (tx: Store, project: Project) => Promise<T>,
  prepare?: (snapshot: Store) => Promise<void>,
): Promise<T> {
  return store.longTransaction(...lockedWrite(caller, name, write), prepare);
}

/** Returns the work and the target of a transaction that writes to a project. */
function lockedWrite<T>(caller: Caller, name: string, write: (tx: Store, project: Project) => Promise<T>) {
  const work = async (tx: Store) => write(tx, await lockProject(tx, caller, name));
  return [work, { owner: caller.owner, project: name, act: caller.act }] as const;
}

/** A caller who is bound to a project sees that project alone. */
function requireVisible(project: Project | undefined, name: string, { projectId }: Caller, pointer?: string): Project {
  if (project && (projectId === undefined || projectId === project.id)) return project;
  const message = 'names no project; create it first, or correct the name';
  const members = pointer === undefined ? {} : { errors: [{ pointer, message }] };
  throw problem('/problems/project-not-found', `There is no project with the name "${name}".`, members);
}

export function projectOperations(store: Store) {
  return {
    listProjects: async ({ caller, query, base, reply }) => {
      const page = await listPage(
        `${base}/projects`,
        query,
        (part) => listProjects(store, caller, part),
        (project) => project,
      );
      return reply({ status: 200, ...page });
    },

    createProject: async ({ reply, ...request }) => {
      const { caller, body, base } = request;
      refuseBound(caller);
      const answer = await idempotent<Project>(store, 'createProject', request, async (tx) => {
        const { name } = body.project;
        const project = await createProject(tx, caller.owner, name);
        return { chunks: writeProject(project), location: `${base}/projects/${name}` };
      });
      return reply(answer);
    },

    getProject: async ({ caller, params, headers, reply }) => {
      const project = await findProject(store, caller, params.project_name);
      return reply(await conditionalGet<Project>(writeProject(project), headers));
    },

    deleteProject: ({ caller, params, headers, reply }) =>
      inProject(store, caller, params.project_name, async (tx, project) => {
        if (isConditional(headers)) await checkPreconditions(headers, writeProject(project));
        const contents = await removeProject(tx, project);
        if (!contents) return reply({ status: 204 });
        throw problem(
          '/problems/project-not-empty',
          `The project "${project.name}" still holds ${formatCounts(contents)}; delete them first.`,
        );
      }),
  } satisfies Partial<Handlers>;
}

/** @throws {ProblemError} if the caller sees one project alone */
function refuseBound({ projectId }: Caller): void {
  if (projectId === undefined) return;
  throw missingScope(
    'The key is for one project alone, so it cannot create another; use a key of the owner that is for all projects.',
    'write',
  );
}

const writeProject = jsonWriter<Project, Project>({ id: 'value', name: 'value', created_at: 'value' });

const list = new Intl.ListFormat('en');

/** Returns a text such as "2 skills and 1 model". */
function formatCounts(contents: Contents): string {
  return list.format(
    Object.entries(contents)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => `${count} ${count === 1 ? kind.slice(0, -1) : kind}`),
  );
}

/** The configured limits that a caller can read. */
export interface CallerLimits {
  /** In bytes. */
  readonly maxBody: number;
  /** In bytes. */
  readonly maxTable: number;
  /** Requests per key and minute; 0 for no limit. */
  readonly rateLimit: number;
}

/** Returns the operation that shows the caller: the owner, the key, the scopes and the limits. */
export function callerOperations(
  { maxBody, maxTable, rateLimit }: CallerLimits,
  rates: Pick<RateLimits, 'list'>,
  store: Store,
): Pick<Handlers, 'getCaller'> {
  return {
    getCaller: async ({ caller, reply }) => {
      const { owner, key, scopes, identity } = caller;
      // The local caller has no rate limit, and 0 stands for none.
      const rate_limit = caller.id !== null && rateLimit > 0 ? rateLimit : null;
      const quotas = caller.limits && (await rates.list(caller));
      const own = { max_body: maxBody, max_table: maxTable, rate_limit };
      const limits = { ...own, ...(quotas && { quotas }) };
      const shown = identity && { subject: identity.subject, expires_at: new Date(identity.until).toISOString() };
      const body = { owner, key, ...(shown && { identity: shown }), scopes: [...scopes], limits };
      if (caller.projectId === undefined) return reply({ status: 200, body });
      const [only] = await listProjects(store, caller, { limit: 1 });
      return reply({ status: 200, body: { ...body, project: only?.name ?? null } });
    },
  };
}
