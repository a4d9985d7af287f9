import { test } from 'vitest';
import { DAY_MS } from '../server/store/clock-watch.js';

/** Defines a test of what begins anew at midnight: where a day ends meanwhile, it is tried again. */
export function testOfDay(name: string, count: () => Promise<void>): void {
  test(name, () => withinADay(count));
}

async function withinADay(count: () => Promise<void>): Promise<void> {
  const today = () => Math.floor(Date.now() / DAY_MS);
  for (;;) {
    const day = today();
    try {
      return await count();
    } catch (error) {
      if (day === today()) throw error;
    }
  }
}
