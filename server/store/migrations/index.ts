import type { Migration } from 'kysely';
import * as first from './0001-first.js';

/**
 * Every change of the tables. They run in the order of their names, so each is numbered. One that was
 * released is never edited: the next one corrects it.
 */
export const migrations: Record<string, Migration> = {
  '0001-first': first,
};
