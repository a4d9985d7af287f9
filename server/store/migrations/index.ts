import type { Migration } from 'kysely';
import * as first from './0001-first.js';
import * as ownersKeysAndInstances from './0002-owners-keys-and-instances.js';
import * as tablesInParts from './0003-tables-in-parts.js';
import * as quotas from './0004-quotas.js';
import * as turnsOfOwners from './0005-turns-of-owners.js';

/**
 * Every change of the tables. They run in the order of their names, so each is numbered. One that was
 * released is never edited: the next one mends it.
 */
export const migrations: Record<string, Migration> = {
  '0001-first': first,
  '0002-owners-keys-and-instances': ownersKeysAndInstances,
  '0003-tables-in-parts': tablesInParts,
  '0004-quotas': quotas,
  '0005-turns-of-owners': turnsOfOwners,
};
