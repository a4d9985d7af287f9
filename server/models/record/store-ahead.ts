import type { RememberedPart } from 'roster-prediction/predicting';
import type { AnswerProgress } from '../predictions/prediction-pool.js';
import type { RememberedAnswer } from './promise-rows.js';

type Part = Exclude<AnswerProgress, RememberedPart>;

type Pulled = IteratorResult<AnswerProgress, undefined>;

/**
 * Stores the promises of an answer, and passes on its other parts: no row is sent before its promise is stored. While
 * some are stored, the next rows are predicted.
 *
 * @throws what `store` does, and the error of the parts
 */
export async function* storeAhead(
  answer: RememberedAnswer,
  parts: AsyncGenerator<AnswerProgress, undefined>,
  store: (answer: RememberedAnswer, batches: readonly RememberedPart[]) => Promise<void>,
): AsyncGenerator<Part> {
  /** The parts that wait, and the number of rows that must be stored before each. */
  const held: { readonly part: Part; readonly rows: number }[] = [];
  let [answered, stored] = [0, 0];
  /** The batches that are stored next, and whether all of them have come. */
  let batches: RememberedPart[] = [];
  let isReady = false;
  let storing: Promise<undefined> | undefined;
  const storeBatches = async (ready: readonly RememberedPart[]) => {
    await store(answer, ready);
    stored += ready.reduce((sum, { rows }) => sum + rows, 0);
    storing = undefined;
    return undefined;
  };
  const pull = () => {
    const pulled = parts.next();
    // The next look at it throws.
    pulled.catch(() => {});
    return pulled;
  };
  let next: Promise<Pulled> | undefined = pull();
  try {
    while (next || storing) {
      const awaited: readonly (Promise<Pulled | undefined> | undefined)[] = [storing, isReady ? undefined : next];
      const settled = await Promise.race(awaited.filter((promise) => promise !== undefined));
      if (settled?.done) next = undefined;
      else if (settled) {
        const { value } = settled;
        next = pull();
        if (value.kind === 'promises') {
          batches.push(value);
          isReady = !value.hasNext;
        } else if (value.kind === 'progress') yield value;
        else {
          if (value.kind === 'bytes') answered += value.rows;
          held.push({ part: value, rows: answered });
        }
      }
      if (!storing && isReady) {
        storing = storeBatches(batches);
        batches = [];
        isReady = false;
        storing.catch(() => {});
      }
      for (let [first] = held; first && first.rows <= stored; [first] = held) {
        held.shift();
        yield first.part;
      }
    }
  } finally {
    // A part that is still to come may take long, as the body may.
    parts.return(undefined).catch(() => {});
  }
}
