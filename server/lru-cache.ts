/** The most that a cache holds. */
interface Limits {
  readonly maxEntries?: number;
  /** The most that the sizes of the entries add up to. */
  readonly maxSize?: number;
}

interface Entry<V> {
  readonly value: V;
  readonly size: number;
}

/** Values by their keys. Where there are too many, the least recently used ones go. */
export class LruCache<V> {
  /** In the order of their last use: a `Map` keeps the order in which its keys were set. */
  readonly #entries = new Map<string, Entry<V>>();
  #size = 0;

  constructor(private readonly limits: Limits) {}

  /** Returns the value of a key, which counts as a use of it. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Keeps a value in place of the one that the key had. A value larger than the whole cache is not kept. */
  set(key: string, value: V, size = 0): void {
    const { maxEntries = Infinity, maxSize = Infinity } = this.limits;
    this.#delete(key);
    if (size > maxSize) return;
    this.#entries.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries && this.#size <= maxSize) return;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}
