import type { PromisePart } from '../../../prediction/src/predicting.js';
import type { Store } from '../../store/index.js';
import type { AnswerProgress } from '../predictions/prediction-pool.js';
import { addPromises, type RememberedAnswer } from './promise-rows.js';

/** The batches that wait for another to be stored. They are stored together. */
const MAX_WAITING = 2;

type Part = Exclude<AnswerProgress, PromisePart>;

/**
 * Stores the promises of an answer, and passes on its other parts: no row is sent before its promise is stored. While
 * some are stored, the next rows are predicted.
 *
 * @throws what `addPromises` does, and the error of the parts
 */
export async function* storeAhead(
  store: Store,
  answer: RememberedAnswer,
  parts: AsyncGenerator<AnswerProgress>,
): AsyncGenerator<Part> {
  /** The parts that wait, and the number of rows that must be stored before each. */
  const held: { readonly part: Part; readonly rows: number }[] = [];
  let [answered, stored] = [0, 0];
  let waiting: PromisePart[] = [];
  let storing: Promise<void> | undefined;
  const storeBatches = async (batches: readonly PromisePart[]) => {
    await addPromises(store, answer, batches);
    stored += batches.reduce((sum, { rows }) => sum + rows, 0);
    storing = undefined;
  };
  let next: Promise<IteratorResult<AnswerProgress>> | undefined = parts.next();
  try {
    while (next || storing) {
      const isFull: boolean = waiting.length >= MAX_WAITING;
      const events = [storing, isFull ? undefined : next].filter((event) => event !== undefined);
      const event = await Promise.race(events);
      if (event?.done) next = undefined;
      else if (event) {
        const { value } = event;
        next = parts.next();
        if (value.kind === 'promises') waiting.push(value);
        else if (value.kind === 'progress') yield value;
        else {
          if (value.kind === 'bytes') answered += value.rows;
          held.push({ part: value, rows: answered });
        }
      }
      if (!storing && waiting.length > 0) {
        storing = storeBatches(waiting);
        waiting = [];
        // The next look at it throws.
        storing.catch(() => {});
      }
      for (let [first] = held; first && first.rows <= stored; [first] = held) {
        held.shift();
        yield first.part;
      }
    }
  } finally {
    // A part that is still to come may take long, as the body may.
    next?.catch(() => {});
    parts.return(undefined).catch(() => {});
  }
}
