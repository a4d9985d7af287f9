import { type Selectable, type SqlBool, sql } from 'kysely';
import type { Scope } from '../../contract/scopes.js';
import { getDialect, type Parameter, PreparedQuery } from './database/dialect.js';
import type { Database } from './database/schema.js';
import type { Store } from './index.js';
import type { KeyLimits } from './key-limits.js';
import { limitReached } from './quota.js';
import type { Page } from './rows.js';

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
  Partial<Pick<KeptKey, 'limits' | 'project_id' | 'made_by'>>;

/** A key with the name of the project that it is for, if that exists. */
export type ListedKey = ApiKey & { readonly project: string | null };

const FIND = new PreparedQuery((db, parameter: Parameter<{ id: string }>) =>
  db.selectFrom('api_keys').selectAll().where('id', '=', parameter('id')),
);

/** The most keys of an owner that are not revoked, and the most revoked ones that are kept. */
const MAX_KEYS = 1000;

/** Makes those who make and revoke keys of an owner wait for each other, until the end of the transaction. */
export function lockKeys({ work }: Store, owner: string): Promise<void> {
  return getDialect(work).lock(work, JSON.stringify(['keys', owner]));
}

/** @throws {ProblemError} if the owner has too many keys. To be called in a transaction that has locked them. */
export async function makeRoomForKey({ work }: Store, owner: string): Promise<void> {
  const own = work.selectFrom('api_keys').where('owner', '=', owner);
  const { count } = await own
    .select(({ fn }) => fn.countAll().as('count'))
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_KEYS) {
    throw limitReached(
      `The owner ${JSON.stringify(owner)} has ${MAX_KEYS} keys, the most that there may be; revoke some.`,
    );
  }
  const revoked = own.select('id').where('revoked_at', 'is not', null);
  const kept = revoked.orderBy('revoked_at', 'desc').orderBy('id').limit(MAX_KEYS);
  await work.deleteFrom('api_keys').where('id', 'in', revoked).where('id', 'not in', kept).execute();
}

export async function insertKey(store: Store, { scopes, limits = null, ...key }: NewKey): Promise<ApiKey> {
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

/** Sees the keys of its owner; those of one project alone, if it is for one. */
interface Manager {
  readonly owner: string;
  readonly projectId?: string;
}

/** Returns all keys of all owners, in order of creation. */
export async function listKeys(store: Store): Promise<ListedKey[]> {
  return fromListed(await selectListed(store).execute());
}

/** An entry of a list of keys. Its `id` is its place in the list, in the form of a UUID, as pages need it. */
interface KeyEntry {
  readonly id: string;
  readonly key: ListedKey;
}

/** Returns the keys that a manager of keys sees, in order of creation: no revoked ones. */
export async function listManagedKeys(store: Store, manager: Manager, { limit, after }: Page): Promise<KeyEntry[]> {
  let keys = selectManaged(store, manager);
  if (after !== undefined) {
    const { createdAt, begin } = readPlace(after);
    keys = keys.where(
      sql<SqlBool>`(api_keys.created_at > ${createdAt}
        or api_keys.created_at = ${createdAt} and substr(api_keys.id, 1, ${sql.lit(PLACE_LETTERS)}) > ${begin})`,
    );
  }
  const rows = await (limit === undefined ? keys : keys.limit(limit)).execute();
  return fromListed(rows).map((key) => ({ id: writePlace(key), key }));
}

/** The characters of a random id that a place has beside the 6 bytes of a time: together as many as a UUID. */
const PLACE_LETTERS = 10;

/**
 * Writes the place of a key in a list: its time of creation in milliseconds, and the beginning of its id. Other than
 * the id alone, it can be compared when the key has gone.
 */
function writePlace({ created_at, id }: Pick<ApiKey, 'created_at' | 'id'>): string {
  const time = Date.parse(created_at).toString(16).padStart(12, '0');
  const digits = time + Buffer.from(id.slice(0, PLACE_LETTERS)).toString('hex');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function readPlace(place: string): { readonly createdAt: string; readonly begin: string } {
  const digits = place.replaceAll('-', '');
  const begin = Buffer.from(digits.slice(12), 'hex').toString('latin1');
  return {
    createdAt: new Date(Number.parseInt(digits.slice(0, 12), 16)).toISOString(),
    // A cursor that no answer had may hold bytes that PostgreSQL takes in no text.
    begin: /^[0-9A-Za-z]*$/.test(begin) ? begin : '',
  };
}

/** Finds a key among those that a manager of keys sees. */
export async function findManagedKey(store: Store, manager: Manager, id: string): Promise<ListedKey | undefined> {
  const [key] = fromListed(await selectManaged(store, manager).where('api_keys.id', '=', id).execute());
  return key;
}

function selectListed({ work }: Store) {
  return work
    .selectFrom('api_keys')
    .leftJoin('projects', 'projects.id', 'api_keys.project_id')
    .selectAll('api_keys')
    .select('projects.name as project')
    .orderBy('api_keys.created_at')
    .orderBy('api_keys.id');
}

function selectManaged(store: Store, { owner, projectId }: Manager) {
  const own = selectListed(store).where('api_keys.owner', '=', owner).where('api_keys.revoked_at', 'is', null);
  return projectId === undefined ? own : own.where('api_keys.project_id', '=', projectId);
}

function fromListed(rows: readonly (KeyRow & { project: string | null })[]): ListedKey[] {
  return rows.map(({ project, ...row }) => ({ ...fromRow(row), project }));
}

/**
 * Revokes a key permanently, and the keys that were made with it, and theirs.
 * @param keepsMade whether those stay, as made by the one that made this one
 * @returns whether an unrevoked key existed
 */
export function revokeKey(store: Store, id: string, keepsMade = false): Promise<boolean> {
  return store.transaction(async (tx) => {
    const { work } = tx;
    const key = await findKey(tx, id);
    if (!key) return false;
    await lockKeys(tx, key.owner);
    const revoked_at = new Date().toISOString();
    const { numUpdatedRows } = await work
      .updateTable('api_keys')
      .set({ revoked_at })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    if (keepsMade) {
      // Read again, as it may have changed before the lock.
      const made_by = (await findKey(tx, id))?.made_by ?? null;
      await work.updateTable('api_keys').set({ made_by }).where('made_by', '=', id).execute();
      return true;
    }
    await work
      .withRecursive('made', (db) =>
        db
          .selectFrom('api_keys')
          .select('id')
          .where('made_by', '=', id)
          .union(db.selectFrom('api_keys').innerJoin('made', 'made.id', 'api_keys.made_by').select('api_keys.id')),
      )
      .updateTable('api_keys')
      .set({ revoked_at })
      .where('revoked_at', 'is', null)
      .where('id', 'in', (db) => db.selectFrom('made').select('made.id'))
      .execute();
    return true;
  });
}

/**
 * Gives a key another secret, if it was not used yet; to be called in a transaction that has locked the keys.
 * @returns whether it has the other one
 */
export async function replaceKeyHash({ work }: Store, id: string, hash: string): Promise<boolean> {
  const { numUpdatedRows } = await work
    .updateTable('api_keys')
    .set({ hash })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where('last_used_at', 'is', null)
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
  return { ...key, scopes: JSON.parse(scopes), limits: limits === null ? null : JSON.parse(limits) };
}
