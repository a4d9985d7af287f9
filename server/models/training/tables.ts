import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { TableError, type Task } from '../../../prediction/src/predicting.js';
import { unlessAborted } from '../../common/unless-aborted.js';
import type { Store } from '../../store/index.js';
import { OutOfMemoryError } from '../../work/worker-process.js';
import { coalesceChunks } from './coalesce-chunks.js';
import type { CsvReading, TableFormat } from './table-message.js';
import { TableReader } from './table-reader.js';
import { UploadMeter } from './upload-meter.js';
import { isSlowSinceBegin, tooSlow, type Upload, UploadSlots } from './upload-slots.js';

/**
 * The most tables that are read at once: large ones while they arrive, and small ones that have
 * arrived.
 */
const MAX_ARRIVING = { total: 4, perOwner: 2 };
const MAX_WHOLE = { total: 2, perOwner: 1 };

/** The most uploads at once, including those that wait or arrive slowly. */
const MAX_UNDER_WAY = { total: 64, perOwner: 32 };

/** The limit of concurrent uploads is reached. */
export class TooManyTablesError extends Error {
  override readonly name = 'TooManyTablesError';
}

/** The source of a table, and its target column. */
export interface TableSource {
  /** The sender's owner. */
  readonly owner: string;
  readonly format: TableFormat;
  readonly target: string;
  /** The task; undefined if the values of the target decide. */
  readonly task?: Task | undefined;
  readonly csv?: CsvReading | undefined;
  readonly text: AsyncIterable<Uint8Array>;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/** A table that was read, checked and written to the store, ready for its training. */
export interface KeptTable {
  readonly tableId: string;
  readonly target: string;
  readonly task: Task;
  readonly rowCount: number;
}

/** Reads tables and stores them for their trainings, and yields to other requests meanwhile. */
export class Tables {
  readonly #arriving = new UploadSlots(MAX_ARRIVING);
  readonly #whole = new UploadSlots(MAX_WHOLE);
  readonly #underWay = new Set<Upload>();

  constructor(
    private readonly store: Store,
    private readonly log: Logger,
    private readonly reader = new TableReader(),
  ) {}

  /**
   * Reads a table and writes its parts to the store. If the table is refused, the rest of the text
   * is not read.
   * @throws {TableError | MalformedJsonError | JsonShapeError} if the table is refused
   * @throws {LimitReachedError} if the owner would exceed the limit; then nothing is kept
   * @throws {TooManyTablesError} at once, before anything is read
   * @throws {SlowUploadError} if the sender is too slow while others wait
   * @throws {WorkerEndedError} if the process that reads the table is ended
   * @throws the error of the text, or the reason of `signal`; then nothing is kept
   */
  async keep({ owner, text, signal: closed, ...what }: TableSource): Promise<KeptTable> {
    this.#makeRoom(owner);
    const upload = { owner, meter: new UploadMeter(text), giveUp: new AbortController() };
    const { signal } = upload.giveUp;
    const leave = () => upload.giveUp.abort(closed.reason);
    closed.addEventListener('abort', leave, { once: true });
    this.#underWay.add(upload);
    try {
      closed.throwIfAborted();
      // Slots are scarce, so one is taken only when there is something to read.
      const { pieces, isWhole } = await unlessAborted(coalesceChunks(upload.meter), signal);
      const slots = isWhole ? this.#whole : this.#arriving;
      return await slots.run(upload, () => this.#read(owner, pieces, what, signal));
    } finally {
      this.#underWay.delete(upload);
      closed.removeEventListener('abort', leave);
    }
  }

  /** Releases a table that will not be used for a training. */
  async discard({ tableId }: Pick<KeptTable, 'tableId'>): Promise<void> {
    // If the store is unavailable, the table expires later.
    await this.store.tables.discard(tableId).catch(() => {});
  }

  /** Ends all processes. */
  stop(): Promise<void> {
    return this.reader.close();
  }

  /**
   * Makes room for an upload. If the limit is reached, gives up the slowest upload of an owner with
   * more uploads, or of a sender that is too slow.
   * @throws {TooManyTablesError}
   */
  #makeRoom(owner: string): void {
    const counts = new Map<string, number>();
    for (const upload of this.#underWay) {
      counts.set(upload.owner, (counts.get(upload.owner) ?? 0) + 1);
    }
    const own = counts.get(owner) ?? 0;
    const most = Math.max(...counts.values());
    if (own >= MAX_UNDER_WAY.perOwner) throw new TooManyTablesError('The owner has too many');
    if (this.#underWay.size < MAX_UNDER_WAY.total) return;
    const others = [...this.#underWay].filter(({ giveUp }) => !giveUp.signal.aborted);
    const victims = others.filter(
      (upload) => isSlowSinceBegin(upload) || (most > own + 1 && counts.get(upload.owner) === most),
    );
    const [slowest] = victims.sort((one, other) => one.meter.bytes - other.meter.bytes);
    if (!slowest) throw new TooManyTablesError('As many tables are under way as are taken on');
    this.#underWay.delete(slowest);
    slowest.giveUp.abort(tooSlow());
  }

  async #read(
    owner: string,
    text: AsyncIterable<Uint8Array>,
    what: Omit<TableSource, 'owner' | 'text' | 'signal'>,
    signal: AbortSignal,
  ): Promise<KeptTable> {
    const { tables } = this.store;
    let tableId: string | undefined;
    let position = 0;
    const keep = async (part: Uint8Array) => {
      tableId ??= await tables.begin(owner);
      await tables.addPart(tableId, position++, part);
      // SQLite writes in this thread, and the next part may already be waiting: let other requests
      // run first.
      await nextTurn();
    };
    try {
      const facts = await this.reader.read(text, what, keep, signal);
      if (tableId === undefined) throw new Error('A table has at least one part');
      return { tableId, target: what.target, ...facts };
    } catch (error) {
      if (tableId !== undefined) await this.discard({ tableId });
      if (!(error instanceof OutOfMemoryError)) throw error;
      this.log.warn({ err: error }, 'a table took too much memory');
      throw tooMuchForMemory();
    }
  }
}

function tooMuchForMemory(): TableError {
  const message =
    'The table takes more memory than there is for one. Send fewer rows, or only the columns that bear on the target.';
  return new TableError([{ message }]);
}
