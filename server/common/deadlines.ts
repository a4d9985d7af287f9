/**
 * Calls back for whatever takes longer than a time that is the same for all. The first to begin is due first, so one
 * timer serves all: one for each request would cost as much as the validation of it. It keeps no process alive.
 */
export class Deadlines<T> {
  /** When each began, in that order, as given by `performance.now()`. */
  readonly #begun = new Map<T, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param ms the time, in milliseconds */
  constructor(
    private readonly ms: number,
    private readonly expire: (item: T) => void,
  ) {}

  begin(item: T): void {
    this.#begun.delete(item);
    this.#begun.set(item, performance.now());
    this.#timer ??= setTimeout(this.#look, this.ms).unref();
  }

  /** Returns whether the item had begun, and has neither ended nor been called back for. */
  end(item: T): boolean {
    return this.#begun.delete(item);
  }

  has(item: T): boolean {
    return this.#begun.has(item);
  }

  #wait(ms: number): void {
    this.#timer ??= setTimeout(this.#look, ms).unref();
  }

  readonly #look = (): void => {
    this.#timer = undefined;
    const now = performance.now();
    for (const [item, begun] of this.#begun) {
      const left = begun + this.ms - now;
      if (left > 0) {
        this.#wait(left);
        return;
      }
      try {
        this.expire(item);
      } catch (error) {
        // Others must not wait for it.
        this.#wait(0);
        throw error;
      } finally {
        this.#begun.delete(item);
      }
    }
  };
}
