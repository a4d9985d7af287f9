import type { Migration } from 'kysely';
import * as first from './0001-first.js';
import * as modelTask from './0002-model-task.js';

/**
 * Every change of the tables. They run in the order of their names, so each is numbered. One that was
 * released is never edited: the next one corrects it.
 */
export const migrations: Record<string, Migration> = {
  '0001-first': first,
  '0002-model-task': modelTask,
};
