import type { Resources } from '../../../generated/facade.js';
import { SentCall, SentList } from '../facade/call.js';
import { createMethod, readOptions, TABLE } from '../facade/method.js';
import type { AnyModels, ModelsOf } from '../facade/models.js';
import type { Roster } from '../facade/roster.js';
import type { FacadeOperation } from '../facade/types.js';
import { type Page, type PageQuery, readPage } from '../paging.js';
import { ProblemError } from '../problem-error.js';
import type { Cache, Change, PagesQuery, Query, RosterQueries } from './types.js';

export type { Change, PagesQuery, Query, RosterQueries } from './types.js';

type ResourceName = keyof Resources;

/** The resources whose answers a change may change, where it changes others than its own. */
const CHANGED_WITH: Readonly<Partial<Record<ResourceName, readonly ResourceName[]>>> = {
  skills: ['skills', 'documents', 'agents'],
  agents: ['agents', 'skills', 'chatbots'],
  chatbots: ['chatbots', 'conversations'],
  conversations: ['conversations', 'messages'],
  messages: ['messages', 'conversations'],
  models: ['models', 'versions'],
  versions: ['versions', 'models'],
};

/** Where data keep the ETag that they were read with. A copy by `{ ...data }` keeps it too; JSON needs `keepEtags`. */
const ETAG = Symbol('ETag');

/** The member of JSON that has the ETag of the `data` beside it. */
const TAG = 'roster-etag';

/**
 * Default options of `QueryClient`s between which data go as JSON, as from a server to a page: with them on both sides,
 * `dehydrate` writes the ETags of data, and `hydrate` reads them.
 *
 * @example
 * const client = new QueryClient({ defaultOptions: keepEtags });
 */
export const keepEtags = {
  dehydrate: {
    serializeData: (data: unknown): unknown => {
      const etag = readEtag(data);
      return etag === undefined ? data : { [TAG]: etag, data };
    },
  },
  hydrate: {
    deserializeData: (sent: unknown): unknown => {
      if (typeof sent !== 'object' || sent === null || !(TAG in sent && 'data' in sent)) return sent;
      const { [TAG]: etag, data } = sent;
      return typeof data === 'object' && data !== null ? Object.assign(data, { [ETAG]: etag }) : data;
    },
  },
};

/** The page size of lists if none is asked for. */
const PAGE_SIZE = 100;

/**
 * Returns options for TanStack Query 5.89 and later, in any framework: `useQuery(queries.skills.get('lookup'))`,
 * `useInfiniteQuery(queries.skills.listPages())`, `useMutation(queries.skills.update('lookup'))`.
 *
 * Reads send the ETag of what the cache has, and keep it if it has not changed. Changes send it as `If-Match`, and
 * afterwards read again what they may have changed. Problems are thrown as `ProblemError`s.
 */
export function rosterQueries<Models extends ModelsOf<Models> = AnyModels>(
  roster: Roster<Models>,
): RosterQueries<Models> {
  const resources = Object.entries(TABLE).map(([resource, operations]) => {
    const factories = Object.entries(operations).flatMap(([name, operation]) =>
      createFactories({ roster, key: [resource, name], operation, get: operations['get'] }),
    );
    return [resource, Object.fromEntries(factories)];
  });
  const key = (resource?: ResourceName) => createKey(roster, resource === undefined ? [] : [resource]);
  // The types are made from the same table.
  return Object.assign(Object.fromEntries(resources), { key }) as RosterQueries<Models>;
}

/** An operation, and where its data are kept. */
interface Source {
  readonly roster: Pick<Roster, 'client' | 'project'>;
  /** The resource, and the name of the operation in it. */
  readonly key: readonly [resource: string, name: string];
  readonly operation: FacadeOperation;
  /** The operation that reads one such resource. */
  readonly get: FacadeOperation | undefined;
}

type Factory = (...given: readonly unknown[]) => Query<unknown> | PagesQuery<unknown> | Change<unknown, unknown>;

function createFactories(source: Source): [string, Factory][] {
  const { operation, key } = source;
  const [, name] = key;
  if (operation.reads === 'events') return [];
  // Predicting changes nothing; its body is sent because an address could not hold it.
  if (operation.method !== 'GET' && operation.id !== 'predict') {
    return [[name, (...given) => createChange(source, given)]];
  }
  const query: [string, Factory] = [name, (...given) => createQuery(source, given)];
  if (operation.reads !== 'list') return [query];
  return [query, [`${name}Pages`, (...given) => createPages(source, given)]];
}

