import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { unlessAborted } from '../../common/unless-aborted.js';
import { type ProblemError, unavailable } from '../../problems/problem.js';
import type { Store } from '../../store/index.js';
import { type PoolOptions, WorkerPool } from '../../work/worker-pool.js';
import {
  OutOfMemoryError,
  WorkerEndedError,
  WorkerTimeoutError,
} from '../../work/worker-process.js';
import { unusableTable } from '../formats.js';
import { addTablePart, createTable, discardTable, type StoredTable } from './table-rows.js';
import type { TableJob, TableResult } from './table-worker.js';
import { makeRoom, Upload, UploadSlots } from './uploads.js';

/** The longest time in which the reading of a table may make no progress, in milliseconds. */
const MAX_SILENCE_MS = 2 * 60_000;

/**
 * Parsing a large table takes seconds, and much memory. `maxHeapMiB` does not include typed arrays,
 * which the limits of a table keep to about 200 MB. It exceeds the largest texts of a table, so no
 * table is refused for lack of heap.
 */
const READERS: PoolOptions = {
  script: new URL('./table-worker.js', import.meta.url),
  maxHeapMiB: 768,
  maxMemoryBytes: 1024 * 1024 * 1024,
  maxSilenceMs: MAX_SILENCE_MS,
  isBackground: true,
  maxIdle: 2,
  idleTimeoutMs: 10_000,
};

/** A table that is to be read. */
export interface TableSource extends TableJob {
  readonly owner: string;
  readonly text: AsyncIterable<Uint8Array>;
  /** Creates the problem of a text that arrives too slowly while others wait. */
  readonly tooSlow: () => ProblemError;
  readonly signal: AbortSignal;
}

/** Reads tables and stores them for their trainings, and yields to other requests meanwhile. */
export class Tables {
  readonly #readers: WorkerPool<TableJob, TableResult>;
  /** The slots of large tables while they arrive, and of small ones that have arrived. */
  readonly #arriving = new UploadSlots(4, 2);
  readonly #whole = new UploadSlots(2, 1);
  readonly #underWay = new Set<Upload>();

  constructor(
    private readonly store: Store,
    private readonly log: Logger,
    readers: Partial<PoolOptions> = {},
  ) {
    this.#readers = new WorkerPool({ ...READERS, ...readers });
  }

  /**
   * Reads a table and writes its parts to the store. If the table is refused, the rest of the text
   * is not read.
   * @throws {ProblemError} at once, before anything is read, if too many tables are under way
   * @throws {ProblemError} if the table is refused, or arrives too slowly while others wait, or the
   *   process that reads it is ended
   * @throws {ProblemError} if the owner would exceed the limit
   * @throws the error of the text, or the reason of `signal`; then nothing is stored
   */
  async ingest({ owner, text, tooSlow, signal, ...job }: TableSource): Promise<StoredTable> {
    makeRoom(this.#underWay, owner);
    const upload = new Upload(owner, text, tooSlow);
    const leave = () => upload.giveUp(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    this.#underWay.add(upload);
    try {
      signal.throwIfAborted();
      // Slots are scarce, so one is taken only when there is something to read.
      const { pieces, isWhole } = await unlessAborted(coalesceChunks(upload), upload.signal);
      const slots = isWhole ? this.#whole : this.#arriving;
      return await slots.run(upload, () => this.#read(upload, pieces, job));
    } finally {
      this.#underWay.delete(upload);
      signal.removeEventListener('abort', leave);
    }
  }

  /** Releases a table that will not be used for a training. */
  async discard(tableId: string): Promise<void> {
    // If the store is unavailable, the table expires later.
    await discardTable(this.store, tableId).catch(() => {});
  }

  stop(): Promise<void> {
    return this.#readers.close();
  }

  async #read(
    { owner, signal }: Upload,
    input: AsyncIterable<Uint8Array>,
    details: TableJob,
  ): Promise<StoredTable> {
    let tableId: string | undefined;
    let position = 0;
    const onData = async (part: Uint8Array) => {
      tableId ??= await createTable(this.store, owner);
      await addTablePart(this.store, tableId, position++, part);
      // SQLite writes in this thread, and the next part may already be waiting: let other requests
      // run first.
      await nextTurn();
    };
    try {
      const table = await this.#readers.run({ details, input, onData, signal });
      if (tableId === undefined) throw new Error('A table has at least one part');
      return { tableId, target: details.target, ...table };
    } catch (error) {
      if (tableId !== undefined) await this.discard(tableId);
      if (error instanceof OutOfMemoryError) {
        this.log.warn({ err: error }, 'a table took too much memory');
      }
      throw explainEnd(error);
    }
  }
}

/** The size of a piece, in bytes. */
const PIECE = 256 * 1024;

/**
 * Coalesces chunks of any size into pieces of 256 KiB. Resolves at the first piece, or at the end,
 * and tells whether the whole text has arrived by then.
 */
export async function coalesceChunks(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ readonly pieces: AsyncIterable<Uint8Array>; readonly isWhole: boolean }> {
  const source = splitPieces(chunks);
  const first = await source.next();
  const isWhole = first.done === true || first.value.length < PIECE;
  async function* pieces() {
    if (first.done) return;
    yield first.value;
    yield* source;
  }
  return { pieces: pieces(), isWhole };
}

async function* splitPieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let piece = new Uint8Array(PIECE);
  let filled = 0;
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; ) {
      const part = chunk.subarray(start, start + PIECE - filled);
      piece.set(part, filled);
      filled += part.length;
      start += part.length;
      if (filled < PIECE) continue;
      yield piece;
      piece = new Uint8Array(PIECE);
      filled = 0;
    }
  }
  if (filled > 0) yield piece.slice(0, filled);
}

/** Returns the problem of a table whose process has ended; any other error as it is. */
function explainEnd(error: unknown): unknown {
  if (error instanceof OutOfMemoryError) {
    const message =
      'The table takes more memory than there is for one. Send fewer rows, or only the columns that bear on the target.';
    return unusableTable([{ message }]);
  }
  if (!(error instanceof WorkerEndedError)) return error;
  const detail =
    error instanceof WorkerTimeoutError
      ? `The table took too long to read: its process did nothing for ${MAX_SILENCE_MS / 1000} seconds, and was ended; nothing was kept of it. Send fewer rows or columns.`
      : 'The process that read the table was ended, most often because the machine has too little memory; nothing was kept of it. Send it again in a moment, or send fewer rows.';
  return unavailable(detail, 5, { cause: error });
}
