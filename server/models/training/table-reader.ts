import {
  JsonShapeError,
  MalformedJsonError,
  TableError,
} from '../../../prediction/src/predicting.js';
import { type PoolOptions, WorkerPool } from '../../work/worker-pool.js';
import type { TableFacts, TableMessage, TableReading } from './table-message.js';

/** The longest time in which the reading of a table may make no progress, in milliseconds. */
export const MAX_SILENCE_MS = 2 * 60_000;

/**
 * `maxHeapMiB` does not include typed arrays, which the limits of a table keep to about 200 MB. It
 * exceeds the largest texts of a table, so no table is refused for lack of heap.
 */
const OPTIONS: PoolOptions = {
  script: new URL('./table-worker.js', import.meta.url),
  maxHeapMiB: 768,
  maxMemoryBytes: 1024 * 1024 * 1024,
  maxSilenceMs: MAX_SILENCE_MS,
  isBackground: true,
  maxIdle: 2,
  idleTimeoutMs: 10_000,
};

/** Reads tables in separate processes: parsing a large table takes seconds, and much memory. */
export class TableReader {
  readonly #pool: WorkerPool<TableReading, TableMessage>;

  constructor(options: Partial<PoolOptions> = {}) {
    this.#pool = new WorkerPool({ ...OPTIONS, ...options });
  }

  /**
   * Reads a table. If the table is refused, the rest of the text is not read.
   * @param keep takes the parts of the table, in order
   * @param signal cancels the reading
   * @returns the facts of the table
   * @throws {TableError | MalformedJsonError | JsonShapeError} if the table is refused; `keep` may
   *   already have taken some parts
   * @throws {OutOfMemoryError | WorkerEndedError} if the process ends early
   * @throws the error of the text or of `keep`, or the reason of `signal`
   */
  async read(
    input: AsyncIterable<Uint8Array>,
    { format, target, task, csv }: TableReading,
    keep: (part: Uint8Array) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<TableFacts> {
    const details: TableReading = { format, target, task, csv };
    return factsOf(await this.#pool.run({ details, input, onData: keep, signal }));
  }

  /** Ends all processes. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}

function factsOf(message: TableMessage): TableFacts {
  switch (message.kind) {
    case 'read':
      return { rowCount: message.rowCount, task: message.task };
    case 'unusable':
      throw new TableError(message.faults);
    case 'malformed':
      throw new MalformedJsonError(message.message);
    case 'misshapen':
      throw new JsonShapeError(message.message);
  }
}
