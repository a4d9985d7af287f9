import { type Kysely, sql } from 'kysely';
import { dialectOf } from '../database/dialect.js';
import type { Database } from '../database/schema.js';

/**
 * The columns of JSON and long text. All other columns are short, and limited by the number of
 * resources.
 */
const LONG_TEXT = {
  skills: ['params'],
  agents: ['prompt_template', 'model', 'data', 'settings'],
  chatbots: ['settings'],
} as const;

type Kind = keyof typeof LONG_TEXT;
type LongText<K extends Kind> = Readonly<Record<(typeof LONG_TEXT)[K][number], string | null>>;

/** Returns the bytes of JSON and long text in a resource's row. */
export function bytesOf<K extends Kind>(kind: K, row: LongText<K>): number {
  const columns: readonly (typeof LONG_TEXT)[K][number][] = LONG_TEXT[kind];
  return columns.reduce((bytes, column) => bytes + Buffer.byteLength(row[column] ?? ''), 0);
}

/**
 * Returns a stored resource's share of the project: its bytes of JSON and long text, and its uses
 * of skills by agents.
 */
export async function sizeOf(
  db: Kysely<Database>,
  kind: Kind,
  id: string,
): Promise<{ bytes: number; uses: number }> {
  const { octets } = dialectOf(db);
  const sizes = LONG_TEXT[kind].map((column) => sql`coalesce(${octets(column)}, 0)`);
  const { bytes } = await db
    .selectFrom(kind)
    .select(sql<number>`${sql.join(sizes, sql` + `)}`.as('bytes'))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return { bytes, uses: await usesOf(db, kind, id) };
}

async function usesOf(db: Kysely<Database>, kind: Kind, id: string): Promise<number> {
  if (kind === 'chatbots') return 0;
  const { uses } = await db
    .selectFrom('agent_skills')
    .select(({ fn }) => fn.countAll().as('uses'))
    .where(kind === 'skills' ? 'skill_id' : 'agent_id', '=', id)
    .executeTakeFirstOrThrow();
  return Number(uses);
}
