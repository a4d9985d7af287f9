import { type Kysely, sql } from 'kysely';
import type { Pause } from 'roster-prediction/predicting';
import { type Parameter, PreparedQuery } from './database/dialect.js';
import type { Database } from './database/schema.js';
import { chunks, chunksBySize, keepByLength, padToPowerOfTwo } from './rows.js';

/*
 * Writes many rows of a transaction in few statements of limited size, with a pause after each: its locks are held for
 * little longer than the writing takes, and no statement holds the thread for long.
 */

/** A row to be written; its size in bytes is approximate. */
interface SizedRow<R> {
  readonly row: R;
  readonly bytes: number;
}

/**
 * Returns a function that inserts rows.
 * @param replaced the columns to update if a row with the id is stored; by default, there is no such row
 */
export function rowWriter<R extends Readonly<Record<string, string | number | null>>>(
  table: keyof Database,
  columns: readonly (keyof R & string)[],
  replaced: readonly (keyof R & string)[] = [],
) {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const changes = replaced.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`);
  const conflict = changes.length === 0 ? sql`` : sql`on conflict (id) do update set ${sql.join(changes)}`;
  const insert = keepByLength(
    (length) =>
      // The values are those of the first row, then those of the second, and so on.
      new PreparedQuery((_, parameter: Parameter<readonly unknown[]>) => {
        const rows = Array.from({ length }, (_, row) => {
          const values = columns.map((_, at) => parameter(row * columns.length + at));
          return sql`(${sql.join(values)})`;
        });
        return sql`insert into ${sql.table(table)} (${names}) values ${sql.join(rows)} ${conflict}`;
      }),
  );
  return async (db: Kysely<Database>, rows: Iterable<SizedRow<R>>, pause: Pause) => {
    for (const part of chunksBySize(rows)) {
      for (const piece of chunks(part)) {
        const values = piece.flatMap(({ row }) => columns.map((column) => row[column]));
        await insert(piece.length).all(db, values);
        await pause();
      }
    }
  };
}

/** The most rows that a statement deletes, and the most ids in its condition. */
const DELETED_AT_ONCE = 512;

/**
 * Deletes the rows whose column has one of the ids.
 * @param key the columns of the primary key
 */
export async function deleteRows(
  db: Kysely<Database>,
  { table, key }: { readonly table: keyof Database; readonly key: readonly string[] },
  column: string,
  ids: readonly string[],
  pause: Pause,
): Promise<void> {
  const [from, keys] = [sql.table(table), sql.join(key.map((name) => sql.ref(name)))];
  for (let begin = 0; begin < ids.length; begin += DELETED_AT_ONCE) {
    const part = sql.join(padToPowerOfTwo(ids.slice(begin, begin + DELETED_AT_ONCE)));
    for (let deleted = DELETED_AT_ONCE; deleted === DELETED_AT_ONCE; ) {
      const { numAffectedRows } = await sql`
        delete from ${from} where (${keys}) in (
          select ${keys} from ${from} where ${sql.ref(column)} in (${part})
          limit ${sql.lit(DELETED_AT_ONCE)}
        )
      `.execute(db);
      deleted = Number(numAffectedRows ?? 0);
      await pause();
    }
  }
}
