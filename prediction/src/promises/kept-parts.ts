import type { AnswerPart } from '../io/answer-part.js';
import type { PromiseMemory } from './promise-memory.js';

/** The bytes that wait for their promises. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The time for which rows wait for others, in milliseconds: few may be all that their sender sends before an answer. */
const PATIENCE = { few: 5, many: 100 };
const FEW = 64;

/**
 * Holds the parts of an answer back until the promises of their rows are handed over, so that these can be stored
 * before any row is sent. A batch is as large as it may be, since to store one costs about the same as to store many.
 */
export class KeptParts {
  readonly #memory: PromiseMemory;
  #parts: AnswerPart[] = [];
  #bytes = 0;

  constructor(memory: PromiseMemory) {
    this.#memory = memory;
  }

  /** The time for which the rows that are held may wait for others, in milliseconds. */
  get patience(): number {
    return this.#memory.rows < FEW ? PATIENCE.few : PATIENCE.many;
  }

  *add(part: AnswerPart): Generator<AnswerPart> {
    this.#parts.push(part);
    if (part.kind === 'bytes') this.#bytes += part.bytes.length;
    if (this.#bytes >= MAX_BYTES) yield* this.flush();
  }

  /** Hands over the promises that were gathered, and then all parts. */
  *flush(): Generator<AnswerPart> {
    if (this.#memory.rows > 0) yield this.#memory.take();
    const parts = this.#parts;
    this.#parts = [];
    this.#bytes = 0;
    yield* parts;
  }
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
