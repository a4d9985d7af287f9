import { type Kysely, type SqlBool, sql } from 'kysely';
import { dialectOf } from '../../store/database/dialect.js';
import type { Database } from '../../store/database/schema.js';
import { inTransaction } from '../../store/database/transaction.js';
import type { Limits } from '../../store/quota.js';
import { adjustStored, refuseFullOwner } from '../../store/quota.js';
import { newResource } from '../../store/rows.js';

/**
 * The longest time that a table waits for its training, in milliseconds by the clock of the
 * database: far longer than writing it takes.
 */
const UPLOAD = 60 * 60 * 1000;

/**
 * Stores the tables of trainings. A table is written in parts before its training begins, since one
 * large write would block the database. The training then takes the table with one update, and
 * releases it with another. Tables that no training has taken are deleted part by part, by periodic
 * sweeps.
 */
export class TableStore {
  constructor(
    private readonly db: Kysely<Database>,
    private readonly limits: Limits,
  ) {}

  /**
   * Refuses early what `addPart` would refuse.
   * @throws {LimitReachedError} if the owner stores as much as allowed
   */
  refuseFullOwner(owner: string): Promise<void> {
    return refuseFullOwner(this.db, owner, this.limits.stored);
  }

  /**
   * Begins a table for an owner; returns its id. If no training takes it within an hour, it is
   * deleted.
   */
  async begin(owner: string): Promise<string> {
    const { id } = newResource();
    const { now } = dialectOf(this.db);
    await this.db
      .insertInto('training_tables')
      .values({ id, owner, upload_until: sql<number>`${now} + cast(${UPLOAD} as bigint)` })
      .execute();
    return id;
  }

  /** @throws {LimitReachedError} if the owner would exceed the limit; then nothing is added */
  addPart(tableId: string, position: number, bytes: Uint8Array): Promise<void> {
    return inTransaction(this.db, async (db) => {
      await db
        .insertInto('training_table_parts')
        .values({ table_id: tableId, position, bytes })
        .execute();
      const { owner } = await db
        .updateTable('training_tables')
        .set({ bytes: sql<number>`bytes + ${bytes.length}` })
        .where('id', '=', tableId)
        .returning('owner')
        .executeTakeFirstOrThrow();
      await adjustStored(db, owner, bytes.length, this.limits.stored);
    });
  }

  /** Returns the part of a training's table at a position from 0; undefined if there is none. */
  async part(versionId: string, position: number): Promise<Uint8Array | undefined> {
    const part = await this.db
      .selectFrom('training_table_parts')
      .innerJoin('training_tables', 'training_tables.id', 'training_table_parts.table_id')
      .select('training_table_parts.bytes')
      .where('training_tables.version_id', '=', versionId)
      .where('training_table_parts.position', '=', position)
      .executeTakeFirst();
    return part?.bytes;
  }

  /** Releases a table that no training has taken. */
  async discard(tableId: string): Promise<void> {
    await this.db
      .updateTable('training_tables')
      .set({ upload_until: 0 })
      .where('id', '=', tableId)
      .where('version_id', 'is', null)
      .execute();
  }

  /** Deletes one part of an unused table; returns whether there was such a table. */
  async sweep(): Promise<boolean> {
    const { now } = dialectOf(this.db);
    const table = await this.db
      .selectFrom('training_tables')
      .select('id')
      .where('version_id', 'is', null)
      .where(sql<SqlBool>`upload_until < ${now}`)
      .limit(1)
      .executeTakeFirst();
    if (!table) return false;
    const { numDeletedRows } = await this.db
      .deleteFrom('training_table_parts')
      .where('table_id', '=', table.id)
      .where('position', '=', ({ selectFrom }) =>
        selectFrom('training_table_parts as part')
          .select(({ fn }) => fn.max('part.position').as('last'))
          .where('part.table_id', '=', table.id),
      )
      .executeTakeFirst();
    if (numDeletedRows === 0n) await this.#remove(table.id);
    return true;
  }

  #remove(id: string): Promise<void> {
    return inTransaction(this.db, async (db) => {
      const removed = await db
        .deleteFrom('training_tables')
        .where('id', '=', id)
        .returning(['owner', 'bytes'])
        .executeTakeFirst();
      if (removed) await adjustStored(db, removed.owner, -Number(removed.bytes));
    });
  }
}

/**
 * Assigns a table to a training, within the transaction that begins it.
 * @throws {Error} if the table has been discarded
 */
export async function takeTable(
  db: Kysely<Database>,
  tableId: string,
  versionId: string,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('training_tables')
    .set(({ selectFrom }) => ({
      version_id: versionId,
      upload_until: 0,
      parts: selectFrom('training_table_parts')
        .select(({ fn }) => fn.countAll<number>().as('parts'))
        .where('table_id', '=', tableId),
    }))
    .where('id', '=', tableId)
    .where('version_id', 'is', null)
    .where('upload_until', '>', 0)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new Error('The table of a training has been discarded');
}

/** Releases the table of an ended training. */
export async function leaveTable(db: Kysely<Database>, versionId: string): Promise<void> {
  await db
    .updateTable('training_tables')
    .set({ version_id: null })
    .where('version_id', '=', versionId)
    .execute();
}
