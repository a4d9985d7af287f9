import { Client, type ClientConfig, Pool, type PoolClient } from 'pg';
import { unlessAborted } from '../../common/unless-aborted.js';
import { ReceivedLimits } from './fetch-rows.js';

/** The longest wait for a connection, and for a cancellation, in milliseconds. */
const CONNECT_TIMEOUT_MS = 3_000;

const IDLE_TIMEOUT_MS = 30_000;

/** The settings of each transaction. Those of strings decide how PostgreSQL reads a statement. */
const SETTINGS: Readonly<Record<string, string>> = {
  // Only changes of a table's form lock out readers.
  lock_timeout: '2s',
  standard_conforming_strings: 'on',
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
};

/** The connections to a PostgreSQL database for queries that may be hostile. */
export class ReadOnlyConnections {
  readonly #pool: Pool;
  readonly #config: ClientConfig;
  readonly #cancellations = new Set<Promise<void>>();
  readonly #received = new WeakMap<PoolClient, ReceivedLimits>();

  /**
   * @param maxConnections the most connections, without those that cancel statements
   * @param idleTimeoutMs the longest time between two statements of a transaction, in milliseconds
   */
  constructor(
    url: string,
    maxConnections: number,
    private readonly idleTimeoutMs: number,
  ) {
    this.#config = {
      connectionString: url,
      application_name: 'roster-queries',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    };
    const pool = { max: maxConnections, idleTimeoutMillis: IDLE_TIMEOUT_MS };
    this.#pool = new Pool({ ...this.#config, ...pool });
    // A connection that breaks is replaced. Without a listener, it would end the process.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => {
      client.on('error', () => {});
      this.#received.set(client, new ReceivedLimits(client));
    });
  }

  /**
   * Runs work in a transaction that can only read and is always rolled back. If the signal aborts,
   * its statement is cancelled in the database.
   * @param timeoutMs the longest time of a statement, in milliseconds
   * @throws {ProblemError} if a cell is too large, or too many bytes are received at once
   * @throws the error of the connection or of `work`, or the reason of `signal`
   */
  async transaction<T>(
    timeoutMs: number,
    signal: AbortSignal,
    work: (client: PoolClient, received: ReceivedLimits) => Promise<T>,
  ): Promise<T> {
    const client = await this.#connect(signal);
    const received = this.#received.get(client) ?? new ReceivedLimits(client);
    received.begin();
    let backend: number | undefined;
    const running = async () => {
      backend = await begin(client, {
        ...SETTINGS,
        statement_timeout: `${timeoutMs}ms`,
        idle_in_transaction_session_timeout: `${this.idleTimeoutMs}ms`,
      });
      return work(client, received);
    };
    try {
      return await unlessAborted(running(), signal);
    } catch (error) {
      throw received.error ?? error;
    } finally {
      if (signal.aborted) this.#cancel(client, backend);
      else await rollBack(client, signal);
    }
  }

  /** Closes all connections, after those that cancel statements. */
  async close(): Promise<void> {
    await Promise.all(this.#cancellations);
    await this.#pool.end();
  }

  async #connect(signal: AbortSignal): Promise<PoolClient> {
    signal.throwIfAborted();
    const connecting = this.#pool.connect();
    try {
      return await unlessAborted(connecting, signal);
    } catch (error) {
      connecting.then(
        (client) => client.release(),
        () => {},
      );
      throw error;
    }
  }

  /** Cancels the statement of a connection over another one, and closes both. */
  #cancel(client: PoolClient, backend: number | undefined): void {
    const cancellation = this.#cancelStatement(backend)
      // PostgreSQL ends it by its own timeout if it cannot be asked.
      .catch(() => {})
      .finally(() => {
        this.#cancellations.delete(cancellation);
        client.release(true);
      });
    this.#cancellations.add(cancellation);
  }

  async #cancelStatement(backend: number | undefined): Promise<void> {
    if (backend === undefined) return;
    const client = new Client({ ...this.#config, query_timeout: CONNECT_TIMEOUT_MS });
    client.on('error', () => {});
    await client.connect();
    try {
      await client.query('select pg_catalog.pg_cancel_backend($1)', [backend]);
    } finally {
      await client.end();
    }
  }
}

/** Begins a transaction, and returns the process of PostgreSQL that runs it. */
async function begin(client: PoolClient, settings: Record<string, string>): Promise<number> {
  await client.query('begin transaction read only');
  const { rows } = await client.query(
    `select pg_catalog.pg_backend_pid() as backend, pg_catalog.set_config(name, value, true)
     from unnest($1::text[], $2::text[]) as settings (name, value)`,
    [Object.keys(settings), Object.values(settings)],
  );
  return Number(rows[0]?.backend);
}

/** Returns a connection to the pool, or closes it if it is broken or does not answer in time. */
async function rollBack(client: PoolClient, signal: AbortSignal): Promise<void> {
  try {
    await unlessAborted(client.query('rollback'), signal);
    client.release();
  } catch {
    client.release(true);
  }
}
