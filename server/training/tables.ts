import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { TableError, type Task } from '../../prediction/src/predicting.js';
import type { Store } from '../store/index.js';
import { gathered } from './gathered.js';
import type { TableFormat } from './table-message.js';
import { TableReader } from './table-reader.js';
import { UploadMeter } from './upload-meter.js';
import { isSlowSinceBegin, tooSlow, type Upload, UploadSlots } from './upload-slots.js';
import { OutOfMemoryError } from './worker-process.js';

/** How many tables that still arrive are read at once, and how many small ones that are there as a whole. */
const MAX_ARRIVING = { total: 4, perOwner: 2 };
const MAX_WHOLE = { total: 2, perOwner: 1 };

/** How many tables are under way, those that wait or trickle in among them. */
const MAX_UNDER_WAY = { total: 64, perOwner: 32 };

/** As many tables are under way as are taken on at once. */
export class TooManyTablesError extends Error {
  override readonly name = 'TooManyTablesError';
}

/** Where a table comes from, and what it is for. */
export interface TableSource {
  /** Of its sender's. */
  readonly owner: string;
  readonly format: TableFormat;
  readonly target: string;
  /** What the target is predicted as; undefined, for what its values suggest. */
  readonly task?: Task | undefined;
  readonly text: AsyncIterable<Uint8Array>;
}

/** A table that was read, checked and written to the store, where it waits for its training to begin. */
export interface KeptTable {
  readonly tableId: string;
  readonly target: string;
  readonly task: Task;
  readonly rowCount: number;
}

/** Reads tables and keeps them for their trainings, while others are served. */
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
   * Reads a table and writes its parts to the store. The rest of the text is left unread if the table is refused.
   * @throws {TableError | MalformedJsonError | JsonShapeError} if the table is refused
   * @throws {LimitReachedError} if the owner has no room for it; nothing is kept of the table then
   * @throws {TooManyTablesError} at once, before anything is read
   * @throws {SlowUploadError} if its sender is too slow while others wait
   * @throws {WorkerEndedError} if the process that reads it is ended
   * @throws what the text throws; nothing is kept of the table then
   */
  async keep({ owner, text, ...what }: TableSource): Promise<KeptTable> {
    this.#makeRoom(owner);
    const upload = { owner, meter: new UploadMeter(text), giveUp: new AbortController() };
    const { signal } = upload.giveUp;
    this.#underWay.add(upload);
    try {
      // A slot, of which there are few, is taken only when there is something to read.
      const { pieces, isWhole } = await unlessAborted(gathered(upload.meter), signal);
      const slots = isWhole ? this.#whole : this.#arriving;
      return await slots.run(upload, () => this.#read(owner, pieces, what, signal));
    } finally {
      this.#underWay.delete(upload);
    }
  }

  /** Gives up a table that no training is to have. */
  async discard({ tableId }: Pick<KeptTable, 'tableId'>): Promise<void> {
    // If the store does not take it, the table is given up when its time is over.
    await this.store.tables.discard(tableId).catch(() => {});
  }

  /** Ends the processes that wait for a table. */
  stop(): void {
    this.reader.close();
  }

  /**
   * Makes room for an upload. When there is none, the slowest gives way: of an owner that has more of them, or whose
   * sender is too slow.
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
    what: Pick<TableSource, 'format' | 'target' | 'task'>,
    signal: AbortSignal,
  ): Promise<KeptTable> {
    const { tables } = this.store;
    let tableId: string | undefined;
    let position = 0;
    const keep = async (part: Uint8Array) => {
      tableId ??= await tables.begin(owner);
      await tables.addPart(tableId, position++, part);
      // SQLite writes in this thread, and the next part may be there already: others come first.
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

/** @throws the reason of the signal, if it comes first */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave);
    promise.finally(() => signal.removeEventListener('abort', leave)).then(resolve, reject);
  });
}

function tooMuchForMemory(): TableError {
  const message =
    'The table takes more memory than there is for one. Send fewer rows, or only the columns that bear on the target.';
  return new TableError([{ message }]);
}
