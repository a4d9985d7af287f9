import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Sweep } from '../common/sweeps.js';
import type { ClockWatch } from './clock-watch.js';
import { getDialect, inTransaction } from './database/dialect.js';
import type { Database } from './database/schema.js';
import type { Store } from './index.js';
import { adjustAnswers, adjustStored } from './quota.js';

/**
 * A table whose rows are kept for a time and then forgotten.
 *
 * Two things end with time. Whether something is **valid** (a key, a token, a code, a lease, an answer under an
 * `Idempotency-Key`) is asked by those who use it, of the clock as it is: it ends on time, whatever becomes of its row.
 * Data that was **kept** would be destroyed for good by a wrong clock: its deletion, here, waits while the clock is not
 * trusted. So the row of a token may stay for a day after its end, and is good for nothing.
 */
export interface KeptRows {
  readonly table: keyof Database;
  /** The name of the rows in the log, such as "responses". */
  readonly name: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** The column that shows how old a row is. */
  readonly since: string;
  /** Writes a time as that column has it; without it, the column has milliseconds since 1970. */
  readonly writeTime?: (milliseconds: number) => string | number;
  /** The most rows that a step deletes, all of one owner if they have owners. */
  readonly batch: number;
  readonly owned?: OwnedRows;
  /** The column of an order without gaps: rows are deleted from its beginning, up to the first that is not old. */
  readonly chain?: string;
}

type DeletedRow = Readonly<Record<string, string | number>>;

/** Rows count for their owner, who is in the column `owner`. */
interface OwnedRows {
  /** The columns that `settle` needs of the deleted rows. */
  readonly columns: readonly string[];
  /** Makes those who add rows of the owner wait until the transaction ends. */
  lock(db: Kysely<Database>, owner: string): Promise<void>;
  settle(db: Kysely<Database>, owner: string, deleted: readonly DeletedRow[]): Promise<void>;
}

/** Rows whose `bytes` count in what their owner stores. */
export const STORED_ROWS: OwnedRows = countBytes(adjustStored);
/** Rows whose `bytes` count in the answers that are kept for their owner. */
export const ANSWER_ROWS: OwnedRows = countBytes(adjustAnswers);

function countBytes(adjust: (db: Kysely<Database>, owner: string, by: number) => Promise<void>): OwnedRows {
  return {
    columns: ['bytes'],
    lock: (db, owner) => adjust(db, owner, 0),
    settle: (db, owner, rows) => adjust(db, owner, -rows.reduce((sum, row) => sum + Number(row['bytes']), 0)),
  };
}

/** Describes a table; the names of its columns are checked. */
export function describeRows<T extends keyof Database, C extends keyof Database[T] & string>(
  table: T,
  rows: Omit<KeptRows, 'table'> & { readonly key: readonly C[]; since: C; chain?: C },
): KeptRows {
  return { table, ...rows };
}

/** The time between two looks for rows that have become old, in milliseconds. */
const LOOK_EVERY_MS = 10 * 60 * 1000;

/** Deletes rows that are older than an age in milliseconds, by the clock of the database. */
export function forgetOld({ work }: Pick<Store, 'work'>, rows: KeptRows, ageMs: number, clock: ClockWatch): Sweep {
  return {
    failure: `old ${rows.name} are not deleted yet`,
    everyMs: LOOK_EVERY_MS,
    step: () =>
      inTransaction(work, async (db) => {
        const now = await clock.read(db);
        if (now === undefined) return false;
        const end = rows.writeTime?.(now - ageMs) ?? now - ageMs;
        return forgetBatch(db, rows, sql<SqlBool>`${sql.ref(rows.since)} < ${end}`);
      }),
  };
}

/**
 * Deletes some rows that fulfil a condition, in a transaction, and counts what they took. Leaves rows that others have
 * locked.
 * @returns whether there may be more
 */
