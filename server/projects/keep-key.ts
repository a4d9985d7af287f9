import { LOCAL_OWNER } from '../auth/caller.js';
import type { Store } from '../store/index.js';
import { insertKey, type NewKey } from '../store/keys.js';
import { beginOwner } from './projects.js';

/** Keeps a new key, in a transaction. Its owner begins with it, unless there is one by that name. */
export function keepKey(store: Store, key: NewKey): Promise<void> {
  return store.transaction(async (tx) => {
    // The local owner has had theirs since the store was made.
    if (key.owner !== LOCAL_OWNER) await beginOwner(tx, key.owner);
    await insertKey(tx, key);
  });
}
