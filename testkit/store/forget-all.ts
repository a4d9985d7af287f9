import { ClockWatch } from '../../server/store/clock-watch.js';
import { forgetOld, type KeptRows } from '../../server/store/forget-rows.js';
import type { Store } from '../../server/store/index.js';

/** Deletes all rows that are older than an age in milliseconds, as the sweep of the service does. */
export async function forgetAll(store: Store, rows: KeptRows, ageMs: number): Promise<void> {
  const { step } = forgetOld(store, rows, ageMs, new ClockWatch());
  while (await step());
}
