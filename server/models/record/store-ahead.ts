import type { PromisePart } from '../../../prediction/src/predicting.js';
import type { Store } from '../../store/index.js';
import { addPromises, type RememberedAnswer } from './promise-rows.js';

/**
 * Stores the promises of an answer, and passes on its other parts after the promises before them: no row is sent before
 * its promise is stored. While a batch is stored, the rows of the next are predicted.
 *
 * @throws what `addPromises` does, and the error of the parts
 */
export async function* storeAhead<Part extends { readonly kind: string }>(
  store: Store,
  answer: RememberedAnswer,
  parts: AsyncGenerator<Part | PromisePart>,
): AsyncGenerator<Part> {
  let storing: Promise<void> = Promise.resolve();
  let waiting: Part[] = [];
  let next = parts.next();
  try {
    for (;;) {
      if (waiting.length > 0) {
        const isStored = await Promise.race([storing.then(() => true), next.then(() => false)]);
        if (isStored) {
          const ready = waiting;
          waiting = [];
          yield* ready;
        }
      }
      const { done, value } = await next;
      if (done) break;
      if (isPromises(value)) {
        await storing;
        yield* waiting;
        waiting = [];
        storing = addPromises(store, answer, value);
        // The next look at it throws.
        storing.catch(() => {});
      } else waiting.push(value);
      next = parts.next();
    }
    await storing;
    yield* waiting;
  } finally {
    // A part that is still to come may take long, as the body may.
    next.catch(() => {});
    parts.return(undefined).catch(() => {});
  }
}

function isPromises(part: { readonly kind: string }): part is PromisePart {
  return part.kind === 'promises';
}
