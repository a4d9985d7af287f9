import type { Store } from '../store/index.js';
import { LOCAL_OWNER } from './caller.js';

/** Keeps a new key. Its owner begins with it, unless there is one by that name. */
export async function keepKey(
  { keys, projects }: Store,
  key: Parameters<Store['keys']['create']>[0],
): Promise<void> {
  // The local owner has had theirs since the store was made.
  if (key.owner !== LOCAL_OWNER) await projects.beginOwner(key.owner);
  await keys.create(key);
}