export async function forgetBatch(
  db: Kysely<Database>,
  { table, key, since, batch, owned, chain }: KeptRows,
  condition: RawBuilder<SqlBool>,
): Promise<boolean> {
  const from = sql.table(table);
  const place = sql.ref(chain ?? since);
  // Others of a chain are not deleted before its first, and must not keep other owners waiting.
  const isFirst = chain
    ? sql<SqlBool>`${place} = (
        select min(${place}) from ${from} as own where own.owner = ${sql.ref(`${table}.owner`)}
      )`
    : sql<SqlBool>`true`;
  const { rows: found } = await sql<{ owner: string }>`
    select ${owned ? sql.ref('owner') : sql.lit('')} as owner from ${from}
    where ${condition} and ${isFirst} order by ${sql.ref(since)} limit 1
  `.execute(db);
  const [first] = found;
  if (!first) return false;
  const { owner } = first;
  await owned?.lock(db, owner);
  const ids = sql.join(key.map((column) => sql.ref(column)));
  const own = owned ? sql<SqlBool>`owner = ${owner}` : sql<SqlBool>`true`;
  const skipLocked = getDialect(db).locksRows ? sql`for update skip locked` : sql``;
  // A chain is cut at its first row that is not old, which may be before others that are.
  const [candidates, old] = chain
    ? [own, sql`place < coalesce((select min(place) from chosen where not is_old), ${MAX_PLACE})`]
    : [sql<SqlBool>`${own} and ${condition}`, sql`true`];
  const { rows: deleted } = await sql<DeletedRow>`
    with chosen as (
      select ${ids}, ${place} as place, ${condition} as is_old from ${from}
      where ${candidates} order by ${place} limit ${sql.lit(batch)} ${skipLocked}
    )
    delete from ${from} where (${ids}) in (select ${ids} from chosen where ${old})
    returning ${sql.join((owned?.columns ?? key).map((column) => sql.ref(column)))}
  `.execute(db);
  if (deleted.length > 0) await owned?.settle(db, owner, deleted);
  return deleted.length > 0;
}

/** Above every place in a chain. */
const MAX_PLACE = sql.lit(Number.MAX_SAFE_INTEGER);

/** Something large that is stored in parts, each in a separate transaction, before something else takes it. */
export interface StoredInParts {
  readonly table: keyof Database;
  /** The column of what has it: null before that takes it, and after that is gone. */
  readonly taker: string;
  readonly parts: keyof Database;
  /** The columns of a part that tell what it is a part of, and which one. */
  readonly whole: string;
  readonly part: string;
  /** The most parts that a step deletes. */
  readonly batch: number;
}

/** Describes something in parts; the names of its columns are checked. */
export function describeParts<T extends keyof Database, P extends keyof Database>(
  table: T,
  parts: P,
  columns: Omit<StoredInParts, 'table' | 'parts'> & {
    readonly taker: keyof Database[T];
    readonly whole: keyof Database[P];
    readonly part: keyof Database[P];
  },
): StoredInParts {
  return { table, parts, ...columns };
}

/**
 * Deletes some parts of something that nothing has, or what is left of it; returns whether there was any. It is released
 * first, as those are that nothing will take: what takes it late would have it without some of its parts.
 * @param now the time in milliseconds since 1970, at which others still wait for what takes them
 */
export async function sweepUntaken(
  { work }: Pick<Store, 'work'>,
  { table, taker, parts, whole, part, batch }: StoredInParts,
  now = Date.now(),
): Promise<boolean> {
  const isUntaken = sql<SqlBool>`${sql.ref(taker)} is null and upload_until < ${now}`;
  const { rows } = await sql<{ id: string; upload_until: number | string }>`
    select id, upload_until from ${sql.table(table)} where ${isUntaken} limit 1
  `.execute(work);
  const [untaken] = rows;
  if (!untaken) return false;
  if (Number(untaken.upload_until) > 0) {
    await sql`
      update ${sql.table(table)} set upload_until = 0 where id = ${untaken.id} and ${isUntaken}
    `.execute(work);
    return true;
  }
  const own = sql<SqlBool>`${sql.ref(whole)} = ${untaken.id}`;
  const key = sql.ref(part);
  const { rows: deleted } = await sql`
    delete from ${sql.table(parts)} where ${own} and ${key} in (
      select ${key} from ${sql.table(parts)} where ${own} limit ${sql.lit(batch)}
    )
    returning ${key}
  `.execute(work);
  if (deleted.length > 0) return true;
  await inTransaction(work, async (db) => {
    const { rows: ended } = await sql<{ owner: string; bytes: number | string }>`
      delete from ${sql.table(table)} where id = ${untaken.id} returning owner, bytes
    `.execute(db);
    for (const { owner, bytes } of ended) await adjustStored(db, owner, -Number(bytes));
  });
  return true;
}
