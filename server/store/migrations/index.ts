import type { Migration } from 'kysely';
import * as first from './2026-11-first.js';

/** Every change of the tables, in order. One that was released is never edited: the next one mends it. */
export const migrations: Record<string, Migration> = {
  '2026-11-first': first,
};
