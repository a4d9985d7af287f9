/**
 * A queue in which owners take turns, in the order in which they came; so do the items of each
 * owner.
 */
export class FairQueue<T> {
  readonly #byOwner = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(owner: string, item: T): void {
    this.#size += 1;
    const items = this.#byOwner.get(owner);
    if (items) items.push(item);
    else this.#byOwner.set(owner, [item]);
  }

  /**
   * Returns an item to the queue after its turn: behind all other owners, and before its owner's
   * other items.
   */
  requeue(owner: string, item: T): void {
    this.#size += 1;
    const items = this.#byOwner.get(owner) ?? [];
    items.unshift(item);
    this.#byOwner.delete(owner);
    this.#byOwner.set(owner, items);
  }

  /**
   * Removes the next item; its owner's next item waits until all other owners have had a turn.
   * @param mayTake skips the owners for whom it returns false
   */
  take(mayTake: (owner: string) => boolean = () => true): T | undefined {
    for (const [owner, items] of this.#byOwner) {
      if (!mayTake(owner)) continue;
      this.#byOwner.delete(owner);
      const item = items.shift();
      if (items.length > 0) this.#byOwner.set(owner, items);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }

  remove(owner: string, item: T): void {
    const items = this.#byOwner.get(owner) ?? [];
    const index = items.indexOf(item);
    if (index === -1) return;
    items.splice(index, 1);
    if (items.length === 0) this.#byOwner.delete(owner);
    this.#size -= 1;
  }

  sizeOf(owner: string): number {
    return this.#byOwner.get(owner)?.length ?? 0;
  }

  hasOthers(owner: string): boolean {
    return this.#byOwner.size > (this.#byOwner.has(owner) ? 1 : 0);
  }
}
