import { deserialize, serialize } from 'node:v8';
import type { PromisedIds } from 'roster-prediction/predicting';

/** A body of truths, and the ids of promises among which theirs are looked for, as `readActuals` reads them. */
export interface TruthInput {
  readonly body: AsyncIterable<Uint8Array>;
  readonly promised: AsyncIterable<PromisedIds>;
}

/** Stands behind the body. */
const END = new Uint8Array();

/** Joins a body of pieces that are not empty and promised ids to the input of a job. */
export async function* joinTruthInput({ body, promised }: TruthInput): AsyncGenerator<Uint8Array> {
  yield* body;
  yield END;
  for await (const ids of promised) yield serialize(ids);
}

/** Splits the input of a job again. */
export function splitTruthInput(input: AsyncIterable<Uint8Array>): TruthInput {
  const pieces = input[Symbol.asyncIterator]();
  let isOver = false;
  async function* body() {
    while (!isOver) {
      const { done, value } = await pieces.next();
      isOver = done === true || value.length === 0;
      if (!isOver && value) yield value;
    }
  }
  async function* promised() {
    // A file may end before its body does.
    for await (const _ of body());
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
      const ids: PromisedIds = deserialize(next.value);
      yield ids;
    }
  }
  return { body: body(), promised: promised() };
}
