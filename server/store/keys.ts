import type { Kysely, Selectable } from 'kysely';
import type { Scope } from '../contract/scopes.js';
import { type Parameter, PreparedQuery } from './database/prepared-query.js';
import type { Database } from './database/schema.js';

/** An API key of a caller; its times are ISO 8601, UTC. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** The owner of the resources that the key gives access to. */
  readonly owner: string;
  readonly scopes: readonly Scope[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
}

/** A key as it is stored: with the SHA-256 of its secret in hexadecimal, instead of the secret. */
export type KeptKey = ApiKey & { readonly hash: string };

const FIND = new PreparedQuery((db, parameter: Parameter<{ id: string }>) =>
  db.selectFrom('api_keys').selectAll().where('id', '=', parameter('id')),
);

export class KeyStore {
  /**
   * @param db finds the keys of callers
   * @param work runs all other queries
   */
  constructor(
    private readonly db: Kysely<Database>,
    private readonly work = db,
  ) {}

  async create(
    key: Pick<KeptKey, 'id' | 'name' | 'owner' | 'scopes' | 'expires_at' | 'hash'>,
  ): Promise<ApiKey> {
    const row = await this.work
      .insertInto('api_keys')
      .values({
        id: key.id,
        name: key.name,
        owner: key.owner,
        scopes: JSON.stringify(key.scopes),
        hash: key.hash,
        created_at: new Date().toISOString(),
        expires_at: key.expires_at,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return fromRow(row);
  }

  async find(id: string): Promise<KeptKey | undefined> {
    const row = await FIND.first(this.db, { id });
    return row && { ...fromRow(row), hash: row.hash };
  }

  /** Returns all keys of all owners, in order of creation. */
  async list(): Promise<ApiKey[]> {
    const rows = await this.work
      .selectFrom('api_keys')
      .selectAll()
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(fromRow);
  }

  /** Revokes a key permanently; returns whether an unrevoked key existed. */
  async revoke(id: string): Promise<boolean> {
    const { numUpdatedRows } = await this.work
      .updateTable('api_keys')
      .set({ revoked_at: new Date().toISOString() })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Records the last use of a key. Times may be recorded in any order; the latest one is kept. */
  async noteUse(id: string, moment: string): Promise<void> {
    await this.work
      .updateTable('api_keys')
      .set({ last_used_at: moment })
      .where('id', '=', id)
      .where(({ or, eb }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<', moment)]))
      .execute();
  }

  /** Returns whether any key exists or ever existed; revoked and expired keys count. */
  async exist(): Promise<boolean> {
    const any = await this.db.selectFrom('api_keys').select('id').limit(1).executeTakeFirst();
    return any !== undefined;
  }
}

function fromRow({ hash: _, scopes, ...key }: Selectable<Database['api_keys']>): ApiKey {
  return { ...key, scopes: JSON.parse(scopes) };
}
