import type { Selectable } from 'kysely';
import type { KeyLimits } from '../contract/key-limits.js';
import type { Scope } from '../contract/scopes.js';
import { type Parameter, PreparedQuery } from './database/dialect.js';
import type { Database } from './database/schema.js';
import type { Store } from './index.js';

type KeyRow = Selectable<Database['api_keys']>;

/** An API key of a caller; its times are ISO 8601, UTC. */
export type ApiKey = Omit<KeyRow, 'scopes' | 'limits' | 'hash'> & {
  readonly scopes: readonly Scope[];
  /** Null if it has none. */
  readonly limits: KeyLimits | null;
};

/** A key as it is stored: with the SHA-256 of its secret in hexadecimal, instead of the secret. */
export type KeptKey = ApiKey & { readonly hash: string };

export type NewKey = Pick<KeptKey, 'id' | 'name' | 'owner' | 'scopes' | 'expires_at' | 'hash'> &
  Partial<Pick<KeptKey, 'limits' | 'project_id'>>;

const FIND = new PreparedQuery((db, parameter: Parameter<{ id: string }>) =>
  db.selectFrom('api_keys').selectAll().where('id', '=', parameter('id')),
);

export async function insertKey(
  store: Store,
  { scopes, limits = null, ...key }: NewKey,
): Promise<ApiKey> {
  const row = await store.work
    .insertInto('api_keys')
    .values({
      ...key,
      scopes: JSON.stringify(scopes),
      limits: limits && JSON.stringify(limits),
      created_at: new Date().toISOString(),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return fromRow(row);
}

export async function findKey(store: Store, id: string): Promise<KeptKey | undefined> {
  const row = await FIND.first(store.keyReads, { id });
  return row && { ...fromRow(row), hash: row.hash };
}

/** Returns all keys of all owners, in order of creation, with the names of the projects that they are for. */
export async function listKeys(store: Store): Promise<(ApiKey & { project: string | null })[]> {
  const rows = await store.work
    .selectFrom('api_keys')
    .leftJoin('projects', 'projects.id', 'api_keys.project_id')
    .selectAll('api_keys')
    .select('projects.name as project')
    .orderBy('api_keys.created_at')
    .orderBy('api_keys.id')
    .execute();
  return rows.map(({ project, ...row }) => ({ ...fromRow(row), project }));
}

/** Revokes a key permanently; returns whether an unrevoked key existed. */
export async function revokeKey(store: Store, id: string): Promise<boolean> {
  const { numUpdatedRows } = await store.work
    .updateTable('api_keys')
    .set({ revoked_at: new Date().toISOString() })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Records the last use of a key. Times may be recorded in any order; the latest one is kept. */
export async function noteKeyUse(store: Store, id: string, moment: string): Promise<void> {
  await store.work
    .updateTable('api_keys')
    .set({ last_used_at: moment })
    .where('id', '=', id)
    .where(({ or, eb }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<', moment)]))
    .execute();
}

/** Returns whether any key exists or ever existed; revoked and expired keys count. */
export async function hasKeys(store: Store): Promise<boolean> {
  const any = await store.keyReads.selectFrom('api_keys').select('id').limit(1).executeTakeFirst();
  return any !== undefined;
}

function fromRow({ hash: _, scopes, limits, ...key }: KeyRow): ApiKey {
  return {
    ...key,
    scopes: JSON.parse(scopes),
    limits: limits === null ? null : JSON.parse(limits),
  };
}
