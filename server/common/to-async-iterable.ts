export interface Sink<T> {
  /** Resolves when there is room for another item, or when the reader has left. */
  push(item: T): Promise<void>;
  /** Adds an item that says something only to a reader who waits; otherwise drops it. */
  offer(item: T): void;
}

/**
 * Returns the items that some work pushes, for a reader who pulls them. The work begins with the first
 * pull, and waits for the reader.
 * @param work gets a signal that aborts with `signal`, and when the reader leaves early; the reader
 *   waits until it has ended
 * @param maxWaiting the most items that wait for the reader
 * @throws the error of the work, or the reason of `signal`
 */
export async function* toAsyncIterable<T>(
  work: (sink: Sink<T>, signal: AbortSignal) => Promise<void>,
  { signal, maxWaiting = 1 }: { readonly signal: AbortSignal; readonly maxWaiting?: number },
): AsyncGenerator<T, undefined> {
  signal.throwIfAborted();
  const over = new AbortController();
  const items: T[] = [];
  let outcome: { readonly error?: unknown } | undefined;
  // At most one of the reader and the work waits.
  let wake = () => {};
  const wait = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  const stop = (reason: unknown) => {
    over.abort(reason);
    wake();
  };
  const forward = () => stop(signal.reason);
  const sink: Sink<T> = {
    push: async (item) => {
      items.push(item);
      wake();
      while (items.length >= maxWaiting && !over.signal.aborted) await wait();
    },
    offer: (item) => {
      if (items.length > 0) return;
      items.push(item);
      wake();
    },
  };
  signal.addEventListener('abort', forward, { once: true });
  const working = work(sink, over.signal)
    .then(
      () => {
        outcome = {};
      },
      (error: unknown) => {
        outcome = { error };
      },
    )
    .then(() => wake());
  try {
    for (;;) {
      signal.throwIfAborted();
      const [item] = items;
      if (item !== undefined) {
        items.shift();
        wake();
        yield item;
      } else if (outcome) {
        if ('error' in outcome) throw outcome.error;
        return undefined;
      } else {
        await wait();
      }
    }
  } finally {
    signal.removeEventListener('abort', forward);
    stop(undefined);
    await working;
  }
}