function createQuery({ roster, key, operation }: Source, given: readonly unknown[]): Query<unknown> {
  const send = createMethod(roster.client, roster.project, operation);
  const queryKey = createKey(roster, [...key, ...given]);
  const isTagged = operation.headers?.includes('ifNoneMatch') ?? false;
  const [own, options] = splitOptions(operation, given);
  return {
    queryKey,
    queryFn: async ({ client, signal }) => {
      const known = isTagged ? client.getQueryData(queryKey) : undefined;
      const sent = send(...own, { ...options, ifNoneMatch: readEtag(known), signal });
      return readData(sent, known);
    },
    ...(isTagged && { structuralSharing: false }),
  };
}

function createPages({ roster, key, operation }: Source, given: readonly unknown[]): PagesQuery<unknown> {
  const send = createMethod(roster.client, roster.project, operation);
  const [own, options] = splitOptions(operation, given);
  const { limit } = options;
  const list = (query: PageQuery, signal: AbortSignal) => {
    const sent = send(...own, { ...options, ...query, signal });
    if (!(sent instanceof SentList)) throw new TypeError(`${operation.id} is not a list`);
    return sent.result();
  };
  return {
    queryKey: createKey(roster, [...key, ...given, 'pages']),
    queryFn: ({ pageParam, signal }) => readPage((query) => list(query, signal), pageParam),
    initialPageParam: { limit: typeof limit === 'number' ? limit : PAGE_SIZE },
    getNextPageParam: ({ next }: Page<unknown>) => next,
  };
}

function createChange(source: Source, given: readonly unknown[]): Change<unknown, unknown> {
  const { roster, key, operation, get } = source;
  const [resource] = key;
  const send = createMethod(roster.client, roster.project, operation);
  const names = given.slice(0, operation.names.length);
  const options = readOptions(given[names.length]);
  const shown = isChangeOf(get, operation) ? createKey(roster, [resource, 'get', ...names]) : undefined;
  return {
    mutationKey: createKey(roster, [...key, ...given]),
    scope: { id: JSON.stringify(createKey(roster, [resource, ...names])) },
    mutationFn: async (body, { client }) => {
      const ifMatch = shown && readEtag(client.getQueryData(shown));
      const all = { ...(ifMatch !== undefined && { ifMatch }), ...options };
      const sent = send(...names, ...(operation.consumes ? [body] : []), all);
      const data = await readData(sent, undefined);
      if (shown && operation.reads === 'nothing') client.removeQueries({ queryKey: shown });
      else if (shown) client.setQueryData(shown, data);
      return data;
    },
    onSettled: (_data, _error, _body, _result, { client }) => readAgain(client, roster, resource),
  };
}

/** Returns whether an operation changes fields of the resource that another one reads, or deletes it. */
function isChangeOf(get: FacadeOperation | undefined, changed: FacadeOperation): boolean {
  const { headers, wraps, reads } = changed;
  return (
    get !== undefined &&
    headers?.includes('ifMatch') === true &&
    (wraps !== undefined || reads === 'nothing') &&
    get.names.join() === changed.names.join()
  );
}

async function readAgain(client: Cache, roster: Source['roster'], resource: string): Promise<void> {
  const [, changed = [resource]] = Object.entries(CHANGED_WITH).find(([name]) => name === resource) ?? [];
  await Promise.all(changed.map((name) => client.invalidateQueries({ queryKey: createKey(roster, [name]) })));
}

/**
 * Returns the data of an answer with their ETag, or the known data if they have not changed.
 * @throws ProblemError if the service answers with a problem
 */
async function readData(sent: ReturnType<ReturnType<typeof createMethod>>, known: unknown): Promise<unknown> {
  if (!(sent instanceof SentCall || sent instanceof SentList)) return sent;
  const { data, error, response }: Outcome = await sent.result();
  if (error !== undefined) throw new ProblemError(error, response);
  if (response.status === 304) return known;
  const etag = response.headers.get('ETag');
  // A query must not have undefined as its data.
  if (typeof data !== 'object' || data === null || etag === null) return data;
  return Object.assign(data, { [ETAG]: etag });
}

interface Outcome {
  readonly data?: unknown;
  readonly error?: ProblemError['problem'];
  readonly response: Response;
}

function readEtag(data: unknown): string | undefined {
  const etag: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, ETAG) : '';
  return typeof etag === 'string' && etag !== '' ? etag : undefined;
}

function createKey({ project }: Pick<Roster, 'project'>, parts: readonly unknown[]): unknown[] {
  return ['roster', project, ...parts.filter((part) => part !== undefined)];
}

/** Splits the arguments of a read: what comes before its options, and those. */
function splitOptions(operation: FacadeOperation, given: readonly unknown[]) {
  const count = operation.names.length + (operation.consumes ? 1 : 0);
  return [given.slice(0, count), readOptions(given[count])] as const;
}
