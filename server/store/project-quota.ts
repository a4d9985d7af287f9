import type { Kysely } from 'kysely';
import type { Bounds } from './bounds.js';
import type { Database } from './database/schema.js';
import { LimitReachedError, NameTakenError } from './errors.js';
import { adjustStored } from './owner-quota.js';

/** The kinds of resource that a project holds. The project's row has a counter of each, under this name. */
export const RESOURCE_KINDS = ['skills', 'agents', 'chatbots', 'models'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/** How many resources of each kind a project holds. */
export type Contents = Readonly<Record<ResourceKind, number>>;

/** Everything that a project's row counts. */
const COUNTERS = [...RESOURCE_KINDS, 'bytes', 'uses'] as const;

/** By how much a write makes a project hold more; less, where it is below zero. */
export type Growth = { readonly [C in (typeof COUNTERS)[number]]?: number };

/**
 * Refuses a name that another resource of the kind has. It is asked before anything is written: where the
 * database itself refuses a row, PostgreSQL lets nothing follow in the transaction.
 * @param self the id of the resource that may have the name itself
 * @throws {NameTakenError}
 */
export async function refuseTakenName(
  db: Kysely<Database>,
  kind: ResourceKind,
  projectId: string,
  name: string,
  self?: string,
): Promise<void> {
  const other = await db
    .selectFrom(kind)
    .select('id')
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();
  if (other && other.id !== self) throw new NameTakenError(kind, name);
}

/**
 * Reserves what a write is about to add to a project. What makes it hold less is never refused, even where a
 * release that knew no such bound let it hold more.
 * @throws {LimitReachedError} if the project or its owner has no room for it; the transaction is to be undone then
 */
export async function reserveQuota(
  db: Kysely<Database>,
  projectId: string,
  growth: Growth,
  most: Bounds,
): Promise<void> {
  const project = await db
    .selectFrom('projects')
    .select(COUNTERS)
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  for (const counter of COUNTERS) {
    const by = growth[counter] ?? 0;
    const bound = counter === 'bytes' || counter === 'uses' ? most[counter] : most.resources;
    if (by > 0 && project[counter] + by > bound) throw new LimitReachedError(counter, bound);
  }
  await adjustCounters(db, projectId, growth, most.stored);
}

/**
 * Counts what came into a project, or left it.
 * @param stored how many bytes its owner may store
 * @throws {LimitReachedError} if that would be more; the transaction is to be undone then
 */
export async function adjustCounters(
  db: Kysely<Database>,
  projectId: string,
  { skills = 0, agents = 0, chatbots = 0, models = 0, bytes = 0, uses = 0 }: Growth,
  stored?: number,
): Promise<void> {
  const { owner } = await db
    .updateTable('projects')
    .set(({ eb }) => ({
      skills: eb('skills', '+', skills),
      agents: eb('agents', '+', agents),
      chatbots: eb('chatbots', '+', chatbots),
      models: eb('models', '+', models),
      bytes: eb('bytes', '+', bytes),
      uses: eb('uses', '+', uses),
    }))
    .where('id', '=', projectId)
    .returning('owner')
    .executeTakeFirstOrThrow();
  if (bytes !== 0) await adjustStored(db, owner, bytes, stored);
}
