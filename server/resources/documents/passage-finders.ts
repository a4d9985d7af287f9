import { resolve } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { pausing } from '../../common/pausing.js';
import type { Database } from '../../store/database/schema.js';
import { StoreBusyError } from '../../store/database/unavailable.js';
import { SearchError } from '../../store/errors.js';
import { type PoolOptions, WorkerPool } from '../../work/worker-pool.js';
import { OutOfMemoryError, WorkerEndedError } from '../../work/worker-process.js';
import {
  type FoundPassage,
  type PassageQuery,
  type ScoredPassage,
  searchPostgres,
  searchSqlite,
} from './passage-index.js';
import type { PassageFinder } from './passage-search.js';
import type { SearchAnswer, SearchJob } from './search-message.js';

/** SQLite reads passage by passage, and a search has a longest time of its own. */
const PROCESSES: Omit<PoolOptions, 'script'> = {
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
 */
export class FileFinder implements PassageFinder {
  readonly #path: string;
  readonly #pool: WorkerPool<SearchJob, SearchAnswer>;

  /**
   * @param db compiles the queries
   * @param script the module that the processes run
   */
  constructor(
    path: string,
    private readonly db: Kysely<Database>,
    script = new URL('./search-worker.js', import.meta.url),
  ) {
    this.#path = resolve(path);
    this.#pool = new WorkerPool({ ...PROCESSES, script });
  }

  async find(query: PassageQuery, signal: AbortSignal): Promise<FoundPassage[]> {
    const { sql, parameters } = searchSqlite(query).compile(this.db);
    const details = { path: this.#path, sql, parameters };
    const answer = await this.#run(details, signal);
    if (answer.kind === 'found') return answer.passages.map(withoutScore);
    throw new StoreBusyError(`The store cannot be searched now (${answer.code}).`);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #run(details: SearchJob, signal: AbortSignal): Promise<SearchAnswer> {
    try {
      return await this.#pool.run({ details, onData: () => {}, signal });
    } catch (error) {
      if (!(error instanceof WorkerEndedError || error instanceof OutOfMemoryError)) throw error;
      throw new SearchError('The search broke off; search again.', { cause: error });
    }
  }
}

/** The ids of passages that are searched at once: some ten milliseconds of work. */
const IDS_AT_ONCE = 2048;

/**
 * Searches a SQLite database in memory, which no other process can read: in this thread, some passages
 * at a time, with other requests in between. It suits the collections of tests and of the mock.
 */
export class MemoryFinder implements PassageFinder {
  constructor(private readonly db: Kysely<Database>) {}

  async find(query: PassageQuery, signal: AbortSignal): Promise<FoundPassage[]> {
    const pause = pausing();
    const last = await this.#lastId();
    let best: readonly ScoredPassage[] = [];
    for (let id = 1; id <= last; id += IDS_AT_ONCE) {
      const { rows } = await searchSqlite(query, [id, id + IDS_AT_ONCE - 1]).execute(this.db);
      best = [...best, ...rows]
        .sort((one, other) => one.score - other.score || one.id - other.id)
        .slice(0, query.limit);
      await pause();
      signal.throwIfAborted();
    }
    return best.map(withoutScore);
  }

  async close(): Promise<void> {}

  async #lastId(): Promise<number> {
    const { last } = await this.db
      .selectFrom('passages')
      .select(({ fn }) => fn.max<number | null>('id').as('last'))
      .executeTakeFirstOrThrow();
    return last ?? 0;
  }
}

function withoutScore({ id: _id, score: _score, ...passage }: ScoredPassage): FoundPassage {
  return passage;
}

/** Searches a PostgreSQL database, over connections that nothing else uses. */
export class PostgresFinder implements PassageFinder {
  /** @param others has a connection over which a search is cancelled that is to end early */
  constructor(
    private readonly db: Kysely<Database>,
    private readonly others: Kysely<Database>,
  ) {}

  find(query: PassageQuery, signal: AbortSignal): Promise<FoundPassage[]> {
    return this.db.connection().execute(async (connection) => {
      const { rows } = await sql<{ backend: number }>`
        select pg_backend_pid() as backend
      `.execute(connection);
      signal.throwIfAborted();
      let cancelled: Promise<void> | undefined;
      const cancel = () => {
        cancelled = this.#cancel(rows[0]?.backend);
      };
      signal.addEventListener('abort', cancel, { once: true });
      try {
        const found = await searchPostgres(query).execute(connection);
        return found.rows;
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        signal.removeEventListener('abort', cancel);
        // Another search may have the connection only then, or it might be the one that is cancelled.
        await cancelled;
      }
    });
  }

  async close(): Promise<void> {}

  /** Cancels the statement of a connection. If that fails, the statement ends by its timeout. */
  async #cancel(backend: number | undefined): Promise<void> {
    await sql`select pg_cancel_backend(${backend})`.execute(this.others).catch(() => {});
  }
}
