import pLimit, { type LimitFunction } from 'p-limit';
import type { Store } from '../store/index.js';
import { gathered } from './gathered.js';
import type { TableFormat } from './table-message.js';
import { readInThread } from './table-thread.js';

/** How many tables are read at once, each in a thread, and how many are under way, those that wait or trickle in among them. */
const MOST_READ = { ofAll: 4, ofOne: 2 };
const MOST_UNDER_WAY = { ofAll: 64, ofOne: 32 };

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
  readonly text: AsyncIterable<Uint8Array>;
}

/** A table that was read, checked and written to the store, where it waits for its training to begin. */
export interface KeptTable {
  readonly tableId: string;
  readonly target: string;
  readonly rowCount: number;
}

/** What one owner has under way. */
interface UnderWay {
  count: number;
  readonly limit: LimitFunction;
}

/** Reads tables and keeps them for their trainings, while others are served. */
export class Tables {
  readonly #limit = pLimit(MOST_READ.ofAll);
  readonly #owners = new Map<string, UnderWay>();
  #count = 0;

  constructor(private readonly store: Store) {}

  /**
   * @throws {TableError | MalformedJsonError | JsonShapeError} if the table is refused
   * @throws {LimitReachedError} if the owner has no room for it; nothing is kept of the table then
   * @throws {TooManyTablesError} at once, before anything is read
   * @throws what the text throws; nothing is kept of the table then
   */
  async keep({ owner, text, ...what }: TableSource): Promise<KeptTable> {
    const own = this.#owners.get(owner) ?? { count: 0, limit: pLimit(MOST_READ.ofOne) };
    if (this.#count >= MOST_UNDER_WAY.ofAll || own.count >= MOST_UNDER_WAY.ofOne) {
      throw new TooManyTablesError('As many tables are under way as are taken on at once');
    }
    this.#owners.set(owner, own);
    this.#count++;
    own.count++;
    try {
      // A thread, of which there are few, is begun only when there is something for it to do.
      const pieces = await gathered(text);
      return await own.limit(() => this.#limit(() => this.#read(owner, pieces, what)));
    } finally {
      this.#count--;
      if (--own.count === 0) this.#owners.delete(owner);
    }
  }

  /** Gives up a table that no training is to have. */
  async discard({ tableId }: Pick<KeptTable, 'tableId'>): Promise<void> {
    // If the store does not take it, the table is given up when its time is over.
    await this.store.tables.discard(tableId).catch(() => {});
  }

  async #read(
    owner: string,
    text: AsyncIterable<Uint8Array>,
    what: Pick<TableSource, 'format' | 'target'>,
  ): Promise<KeptTable> {
    const { tables } = this.store;
    let tableId: string | undefined;
    let position = 0;
    try {
      const rowCount = await readInThread(text, what, async (part) => {
        tableId ??= await tables.begin(owner);
        await tables.addPart(tableId, position++, part);
      });
      if (tableId === undefined) throw new Error('A table has at least one part');
      return { tableId, target: what.target, rowCount };
    } catch (error) {
      if (tableId !== undefined) await this.discard({ tableId });
      throw error;
    }
  }
}
