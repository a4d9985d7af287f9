import { JsonShapeError, MalformedJsonError, TableError } from '../../prediction/src/predicting.js';
import type { TableFacts, TableMessage, TableReading } from './table-message.js';
import { type PoolOptions, WorkerPool } from './worker-process.js';

/**
 * Beside its arrays, which the limits of a table bound to some 200 MB: more than its texts may take, so that no table
 * is refused for it.
 */
const OPTIONS: PoolOptions = {
  script: new URL('./table-worker.js', import.meta.url),
  maxHeap: 768,
  maxIdle: 2,
  idleTimeout: 10_000,
};

/** Reads tables in processes of their own: parsing a large one takes seconds, and much memory. */
export class TableReader {
  readonly #pool: WorkerPool<TableReading, TableMessage>;

  constructor(options: Partial<PoolOptions> = {}) {
    this.#pool = new WorkerPool({ ...OPTIONS, ...options });
  }

  /**
   * Reads a table. The rest of the text is left unread if the table is refused.
   * @param keep takes the parts of the table, one after the other
   * @param signal gives it up
   * @returns what it has
   * @throws {TableError | MalformedJsonError | JsonShapeError} if it is refused; some of its parts may have been kept
   * @throws {OutOfMemoryError | WorkerEndedError} if the process ends before
   * @throws what the text or `keep` threw, or the reason of `signal`
   */
  async read(
    input: AsyncIterable<Uint8Array>,
    { format, target, task }: TableReading,
    keep: (part: Uint8Array) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<TableFacts> {
    const details: TableReading = { format, target, task };
    return factsOf(await this.#pool.run({ details, input, onData: keep, signal }));
  }

  /** Ends the processes that wait for a table. */
  close(): void {
    this.#pool.close();
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
