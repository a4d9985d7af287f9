import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Task } from '../../../prediction/src/predicting.js';
import { dialectOf, inTransaction } from '../../store/database/dialect.js';
import type { Database } from '../../store/database/schema.js';
import type { Store } from '../../store/index.js';
import { leaseEnd } from '../../store/lease.js';
import { adjustStored } from '../../store/quota.js';
import { newResource } from '../../store/rows.js';

/*
 * A table is written in parts before its training begins, since one large write would block the
 * database. The training then takes the table with one update, and releases it with another. Tables
 * that no training has taken are deleted part by part, by periodic sweeps.
 */

/**
 * The longest time that a table waits for its training, in milliseconds: far longer than writing it
 * takes.
 */
const UPLOAD_MS = 60 * 60 * 1000;

/** A table that was read, checked and written to the store, ready for its training. */
export interface StoredTable {
  readonly tableId: string;
  readonly target: string;
  readonly task: Task;
  readonly rowCount: number;
}

/** Begins a table for an owner; returns its id. If no training takes it within an hour, it is deleted. */
export async function createTable({ work }: Store, owner: string): Promise<string> {
  const { id } = newResource();
  await work
    .insertInto('training_tables')
    .values({ id, owner, upload_until: leaseEnd(work, UPLOAD_MS) })
    .execute();
  return id;
}

/** @throws {ProblemError} if the owner would exceed the limit; then nothing is added */
export function addTablePart(
  { work, limits }: Store,
  tableId: string,
  position: number,
  bytes: Uint8Array,
): Promise<void> {
  return inTransaction(work, async (db) => {
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
    await adjustStored(db, owner, bytes.length, limits.stored);
  });
}

/** Returns the part of a training's table at a position from 0; undefined if there is none. */
export async function readTablePart(
  { work }: Store,
  versionId: string,
  position: number,
): Promise<Uint8Array | undefined> {
  const part = await work
    .selectFrom('training_table_parts')
    .innerJoin('training_tables', 'training_tables.id', 'training_table_parts.table_id')
    .select('training_table_parts.bytes')
    .where('training_tables.version_id', '=', versionId)
    .where('training_table_parts.position', '=', position)
    .executeTakeFirst();
  return part?.bytes;
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
export async function releaseTable(db: Kysely<Database>, versionId: string): Promise<void> {
  await db
    .updateTable('training_tables')
    .set({ version_id: null })
    .where('version_id', '=', versionId)
    .execute();
}

/** Releases a table that no training has taken. */
export async function discardTable({ work }: Store, tableId: string): Promise<void> {
  await work
    .updateTable('training_tables')
    .set({ upload_until: 0 })
    .where('id', '=', tableId)
    .where('version_id', 'is', null)
    .execute();
}

/**
 * Deletes a part of the table of a training that has ended or never began; returns whether there was
 * such a table.
 */
export async function sweepTable({ work }: Store): Promise<boolean> {
  const table = await work
    .selectFrom('training_tables')
    .select('id')
    .where('version_id', 'is', null)
    .where(sql<SqlBool>`upload_until < ${dialectOf(work).now}`)
    .limit(1)
    .executeTakeFirst();
  if (!table) return false;
  const { numDeletedRows } = await work
    .deleteFrom('training_table_parts')
    .where('table_id', '=', table.id)
    .where('position', '=', ({ selectFrom }) =>
      selectFrom('training_table_parts as part')
        .select(({ fn }) => fn.max('part.position').as('last'))
        .where('part.table_id', '=', table.id),
    )
    .executeTakeFirst();
  if (numDeletedRows > 0n) return true;
  await inTransaction(work, async (db) => {
    const deleted = await db
      .deleteFrom('training_tables')
      .where('id', '=', table.id)
      .returning(['owner', 'bytes'])
      .executeTakeFirst();
    if (deleted) await adjustStored(db, deleted.owner, -Number(deleted.bytes));
  });
  return true;
}
