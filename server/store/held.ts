import type { Kysely } from 'kysely';
import { LimitReachedError, NameTakenError } from './errors.js';
import type { Database } from './schema.js';

/** The kinds of resource that a project holds. The project's row has a counter of each, under this name. */
export const HELD = ['skills', 'agents', 'chatbots', 'models'] as const;
export type Held = (typeof HELD)[number];

/** How many resources of each kind a project holds. */
export type Contents = Readonly<Record<Held, number>>;

/**
 * Refuses a name that another resource of the kind has. It is asked before anything is written: where the
 * database itself refuses a row, PostgreSQL lets nothing follow in the transaction.
 * @param self the id of the resource that may have the name itself
 * @throws {NameTakenError}
 */
export async function refuseTakenName(
  db: Kysely<Database>,
  kind: Held,
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
  if (other && other.id !== self) throw new NameTakenError();
}

/**
 * @param most how many resources of a kind a project holds at most
 * @throws {LimitReachedError} if the project has room for no other
 */
export async function refuseBeyond(
  most: number,
  db: Kysely<Database>,
  kind: Held,
  projectId: string,
): Promise<void> {
  const project = await db
    .selectFrom('projects')
    .select(kind)
    .where('id', '=', projectId)
    .executeTakeFirst();
  if (project && project[kind] >= most) throw new LimitReachedError(kind, most);
}

/** Counts a resource that came into the project, or one that left it. */
export async function count(
  db: Kysely<Database>,
  kind: Held,
  projectId: string,
  by: 1 | -1,
): Promise<void> {
  await db
    .updateTable('projects')
    .set(kind, ({ eb }) => eb(kind, '+', by))
    .where('id', '=', projectId)
    .execute();
}
