import {
  type AnswerProgress,
  type PredictionPool,
  type PredictionRequest,
  RowsFaultError,
} from './prediction-pool.js';

/** The events of an answer, or undefined if the body is not ordinary: then it is to be read as a whole. */
type WholeAnswer = AsyncIterable<AnswerProgress> | undefined;

/**
 * Answers a JSON body from its bytes, and waits for the first event, which tells whether it was
 * declined.
 * @param onRead called when the body was read, and may be freed
 */
export async function answerWhole(
  pool: PredictionPool,
  request: Omit<PredictionRequest, 'body' | 'isWhole'>,
  pieces: Iterable<Uint8Array>,
  onRead: () => void = () => {},
): Promise<WholeAnswer> {
  const events = pool.answer({ ...request, body: eachOf(pieces), isWhole: true });
  try {
    let first = await events.next();
    while (!first.done && first.value.kind === 'progress') first = await events.next();
    if (first.done) return events;
    onRead();
    return prepend(first.value, events);
  } catch (error) {
    if (error instanceof RowsFaultError && error.fault.name === 'DeclinedError') return undefined;
    return rejectOnRead(error);
  }
}

async function* prepend(
  first: AnswerProgress,
  rest: AsyncGenerator<AnswerProgress>,
): AsyncGenerator<AnswerProgress> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** Returns events that fail where the answer is read, as any other fault of it does. */
function rejectOnRead(error: unknown): AsyncIterable<AnswerProgress> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) };
}

async function* eachOf(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** The size of a piece of written rows, in characters. */
const PIECE = 64 * 1024;

/** Writes rows as JSON, in pieces. */
export function* writeRows(rows: readonly unknown[]): Generator<Uint8Array> {
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
