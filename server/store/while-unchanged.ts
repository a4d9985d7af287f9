import { LruCache } from '../common/lru-cache.js';
import type { Store } from './index.js';

const MAX_KNOWN = 10_000;

/** Answers of the store that are kept while nothing in it changes. On PostgreSQL, which cannot tell, none is. */
export class WhileUnchanged<T extends object> {
  /** With the mark that the store bore. */
  readonly #known = new LruCache<{ readonly mark: object; readonly found: T }>({
    maxEntries: MAX_KNOWN,
  });

  constructor(private readonly store: Store) {}

  /** Returns what the store has for a key; undefined is asked for again. */
  get<F extends T | undefined>(key: string, find: () => Promise<F>): T | Promise<F> {
    const mark = this.store.mark();
    const known = this.#known.get(key);
    if (known !== undefined && known.mark === mark) return known.found;
    return find().then((found) => {
      if (found !== undefined && mark !== undefined) this.#known.set(key, { mark, found });
      return found;
    });
  }
}
