import { createKey } from '../../server/auth/api-key.js';
import { LOCAL_OWNER } from '../../server/auth/caller.js';
import { keepKey } from '../../server/auth/keep-key.js';
import { SCOPES, type Scope } from '../../server/contract/scopes.js';
import { Store } from '../../server/store/index.js';

/** The keys of those who call in the tests. */
export interface Keys {
  /** May do everything; whose projects the tests are about. */
  own: string;
  /** Of the same owner, each with one scope. */
  read: string;
  write: string;
  predict: string;
  operate: string;
  /** May do everything to the projects of another owner. */
  stranger: string;
  /** Of the same owner, but no longer good. */
  revoked: string;
  /** May do everything to the projects of an owner who has nothing but the contract's examples. */
  exemplary: string;
}

/** A `RATE_LIMIT` that no test reaches; the answers tell of it all the same. */
export const ENOUGH = '1000000';

/** To the mock, every key is as good. */
export const MOCK_KEYS: Keys = {
  own: 'roster_mock_key',
  read: 'roster_mock_key',
  write: 'roster_mock_key',
  predict: 'roster_mock_key',
  operate: 'roster_mock_key',
  stranger: 'roster_mock_key',
  revoked: 'roster_mock_key',
  exemplary: 'roster_mock_key',
};

/** What a key is made with. */
interface KeyOptions {
  name: string;
  /** The local owner, if none is named. */
  owner?: string | undefined;
  /** All of them, if none is named. */
  scopes?: readonly Scope[];
}

/** @param owner whose keys they are, but for the stranger's; without it, the local owner's */
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
      operate: await create('operate', 'operate'),
      stranger: await createIn(store, { name: 'stranger', owner: 'stranger' }),
      exemplary: await createIn(store, { name: 'exemplary', owner: 'exemplary' }),
    };
    await store.keys.revoke(`${keys.revoked.split('_')[1]}`);
    return keys;
  });
}

/** Makes one key, and gives it. */
export function makeKey(databaseUrl: string, options: KeyOptions): Promise<string> {
  return onStore(databaseUrl, (store) => createIn(store, options));
}

async function createIn(
  store: Store,
  { name, owner = LOCAL_OWNER, scopes = SCOPES }: KeyOptions,
): Promise<string> {
  const { text, id, hash } = createKey();
  await keepKey(store, { id, name, owner, scopes, expires_at: null, hash });
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
