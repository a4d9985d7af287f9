import { getDialect } from './database/dialect.js';
import { describeRows } from './forget-rows.js';
import type { Store } from './index.js';
import { KEY_LIMITS, type LimitName } from './key-limits.js';

/** A part of a limit, which one instance may use up without asking again. */
export interface Slice {
  readonly granted: number;
  /** The rest of the limit, which no instance has. */
  readonly left: number;
  /** The beginning of the period: milliseconds since 1970. */
  readonly began: number;
  /** The time until its end, in milliseconds. */
  readonly remainingMs: number;
}

/**
 * Takes a part of a limit out of the store, which all instances share. The period is by the clock of the database.
 * @param keyId the id of a caller
 * @param wanted what is granted, unless less is left
 * @param max the limit
 */
export function takeSlice(
  store: Store,
  keyId: string,
  name: LimitName,
  { wanted, max }: { readonly wanted: number; readonly max: number },
): Promise<Slice> {
  return store.transaction(async ({ reads: db }) => {
    // Several requests that begin a period lock the row one after the other.
    const row = await db
      .insertInto('key_usage')
      .values({ key_id: keyId, name, began: 0, used: 0 })
      .onConflict((conflict) =>
        conflict.columns(['key_id', 'name']).doUpdateSet(({ ref }) => ({ used: ref('key_usage.used') })),
      )
      .returning(['began', 'used', getDialect(db).now.as('now')])
      .executeTakeFirstOrThrow();
    const now = Number(row.now);
    const periodMs = KEY_LIMITS[name].seconds * 1000;
    const began = now - (now % periodMs);
    const used = Number(row.began) === began ? Number(row.used) : 0;
    const granted = Math.max(0, Math.min(wanted, max - used));
    if (granted > 0) {
      await db
        .updateTable('key_usage')
        .set({ began, used: used + granted })
        .where('key_id', '=', keyId)
        .where('name', '=', name)
        .execute();
    }
    const left = Math.max(0, max - used - granted);
    return { granted, left, began, remainingMs: began + periodMs - now };
  });
}

/** Gives back what was not used of a slice, while its period lasts. */
export async function returnSlice(
  { work }: Store,
  keyId: string,
  name: LimitName,
  { began, unused }: { readonly began: number; readonly unused: number },
): Promise<void> {
  await work
    .updateTable('key_usage')
    .set(({ eb }) => ({ used: eb('used', '-', unused) }))
    .where('key_id', '=', keyId)
    .where('name', '=', name)
    .where('began', '=', began)
    .execute();
}

/** Uses of limits in periods that have begun. */
export const USAGE = describeRows('key_usage', {
  name: 'counts of limits',
  key: ['key_id', 'name'],
  since: 'began',
  batch: 1000,
});
