/**
 * The time for which rows wait for others to be promised with them, in milliseconds: few may be all that their sender
 * sends before an answer. To store one batch costs about the same as to store another, however many rows it has.
 */
const PATIENCE = { few: 5, many: 100 };
const FEW = 64;

export function findPatience(rows: number): number {
  return rows < FEW ? PATIENCE.few : PATIENCE.many;
}

/** Stands between two items of which the second is late. */
export const PAUSE = Symbol('pause');

/**
 * Yields items, and `PAUSE` before each that is late.
 *
 * @param patience returns after which time an item is late, in milliseconds
 */
export async function* markPauses<T>(
  items: AsyncIterable<T>,
  patience: () => number,
): AsyncGenerator<T | typeof PAUSE> {
  const iterator = items[Symbol.asyncIterator]();
  let isWaiting = false;
  try {
    for (;;) {
      const next = iterator.next();
      isWaiting = true;
      if ((await Promise.race([next, pause(patience())])) === PAUSE) yield PAUSE;
      const { done, value } = await next;
      isWaiting = false;
      if (done) return;
      yield value;
    }
  } finally {
    // An item that is still to come may never do so.
    const ended = iterator.return?.();
    if (isWaiting) ended?.catch(() => {});
    else await ended;
  }
}

function pause(time: number): Promise<typeof PAUSE> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(PAUSE), time);
    timer.unref?.();
  });
}
