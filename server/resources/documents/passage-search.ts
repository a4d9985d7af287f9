import { resolve } from 'node:path';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { FairGate, type TimedLimits } from '../../common/fair-gate.js';
import { ProblemError } from '../../problems/problem.js';
import type { Database } from '../../store/database/schema.js';
import { type Store, StoreBusyError } from '../../store/index.js';
import { WorkerPool } from '../../work/worker-pool.js';
import { OutOfMemoryError, WorkerEndedError } from '../../work/worker-process.js';
import {
  type FoundPassage,
  type PassageQuery,
  type ScoredPassage,
  searchPostgres,
  searchSqlite,
} from './passage-index.js';
import type { SearchJob } from './search-file.js';
import { queryTerms } from './terms.js';

/**
 * A search that was not answered. The message is for the one who searches, such as a language model:
 * it states what to do instead.
 */
export class SearchError extends Error {
  override readonly name = 'SearchError';
}

interface PassageFinder {
  /**
   * Returns the passages that match, the best first. If the signal aborts, the work ends too.
   * @throws the reason of `signal`
   */
  find(query: PassageQuery, signal: AbortSignal): Promise<FoundPassage[]>;

  /** Ends what it keeps open, apart from the database. */
  close?(): Promise<void>;
}

export type SearchLimits = Pick<TimedLimits, 'slots' | 'maxWaiting' | 'maxWaitMs' | 'timeoutMs'>;

const LIMITS: SearchLimits = { slots: 3, maxWaiting: 512, maxWaitMs: 5_000, timeoutMs: 10_000 };

const GATE_ERRORS = {
  busy: () =>
    new SearchError(
      'Too many searches wait for their turn; search again for fewer and rarer words, or answer without the documents.',
    ),
  late: (timeoutMs: number) =>
    new SearchError(
      `The search took longer than ${timeoutMs / 1000} seconds and was ended; search for fewer and rarer words.`,
    ),
  stopped: () => new SearchError('The service is stopping; search again in a moment.'),
};

/** The longest wait for searches that end at the close, in milliseconds. */
const MAX_CLOSE_MS = 1_000;

/**
 * Finds passages in the documents of skills. Owners take turns, since one search of common words in
 * many documents takes seconds.
 */
export class PassageSearch {
  readonly #gate: FairGate<TimedLimits>;

  constructor(
    private readonly finder: PassageFinder,
    limits: Partial<SearchLimits> = {},
  ) {
    this.#gate = new FairGate({ ...LIMITS, ...limits, ...GATE_ERRORS });
  }

  /**
   * Finds the passages of a skill that have words of a query, the best first. Nothing in a query is an
   * operator. Finds what is committed, whatever transaction is open.
   * @throws {SearchError} whose message tells a language model what to do instead
   * @throws the reason of `signal`, as soon as it aborts
   */
  async search(
    { owner, query, ...where }: Omit<PassageQuery, 'terms'> & { readonly owner: string; readonly query: string },
    signal: AbortSignal,
  ): Promise<FoundPassage[]> {
    const terms = queryTerms(query);
    if (terms.length === 0) return [];
    return this.#gate.runInTime(owner, signal, (running) => this.finder.find({ ...where, terms }, running));
  }

