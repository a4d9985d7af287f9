import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RowFormat, TruthChunk } from 'roster-prediction/predicting';
import type { TablePreview } from 'roster-prediction/reading';
import type { Drift } from 'roster-prediction/recording';
import { unlessAborted } from '../../common/unless-aborted.js';
import { type ProblemError, problem, unavailable } from '../../problems/problem.js';
import type { Store } from '../../store/index.js';
import { type PoolOptions, WorkerPool } from '../../work/worker-pool.js';
import { type Job, OutOfMemoryError, WorkerEndedError, WorkerTimeoutError } from '../../work/worker-process.js';
import { unusableTable } from '../formats.js';
import type { DriftJob, DriftRows } from '../record/drift-job.js';
import type { TruthJob } from '../record/truth-body.js';
import { joinTruthInput, type TruthInput } from '../record/truth-input.js';
import { addTablePart, createTable, discardTable, type StoredTable } from './table-rows.js';
import type { PreviewJob, TableJob, TableResult } from './table-worker.js';
import { makeRoom, tooManyUploads, Upload, UploadSlots } from './uploads.js';

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

type ReaderJob = TableJob | PreviewJob | TruthJob | DriftJob;
type ReaderResult = TableResult | TablePreview | Drift | null | undefined;

/** A table that arrives. */
interface TableUpload {
  readonly owner: string;
  readonly text: AsyncIterable<Uint8Array>;
  /** Creates the problem of a text that arrives too slowly while others wait. */
  readonly tooSlow: () => ProblemError;
  readonly signal: AbortSignal;
}

export interface TableSource extends TableJob, TableUpload {}

interface TruthUpload extends TableUpload {
  /** Reads the ids among which those of truths are looked for, until the signal aborts. */
  readonly promised: (signal: AbortSignal) => TruthInput['promised'];
}

/** Reads tables and stores them for their trainings, and yields to other requests meanwhile. */
export class Tables {
  readonly #readers: WorkerPool<ReaderJob, ReaderResult, TruthChunk>;
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
  ingest({ owner, text, tooSlow, signal, ...job }: TableSource): Promise<StoredTable> {
    return this.#admit({ owner, text, tooSlow, signal }, (upload, pieces) => this.#read(upload, pieces, job));
  }

