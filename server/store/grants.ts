import type { Insertable, Selectable } from 'kysely';
import type { Scope } from '../../contract/scopes.js';
import { type Parameter, PreparedQuery } from './database/dialect.js';
import type { Database } from './database/schema.js';
import { describeRows } from './forget-rows.js';
import type { Store } from './index.js';

type GrantRow = Selectable<Database['oauth_grants']>;

/** The consent of the holder of a key to a client of OAuth. */
export type Grant = Omit<GrantRow, 'scopes' | 'access_until' | 'valid_until'> & {
  readonly scopes: readonly Scope[];
  /** In milliseconds since 1970. */
  readonly access_until: number;
  readonly valid_until: number;
};

export type NewGrant = Omit<Insertable<Database['oauth_grants']>, 'scopes' | 'valid_until'> & {
  readonly scopes: readonly Scope[];
  readonly valid_until: number;
};

/** The secrets that take the place of others, and their ends: milliseconds since 1970. */
export interface Tokens {
  readonly access_hash: string;
  readonly refresh_hash: string;
  readonly access_until: number;
  readonly valid_until: number;
}

/** The most consents that are kept for a key; the oldest one makes room for the next. */
const MAX_GRANTS = 100;

const FIND = new PreparedQuery((db, parameter: Parameter<{ id: string }>) =>
  db.selectFrom('oauth_grants').selectAll().where('id', '=', parameter('id')),
);

/** Finds a consent, unless it has ended. */
export async function findGrant(store: Store, id: string): Promise<Grant | undefined> {
  const row = await FIND.first(store.keyReads, { id });
  if (!row || Date.now() >= Number(row.valid_until)) return undefined;
  const [access_until, valid_until] = [Number(row.access_until), Number(row.valid_until)];
  return { ...row, access_until, valid_until, scopes: JSON.parse(row.scopes) };
}

export async function isGranted(store: Store, id: string): Promise<boolean> {
  return (await findGrant(store, id)) !== undefined;
}

/** Keeps a consent, and drops the oldest ones of the key beyond the limit; to be called in a transaction. */
export async function insertGrant({ work }: Store, grant: NewGrant): Promise<void> {
  await work
    .insertInto('oauth_grants')
    .values({ ...grant, scopes: JSON.stringify(grant.scopes) })
    .execute();
  const kept = await work
    .selectFrom('oauth_grants')
    .select('id')
    .where('key_id', '=', grant.key_id)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  for (const { id } of kept.slice(MAX_GRANTS)) await deleteGrant({ work }, id);
}

/**
 * Puts tokens in the place of a secret that is good once. Of several who use it at once, one succeeds.
 * @param secret the hash of the code, or of the refresh token
 * @returns whether the secret was good
 */
export async function replaceSecret(
  { work }: Store,
  id: string,
  secret: { readonly code: string } | { readonly refresh: string },
  tokens: Tokens,
): Promise<boolean> {
  const own = work.updateTable('oauth_grants').set(tokens).where('id', '=', id).where('valid_until', '>', Date.now());
  const { numUpdatedRows } = await ('code' in secret
    ? own.where('code_hash', '=', secret.code).where('refresh_hash', 'is', null)
    : own.where('refresh_hash', '=', secret.refresh)
  ).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a consent, with its code and its tokens. */
export async function deleteGrant({ work }: Pick<Store, 'work'>, id: string): Promise<void> {
  await work.deleteFrom('oauth_grants').where('id', '=', id).execute();
}

/** Consents that have ended: their age is counted from there. */
export const ENDED_GRANTS = describeRows('oauth_grants', {
  name: 'consents',
  key: ['id'],
  since: 'valid_until',
  batch: 1000,
});
