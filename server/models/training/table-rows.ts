import { type Kysely, sql } from 'kysely';
import type { ColumnChoices, ModelTask, TableMarks, ValidationChoice } from 'roster-prediction/predicting';
import { type ProblemError, unavailable } from '../../problems/problem.js';
import { inTransaction } from '../../store/database/dialect.js';
import type { Database } from '../../store/database/schema.js';
import { describeParts } from '../../store/forget-rows.js';
import type { Store } from '../../store/index.js';
import { leaseEnd } from '../../store/lease.js';
import { adjustStored } from '../../store/quota.js';
import { newResource } from '../../store/rows.js';
import type { ForecastFields, TableReport } from '../model-rows.js';

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
  readonly task: ModelTask;
  readonly rowCount: number;
  readonly forecast?: ForecastFields | null;
  readonly report?: TableReport;
  readonly choices?: ColumnChoices | undefined;
  readonly marks?: TableMarks | undefined;
  readonly validation?: ValidationChoice | undefined;
}

/**
 * Begins a table for an owner; returns its id. If no part of it is added and no training takes it for an hour, it is
 * deleted.
 */
export async function createTable({ work }: Store, owner: string): Promise<string> {
  const { id } = newResource();
  await work
    .insertInto('training_tables')
    .values({ id, owner, upload_until: leaseEnd(work, UPLOAD_MS) })
    .execute();
  return id;
}

/**
 * Adds a part, and lets the table wait for another hour from now.
 * @throws {ProblemError} if the owner would exceed the limit, or the table is being removed; then nothing is added
 */
export function addTablePart(
  { work, limits }: Store,
  tableId: string,
  position: number,
  bytes: Uint8Array,
): Promise<void> {
  return inTransaction(work, async (db) => {
    const table = await db
      .updateTable('training_tables')
      .set({ bytes: sql<number>`bytes + ${bytes.length}`, upload_until: leaseEnd(work, UPLOAD_MS) })
      .where('id', '=', tableId)
      .where('upload_until', '>', 0)
      .returning('owner')
      .executeTakeFirst();
    if (!table) throw tableDiscarded();
    await db.insertInto('training_table_parts').values({ table_id: tableId, position, bytes }).execute();
    await adjustStored(db, table.owner, bytes.length, limits.stored);
  });
}

function tableDiscarded(): ProblemError {
  const detail = 'The table waited for too long, and has been discarded; begin the training again.';
  return unavailable(detail);
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
 * @throws {ProblemError} if the table has been discarded
 */
export async function takeTable(db: Kysely<Database>, tableId: string, versionId: string): Promise<void> {
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
  if (numUpdatedRows === 0n) throw tableDiscarded();
}

/** Releases the table of an ended training. */
export async function releaseTable(db: Kysely<Database>, versionId: string): Promise<void> {
  await db.updateTable('training_tables').set({ version_id: null }).where('version_id', '=', versionId).execute();
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

/** Tables of trainings, whose parts are large. */
export const TABLES = describeParts('training_tables', 'training_table_parts', {
  taker: 'version_id',
  whole: 'table_id',
  part: 'position',
  batch: 1,
});
