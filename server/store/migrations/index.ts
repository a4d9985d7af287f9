import type { Migration } from 'kysely';
import * as first from './0001-first.js';
import * as documents from './0002-documents.js';
import * as conversations from './0003-conversations.js';
import * as modelSources from './0004-model-sources.js';

/**
 * All migrations. They run in the order of their names, which are therefore numbered. Never edit a
 * released migration; correct it with a new one.
 */
export const migrations: Record<string, Migration> = {
  '0001-first': first,
  '0002-documents': documents,
  '0003-conversations': conversations,
  '0004-model-sources': modelSources,
};
