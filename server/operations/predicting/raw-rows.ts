import type { PredictionJob, PredictionPool } from '../../predictions/prediction-pool.js';
import { type JobEvent, JobFault, type RunningJob } from '../../predictions/running-job.js';

/** The answer to a body, or the bytes of one that is not ordinary. */
type WholeAnswer = { readonly events: AsyncIterable<JobEvent> } | { readonly declined: Uint8Array };

/**
 * Answers a JSON body from its bytes, and waits for the first event, which tells whether it was
 * declined.
 */
export async function beginWhole(
  pool: PredictionPool,
  job: Omit<PredictionJob, 'body' | 'isWhole'>,
  pieces: Iterable<Uint8Array>,
): Promise<WholeAnswer> {
  const running = pool.run({ ...job, body: eachOf(pieces), isWhole: true });
  try {
    let first = await running.next();
    while (!first.done && first.value.kind === 'progress') first = await running.next();
    return { events: first.done ? running : resumed(first.value, running) };
  } catch (error) {
    if (error instanceof JobFault && error.fault.name === 'DeclinedError') {
      return { declined: Buffer.concat(error.fault.body) };
    }
    return { events: failed(error) };
  }
}

async function* resumed(first: JobEvent, rest: RunningJob): AsyncGenerator<JobEvent> {
  yield first;
  yield* rest;
}

/** Returns events that fail where the answer is read, as any other fault of it does. */
function failed(error: unknown): AsyncIterable<JobEvent> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) };
}

async function* eachOf(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** The size of a piece of written rows, in characters. */
const PIECE = 64 * 1024;

/** Writes rows as JSON, in pieces. */
export function* written(rows: readonly unknown[]): Generator<Uint8Array> {
  let text = '[';
  for (const [index, row] of rows.entries()) {
    text += index === 0 ? '' : ',';
    text += JSON.stringify(row);
    if (text.length < PIECE) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(`${text}]`);
}
