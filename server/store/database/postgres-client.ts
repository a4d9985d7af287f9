import { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import type { SessionTarget } from './address.js';

/**
 * A client that knows its address, and refuses a host whose sessions do not allow what its target demands. One whose
 * address cannot be used, such as for a certificate in a file that is missing, fails when it connects, as all others do:
 * within a pool, an error of the constructor would end the process.
 */
export class PostgresClient extends Client {
  readonly #fault: Error | undefined;

  /** @param url of one host */
  constructor(
    config: ClientConfig,
    readonly url: string,
    private readonly target: SessionTarget = 'any',
  ) {
    const { fault, ...usable } = findUsable({ ...config, connectionString: url });
    super(usable);
    this.#fault = fault;
    // A fault is reported to whoever uses the connection. A pool listens only after `connect`, whose check of the target
    // takes a while; without a listener, a connection that breaks meanwhile would end the process.
    this.on('error', () => {});
  }

  override connect(): Promise<Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<Client> | undefined {
    const fault = this.#fault;
    if (!callback) return fault ? Promise.reject(fault) : this.#connect();
    if (fault) process.nextTick(callback, fault);
    else if (this.target === 'any') super.connect(callback);
    else this.#connect().then(() => process.nextTick(callback), callback);
    return undefined;
  }

  async #connect(): Promise<Client> {
    await super.connect();
    if (this.target === 'any') return this;
    try {
      await this.#refuseUnsuitable();
      return this;
    } catch (error) {
      // A host that has gone silent would be waited for.
      this.end().catch(() => {});
      throw error;
    }
  }

  async #refuseUnsuitable(): Promise<void> {
    const { rows } = await this.query(
      `select pg_catalog.pg_is_in_recovery() as is_replica,
        pg_catalog.current_setting('transaction_read_only') <> 'off' as is_read_only`,
    );
    const [session] = rows;
    const isUnsuitable = this.target === 'primary' ? session?.is_replica : session?.is_read_only;
    // As for a statement that it would refuse (read_only_sql_transaction).
    if (isUnsuitable) throw Object.assign(new Error('the server is read-only, or a replica'), { code: '25006' });
  }
}

function findUsable(config: ClientConfig): ClientConfig & { readonly fault?: Error } {
  // A socket that is never connected is not made: no listener would handle its timeout.
  const { stream: _, ...address } = config;
  try {
    // Reads the address, and the files that it names.
    new Client(address);
    return config;
  } catch (error) {
    const fault = error instanceof Error ? error : new Error(String(error));
    return { ...address, connectionString: '', fault };
  }
}

/** @param silence in milliseconds; 0 for no limit */
export function endedBySilence(silence: number): Socket {
  const socket = new Socket();
  return socket.setTimeout(silence, () => {
    socket.destroy(silentHost());
  });
}

export function silentHost(): Error {
  return Object.assign(new Error('PostgreSQL has gone silent'), { code: 'ETIMEDOUT' });
}
