import { Client, type ClientConfig } from 'pg';
import { refuseUnreadable } from './address.js';
import { openingError } from './unavailable.js';

/** The time between two looks at the source of an address, in milliseconds. */
const LOOK_EVERY_MS = 1000;

/** The longest time of a trial of another address, in milliseconds. */
const TRIAL_MS = 3000;

/** The message of PgBouncer for a connection that sets a timeout (protocol_violation, 08P01). */
const POOLER = /^unsupported startup parameter/;

/** Reports what became of another address: it is in use, or cannot be used for a reason. */
export type NoteAddress = (url: string, failure?: Error) => void;

/**
 * The address of a PostgreSQL database, which may change while the service runs, such as with a rotated password. Another
 * address is used once a connection with it has succeeded, so that a file that is half written, or that is changed
 * before the password is, takes no connection away.
 */
export class PostgresAddress {
  #lookedAt = performance.now();
  #looking: Promise<boolean> | undefined;
  #refused: string | undefined;
  #isPooled = false;

  /**
   * @param url that of the beginning
   * @param read returns the present one, which may be the same; undefined if it never changes
   * @param note called when another address is used, and once for each that cannot be used
   */
  constructor(
    private current: string,
    private readonly read?: () => string,
    private readonly note: NoteAddress = () => {},
  ) {}

  get url(): string {
    return this.current;
  }

  /** True if a pooler such as PgBouncer gives each transaction any session: timeouts hold for a transaction then. */
  get isPooled(): boolean {
    return this.#isPooled;
  }

  /** Returns whether an error of a connection says that there is a pooler, to which the next one is made without timeouts. */
  isOfPooler(error: unknown): boolean {
    const isOfPooler = error instanceof Error && POOLER.test(error.message);
    if (isOfPooler) this.#isPooled = true;
    return isOfPooler;
  }

  /**
   * Looks whether there is another address that can be used, at most once a second. Concurrent callers share the look.
   * @returns whether another one is used than before
   */
  look(): Promise<boolean> | false {
    if (!this.read) return false;
    if (this.#looking) return this.#looking;
    const now = performance.now();
    if (now - this.#lookedAt < LOOK_EVERY_MS) return false;
    this.#lookedAt = now;
    const found = this.read();
    if (found === this.current) return false;
    this.#looking = this.#try(found).finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #try(url: string): Promise<boolean> {
    try {
      await tryAddress(url);
    } catch (error) {
      if (this.#refused !== url) this.note(url, openingError(url, error));
      this.#refused = url;
      return false;
    }
    this.#refused = undefined;
    this.current = url;
    this.note(url);
    return true;
  }
}

/** @throws if no connection is made */
async function tryAddress(url: string): Promise<void> {
  refuseUnreadable(url);
  const client = new PostgresClient({ connectionTimeoutMillis: TRIAL_MS }, url);
  client.on('error', () => {});
  await client.connect();
  // A host that has gone silent would be waited for.
  client.end().catch(() => {});
}

/**
 * A client that knows its address. One whose address cannot be used, such as for a certificate in a file that is missing,
 * fails when it connects, as all others do: within a pool, an error of the constructor would end the process.
 */
export class PostgresClient extends Client {
  readonly #fault: Error | undefined;

  constructor(
    config: ClientConfig,
    readonly url: string,
  ) {
    const { fault, ...usable } = findUsable({ ...config, connectionString: url });
    super(usable);
    this.#fault = fault;
  }

  override connect(): Promise<Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<Client> | undefined {
    const fault = this.#fault;
    if (!callback) return fault ? Promise.reject(fault) : super.connect();
    if (fault) process.nextTick(callback, fault);
    else super.connect(callback);
    return undefined;
  }
}

function findUsable(config: ClientConfig): ClientConfig & { readonly fault?: Error } {
  // A socket that is never connected is not made: nobody would hear that it has gone silent.
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
