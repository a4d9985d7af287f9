/**
 * The store of a `*.stores.test.ts`: SQLite in `npm test`, and PostgreSQL in `npm run test:rest`, which runs a
 * `*.stores.rest.test.ts` on both.
 */
import { inject } from 'vitest';
import { postgresShop, type Shop, sqliteShop } from '../testkit/databases/shop.js';
import { type OwnStore, ownStore } from '../testkit/store/own-store.js';
import type { Target } from './target.js';

/** The store of the service that the project's tests share. In `unit`, they share none. */
const target: Target | undefined = inject('target');
const databaseUrl = target?.databaseUrl;

export const ON_POSTGRES = databaseUrl?.startsWith('postgres') ?? false;

/** Creates an empty store, of which a test file knows that nobody else writes to it. */
export function testedStore(): Promise<OwnStore> {
  return ownStore(databaseUrl);
}

/** Creates the database of a shop, of the same kind. */
export function testedShop(): Promise<Shop> {
  return ON_POSTGRES ? postgresShop() : sqliteShop();
}
