import { Client, type ClientConfig, Pool, type PoolClient } from 'pg';
import { QueryError } from '../query-error.js';

/** The longest wait for a connection, and for a cancellation, in milliseconds. */
const CONNECT_TIMEOUT_MS = 3_000;

/** The time after which an unused connection is closed, in milliseconds. */
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

/**
 * The most bytes that a transaction may receive before they are taken. A single row may have a
 * gigabyte, which the driver would collect before it returns any of it.
 */
const MAX_RECEIVED = 16 * 1024 * 1024;

/** The connections to a PostgreSQL database for queries that may be hostile. */
export class ReadOnlyConnections {
  readonly #pool: Pool;
  readonly #config: ClientConfig;
  readonly #cancellations = new Set<Promise<void>>();

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
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /**
   * Runs work in a transaction that can only read and is always rolled back. If the signal aborts,
   * its statement is cancelled in the database.
   * @param work may call `taken` when it has taken all rows that were received
   * @param timeoutMs the longest time of a statement, in milliseconds
   * @throws {QueryError} if too many bytes are received
   * @throws the error of the connection or of `work`, or the reason of `signal`
   */
  async transaction<T>(
    timeoutMs: number,
    signal: AbortSignal,
    work: (client: PoolClient, taken: () => void) => Promise<T>,
  ): Promise<T> {
    const client = await this.#connect(signal);
    const received = new ReceivedLimit(client);
    let backend: number | undefined;
    const running = async () => {
      const idle = { idle_in_transaction_session_timeout: `${this.idleTimeoutMs}ms` };
      backend = await begin(client, timeoutMs, idle);
      return work(client, () => received.restart());
    };
    try {
      return await orAborted(running(), signal);
    } catch (error) {
      throw received.error ?? error;
    } finally {
      received.stop();
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
      return await orAborted(connecting, signal);
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
async function begin(
  client: PoolClient,
  timeoutMs: number,
  others: Readonly<Record<string, string>>,
): Promise<number> {
  await client.query('begin transaction read only');
  const settings = { ...SETTINGS, ...others, statement_timeout: `${timeoutMs}ms` };
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
    await orAborted(client.query('rollback'), signal);
    client.release();
  } catch {
    client.release(true);
  }
}

/** Breaks a connection that receives too many bytes. */
class ReceivedLimit {
  #received = 0;
  #error: QueryError | undefined;

  constructor(private readonly client: PoolClient) {
    client.connection.stream.on('data', this.#count);
  }

  get error(): QueryError | undefined {
    return this.#error;
  }

  /** Counts from 0 again. */
  restart(): void {
    this.#received = 0;
  }

  stop(): void {
    this.client.connection.stream.off('data', this.#count);
  }

  readonly #count = (bytes: Uint8Array) => {
    this.#received += bytes.length;
    if (this.#received <= MAX_RECEIVED || this.#error) return;
    this.#error = new QueryError('The rows are too large; select fewer columns, or parts of them.');
    this.client.connection.stream.destroy(this.#error);
  };
}

/** Settles as a promise does, or rejects with the reason of a signal if that aborts first. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
