import { SCOPES, type Scope } from '../../contract/scopes.js';
import { LOCAL_OWNER } from '../../server/auth/caller.js';
import { createKey } from '../../server/auth/secrets.js';
import { keepKey } from '../../server/projects/keys.js';
import { Store } from '../../server/store/index.js';
import type { KeyLimits } from '../../server/store/key-limits.js';
import { revokeKey } from '../../server/store/keys.js';

/** The keys of the callers in the tests. */
export interface Keys {
  /** A key with every scope, for the owner of the tests' projects. */
  own: string;
  /** Keys of the same owner with one scope each. */
  read: string;
  write: string;
  predict: string;
  ask: string;
  operate: string;
  keys: string;
  /** A key with every scope, for another owner. */
  stranger: string;
  /** A revoked key of the first owner. */
  revoked: string;
  /** A key with every scope, for an owner who has only the contract's examples. */
  exemplary: string;
}

/** A `RATE_LIMIT` that no test reaches; answers still have its headers. */
export const ENOUGH = '1000000';

/** Keys for the mock, which accepts any key. */
export const MOCK_KEYS: Keys = {
  own: 'roster_mock_key',
  read: 'roster_mock_key',
  write: 'roster_mock_key',
  predict: 'roster_mock_key',
  ask: 'roster_mock_key',
  operate: 'roster_mock_key',
  keys: 'roster_mock_key',
  stranger: 'roster_mock_key',
  revoked: 'roster_mock_key',
  exemplary: 'roster_mock_key',
};

interface KeyOptions {
  name: string;
  /** The owner; by default the local one. */
  owner?: string | undefined;
  /** The scopes; all of them by default. */
  scopes?: readonly Scope[];
  limits?: KeyLimits;
  /** The name of the only project that it sees; all by default. */
  project?: string;
}

/** @param owner the owner of all keys but the stranger's; by default the local owner */
export function makeKeys(databaseUrl: string, owner?: string): Promise<Keys> {
  return onStore(databaseUrl, async (store) => {
    const create = (name: string, ...scopes: Scope[]) =>
      createIn(store, { name, owner, ...(scopes.length > 0 ? { scopes } : {}) });
    const keys = {
      own: await create('own'),
      revoked: await create('revoked'),
      read: await create('read', 'read'),
      write: await create('write', 'write'),
      predict: await create('predict', 'predict'),
      ask: await create('ask', 'ask'),
      operate: await create('operate', 'operate'),
      keys: await create('keys', 'keys'),
      stranger: await createIn(store, { name: 'stranger', owner: 'stranger' }),
      exemplary: await createIn(store, { name: 'exemplary', owner: 'exemplary' }),
    };
    await revokeKey(store, `${keys.revoked.split('_')[1]}`);
    return keys;
  });
}

export function makeKey(databaseUrl: string, options: KeyOptions): Promise<string> {
  return onStore(databaseUrl, (store) => createIn(store, options));
}

async function createIn(
  store: Store,
  { name, owner = LOCAL_OWNER, scopes = SCOPES, limits, project }: KeyOptions,
): Promise<string> {
  const { text, id, hash } = createKey();
  const key = { id, name, owner, scopes, expires_at: null, hash, ...(limits && { limits }) };
  await keepKey(store, key, project);
  return text;
}

async function onStore<T>(databaseUrl: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await Store.open(databaseUrl);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