  /**
   * Ends the searches that run, and refuses others; resolves when all have ended, or when a database
   * that is silent has kept them for a second.
   */
  async close(): Promise<void> {
    const closed = new AbortController();
    const late = delay(MAX_CLOSE_MS, undefined, closed).catch(() => {});
    await Promise.race([this.#gate.stop(), late]);
    closed.abort();
    await this.finder.close?.();
  }
}

/**
 * Opens the search of a store. Close it before the store.
 * @param script the module of the processes that search SQLite files, for tests
 */
export function openPassageSearch(
  { databases: { searches, health }, path }: Store,
  limits?: Partial<SearchLimits>,
  script?: URL,
): PassageSearch {
  if (path === undefined) return new PassageSearch(searchOnPostgres(searches, health), limits);
  const finder = path === ':memory:' ? searchInMemory(searches) : searchInProcesses(path, searches, script);
  return new PassageSearch(finder, limits);
}

/** SQLite reads passage by passage, and a search has its own longest time. */
const PROCESSES = {
  maxHeapMiB: 64,
  maxMemoryBytes: 256 * 1024 * 1024,
  maxSilenceMs: 60_000,
  isBackground: true,
  maxIdle: 2,
  idleTimeoutMs: 30_000,
};

/**
 * Searches a SQLite file in processes. SQLite cannot be interrupted from within its thread, so that a
 * process that is to end early is killed. It only reads, and readers of a file hold up nobody.
 * @param db compiles the queries
 */
function searchInProcesses(
  path: string,
  db: Kysely<Database>,
  script = new URL('./search-worker.js', import.meta.url),
): PassageFinder {
  const file = resolve(path);
  const pool = new WorkerPool<SearchJob, ScoredPassage[]>({ ...PROCESSES, script });
  return {
    find: async (query, signal) => {
      const { sql, parameters } = searchSqlite(query).compile(db);
      try {
        const found = await pool.run({ details: { path: file, sql, parameters }, signal });
        return found.map(omitScore);
      } catch (cause) {
        if (cause instanceof ProblemError) throw new StoreBusyError(cause.detail);
        const isEnd = cause instanceof WorkerEndedError || cause instanceof OutOfMemoryError;
        throw isEnd ? new SearchError('The search broke off; search again.', { cause }) : cause;
      }
    },
    close: () => pool.close(),
  };
}

/** The ids of passages that are searched at once: some ten milliseconds of work. */
const IDS_AT_ONCE = 2048;

/**
 * Searches a SQLite database in memory, which no other process can read: in this thread, some passages
 * at a time, with other requests in between. It suits the collections of tests and of the mock.
 */
function searchInMemory(db: Kysely<Database>): PassageFinder {
  return {
    find: async (query, signal) => {
      const { last } = await db
        .selectFrom('passages')
        .select(({ fn }) => fn.max<number | null>('id').as('last'))
        .executeTakeFirstOrThrow();
      let best: readonly ScoredPassage[] = [];
      for (let id = 1; id <= (last ?? 0); id += IDS_AT_ONCE) {
        const { rows } = await searchSqlite(query, [id, id + IDS_AT_ONCE - 1]).execute(db);
        best = [...best, ...rows]
          .sort((one, other) => one.score - other.score || one.id - other.id)
          .slice(0, query.limit);
        await nextTurn();
        signal.throwIfAborted();
      }
      return best.map(omitScore);
    },
  };
}

function omitScore({ id: _id, score: _score, ...passage }: ScoredPassage): FoundPassage {
  return passage;
}

/**
 * Searches a PostgreSQL database, over connections that nothing else uses.
 * @param others has a connection over which a search is cancelled that is to end early
 */
function searchOnPostgres(db: Kysely<Database>, others: Kysely<Database>): PassageFinder {
  return {
    find: (query, signal) =>
      // A pooler gives a transaction one session.
      db.transaction().execute(async (connection) => {
        const { rows } = await sql<{ backend: number }>`
          select pg_backend_pid() as backend
        `.execute(connection);
        signal.throwIfAborted();
        let cancelled: Promise<unknown> | undefined;
        const cancel = () => {
          const cancellation = sql`select pg_cancel_backend(${rows[0]?.backend})`;
          // If that fails, the statement ends by its timeout.
          cancelled = cancellation.execute(others).catch(() => {});
        };
        signal.addEventListener('abort', cancel, { once: true });
        try {
          return (await searchPostgres(query).execute(connection)).rows;
        } catch (error) {
          signal.throwIfAborted();
          throw error;
        } finally {
          signal.removeEventListener('abort', cancel);
          // Another search may have the connection only then, or it might be the one that is cancelled.
          await cancelled;
        }
      }),
  };
}
