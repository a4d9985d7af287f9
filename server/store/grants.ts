import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Scope } from '../../contract/scopes.js';
import type { Sweep } from '../common/sweeps.js';
import { getDialect, type Parameter, PreparedQuery } from './database/dialect.js';
import type { Database } from './database/schema.js';
import { describeRows } from './forget-rows.js';
import type { Store } from './index.js';

type GrantRow = Selectable<Database['oauth_grants']>;

/** An access token of a consent. */
export interface AccessToken {
  readonly hash: string;
  /** In milliseconds since 1970. */
  readonly until: number;
  /** Those of the consent, or some of them. */
  readonly scopes: readonly Scope[];
}

/** The consent of the holder of a key to a client of OAuth. */
export type Grant = Omit<GrantRow, 'scopes' | 'access_until' | 'valid_until' | 'other_access' | 'refresh_since'> & {
  readonly scopes: readonly Scope[];
  /** In milliseconds since 1970. */
  readonly access_until: number;
  readonly valid_until: number;
  readonly other_access: readonly AccessToken[];
  /** In milliseconds since 1970; 0 if it is not known. */
  readonly refresh_since: number;
};

export type NewGrant = Omit<Insertable<Database['oauth_grants']>, 'scopes' | 'valid_until'> & {
  readonly scopes: readonly Scope[];
  readonly valid_until: number;
};

/** A refresh token that takes the place of a code, or of another one. */
export interface NewRefreshToken {
  readonly refresh_hash: string;
  readonly used_refresh_hash: string | null;
  readonly refresh_seed: string;
  /** In milliseconds since 1970. */
  readonly refresh_since: number;
  readonly valid_until: number;
}

/** The most consents that are kept for a key; the oldest one makes room for the next. */
const MAX_GRANTS = 100;

/** The most access tokens of a consent. A client gets fewer while one of them lives. */
const MAX_ACCESS_TOKENS = 40;

/** The age at which a refresh token needs no seed any more, in milliseconds: its races are over long before. */
const SEED_MS = 60_000;

/** The most seeds that a step of the sweep forgets. */
const SEEDS = 1000;

const rowOf = (db: Kysely<Database>, parameter: Parameter<{ id: string }>) =>
  db.selectFrom('oauth_grants').selectAll().where('id', '=', parameter('id'));

const FIND = new PreparedQuery(rowOf);

const LOCK: typeof FIND = new PreparedQuery((db, parameter) =>
  rowOf(db, parameter).$if(getDialect(db).locksRows, (query) => query.forUpdate()),
);

/** Finds a consent, unless it has ended. */
export async function findGrant(store: Store, id: string): Promise<Grant | undefined> {
  return readGrant(await FIND.first(store.keyReads, { id }));
}

/** Finds a consent as `findGrant` does, and locks it until the end of the current transaction. */
export async function lockGrant({ reads }: Store, id: string): Promise<Grant | undefined> {
  return readGrant(await LOCK.first(reads, { id }));
}

function readGrant(row: GrantRow | undefined): Grant | undefined {
  if (!row || Date.now() >= Number(row.valid_until)) return undefined;
  return {
    ...row,
    access_until: Number(row.access_until),
    valid_until: Number(row.valid_until),
    refresh_since: Number(row.refresh_since ?? 0),
    scopes: JSON.parse(row.scopes),
    other_access: JSON.parse(row.other_access),
  };
}

/** Lists the access tokens of a consent, also some that have expired. */
export function listAccessTokens({ access_hash: hash, access_until: until, scopes, other_access }: Grant) {
  return hash === null ? other_access : [{ hash, until, scopes }, ...other_access];
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
 * Gives a locked consent an access token, beside those that still live, and a refresh token if it gets another one.
 * `access_hash` has the newest token with all scopes: instances of releases that know no other token run beside this
 * one during an upgrade, and would give all scopes to any token.
 */
export async function addTokens(
  { work }: Store,
  grant: Grant,
  access: AccessToken,
  refresh?: NewRefreshToken,
): Promise<void> {
  const now = Date.now();
  const others = listAccessTokens(grant).filter(({ hash, until }) => until > now && hash !== access.hash);
  const hasAll = grant.scopes.every((scope) => access.scopes.includes(scope));
  const main = hasAll ? access : others.find(({ hash }) => hash === grant.access_hash);
  const rest = [...(hasAll ? [] : [access]), ...others.filter((one) => one !== main)];
  await work
    .updateTable('oauth_grants')
    .set({
      ...refresh,
      access_hash: main?.hash ?? null,
      access_until: main?.until ?? 0,
      other_access: JSON.stringify(rest.slice(0, MAX_ACCESS_TOKENS - 1)),
    })
    .where('id', '=', grant.id)
    .execute();
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

/** Forgets seeds that are no longer needed: a copy of the store with an older token then gives no current token. */
export function forgetSeeds({ work }: Pick<Store, 'work'>): Sweep {
  return {
    failure: 'old seeds of refresh tokens are not deleted yet',
    everyMs: SEED_MS,
    step: async () => {
      // By the clock of the instances, as `refresh_since` is.
      const before = Date.now() - SEED_MS;
      const old = await work
        .selectFrom('oauth_grants')
        .select('id')
        .where('refresh_seed', 'is not', null)
        .where('refresh_since', '<', before)
        .limit(SEEDS)
        .execute();
      if (old.length === 0) return false;
      const ids = old.map(({ id }) => id);
      await work
        .updateTable('oauth_grants')
        .set({ refresh_seed: null })
        .where('id', 'in', ids)
        .where('refresh_since', '<', before)
        .execute();
      return old.length === SEEDS;
    },
  };
}
