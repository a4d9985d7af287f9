import type { Store } from '../store/index.js';
import { LOCAL_OWNER } from './caller.js';

/** Keeps a new key, in a transaction. Its owner begins with it, unless there is one by that name. */
export function keepKey(store: Store, key: Parameters<Store['keys']['create']>[0]): Promise<void> {
  return store.transaction(async ({ keys, projects }) => {
    // The local owner has had theirs since the store was made.
    if (key.owner !== LOCAL_OWNER) await projects.beginOwner(key.owner);
    await keys.create(key);
  });
}