  /**
   * Reads the beginning of a table, as far as it shows its columns. Nothing is stored.
   * @throws {ProblemError} as `ingest` does
   * @throws the error of the text, or the reason of `signal`
   */
  preview({ owner, text, tooSlow, signal, ...details }: PreviewJob & TableUpload): Promise<TablePreview> {
    return this.#admit({ owner, text, tooSlow, signal }, async (upload, input) => {
      const result = await this.#run({ details, input, signal: upload.signal });
      if (!result || !('columns' in result) || 'separation' in result) throw new Error('A preview is not a table');
      return result;
    });
  }

  /**
   * Reads truths. Few of them, in a format of text, are read here: to start a process takes longer.
   * @param take takes them in chunks, when all are read
   * @throws {ProblemError} if they cannot be read, and as `ingest` does
   * @throws the error of the text or of `take`, or the reason of `signal`
   */
  readActuals(
    { owner, text, promised, tooSlow, signal, ...details }: TruthJob & TruthUpload,
    take: (chunk: TruthChunk) => Promise<void>,
  ): Promise<void> {
    return this.#admit({ owner, text, tooSlow, signal }, async (upload, body, length) => {
      const input = { body, promised: promised(upload.signal) };
      const takeUnlessAborted = async (chunk: TruthChunk) => {
        upload.signal.throwIfAborted();
        await take(chunk);
      };
      if (length <= MAX_READ_HERE && TEXT_FORMATS.has(details.format)) {
        // Loaded on demand: a service to which no truths are sent starts faster without it.
        const { readTruthBody } = await import('../record/truth-body.js');
        await readTruthBody(details, input, takeUnlessAborted);
      } else {
        const job = { details, input: joinTruthInput(input), onEvent: takeUnlessAborted, signal: upload.signal };
        await this.#run(job, truthsTooLarge);
      }
    });
  }

  /**
   * Distinguishes present rows from past ones, in turn with the tables of all owners.
   * @returns null if there are too few
   * @throws {ProblemError} as `ingest` does
   */
  async findDrift(owner: string, drift: DriftRows, signal: AbortSignal): Promise<Drift | null> {
    async function* text() {
      yield drift.isNow;
      yield drift.bins;
    }
    const { isNow: _, bins: __, ...details } = drift;
    const upload = { owner, text: text(), tooSlow: tooManyUploads, signal };
    return this.#admit(upload, async ({ signal: ended }, input) => {
      const result = await this.#run({ details: { drift: details }, input, signal: ended });
      return result && 'separation' in result ? result : null;
    });
  }

  /**
   * Does the work on a table when it is its owner's turn.
   * @param work gets the length of the text in bytes; infinite if not all of it has arrived
   */
  async #admit<T>(
    { owner, text, tooSlow, signal }: TableUpload,
    work: (upload: Upload, pieces: AsyncIterable<Uint8Array>, length: number) => Promise<T>,
  ): Promise<T> {
    makeRoom(this.#underWay, owner);
    const upload = new Upload(owner, text, tooSlow);
    const leave = () => upload.giveUp(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    this.#underWay.add(upload);
    try {
      signal.throwIfAborted();
      // Slots are scarce, so one is taken only when there is something to read.
      const { pieces, length } = await unlessAborted(coalesceChunks(upload), upload.signal);
      const slots = Number.isFinite(length) ? this.#whole : this.#arriving;
      return await slots.run(upload, () => work(upload, pieces, length));
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

  async #read({ owner, signal }: Upload, input: AsyncIterable<Uint8Array>, details: TableJob): Promise<StoredTable> {
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
      const table = await this.#run({ details, input, onData, signal });
      if (tableId === undefined || !table || !('task' in table)) {
        throw new Error('A table has at least one part');
      }
      const { target, choices, marks, validation } = details;
      return { tableId, target, choices, marks, validation, ...table };
    } catch (error) {
      if (tableId !== undefined) await this.discard(tableId);
      throw error;
    }
  }

  async #run(job: Job<ReaderJob, TruthChunk>, tooLarge = tableTooLarge): Promise<ReaderResult> {
    try {
      return await this.#readers.run(job);
    } catch (error) {
      if (error instanceof OutOfMemoryError) {
        this.log.warn({ err: error }, 'a table took too much memory');
      }
      throw explainEnd(error, tooLarge);
    }
  }
}

/**
 * The most bytes of truths that are read on the main loop. The smallest rows, of two bytes each, take about a quarter of
 * a microsecond a byte.
 */
const MAX_READ_HERE = 32 * 1024;

/** The formats whose small bodies are read without much work. */
const TEXT_FORMATS: ReadonlySet<RowFormat> = new Set(['csv', 'json', 'ndjson']);

/** The size of a piece, in bytes. */
const PIECE = 256 * 1024;

/**
 * Coalesces chunks of any size into pieces of 256 KiB. Resolves at the first piece, or at the end.
 * @returns the pieces, and the length of the text in bytes; infinite if more may follow the first piece
 */
export async function coalesceChunks(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ readonly pieces: AsyncIterable<Uint8Array>; readonly length: number }> {
  const source = splitPieces(chunks);
  const first = await source.next();
  const firstLength = first.done ? 0 : first.value.length;
  async function* pieces() {
    if (first.done) return;
    yield first.value;
    yield* source;
  }
  return { pieces: pieces(), length: firstLength < PIECE ? firstLength : Number.POSITIVE_INFINITY };
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

function tableTooLarge(): ProblemError {
  const message =
    'The table takes more memory than there is for one. Send fewer rows, or only the columns that bear on the target.';
  return unusableTable([{ message }]);
}

function truthsTooLarge(): ProblemError {
  const detail =
    'The rows take more memory than there is for one body; send fewer rows, with the id and the target alone.';
  return problem('/problems/body-too-large', detail);
}

/** Returns the problem of a table whose process has ended; any other error as it is. */
function explainEnd(error: unknown, tooLarge: () => ProblemError): unknown {
  if (error instanceof OutOfMemoryError) return tooLarge();
  if (!(error instanceof WorkerEndedError)) return error;
  const detail =
    error instanceof WorkerTimeoutError
      ? `The table took too long to read: its process did nothing for ${MAX_SILENCE_MS / 1000} seconds, and was ended; nothing was kept of it. Send fewer rows or columns.`
      : 'The process that read the table was ended, most often because the machine has too little memory; nothing was kept of it. Send it again in a moment, or send fewer rows.';
  return unavailable(detail, 5, { cause: error });
}
