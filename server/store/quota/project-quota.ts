import type { Kysely } from 'kysely';
import type { Database } from '../database/schema.js';
import { LimitReachedError, NameTakenError } from '../errors.js';
import type { Limits } from './limits.js';
import { adjustStored } from './owner-quota.js';

/**
 * The kinds of resources in a project. The project's row has a counter for each, under this name.
 */
export const RESOURCE_KINDS = ['skills', 'agents', 'chatbots', 'models'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/** The number of resources of each kind in a project. */
export type Contents = Readonly<Record<ResourceKind, number>>;

/** All counters in a project's row. */
const COUNTERS = [...RESOURCE_KINDS, 'bytes', 'uses'] as const;

/** The change of each counter by a write; negative if something is removed. */
export type Growth = { readonly [C in (typeof COUNTERS)[number]]?: number };

/**
 * Refuses a name that another resource of the kind has. Runs before any write, because PostgreSQL
 * aborts a transaction once it has refused a row.
 * @param self the id of the resource that may already have the name
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
 * Reserves quota for a write. Never refuses a reduction, even if an earlier release without the
 * limit let the project exceed it.
 * @throws {LimitReachedError} if a limit of the project or its owner would be exceeded; the
 *   transaction must be rolled back
 */
export async function reserveQuota(
  db: Kysely<Database>,
  projectId: string,
  growth: Growth,
  most: Limits,
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
 * Adds a change to the counters of a project.
 * @param stored the most bytes that its owner may store
 * @throws {LimitReachedError} if the owner would exceed it; the transaction must be rolled back
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
