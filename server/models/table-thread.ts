import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import { JsonShapeError, MalformedJsonError, TableError } from '../prediction/predicting.js';
import { receiveBytes, sendBytes } from './byte-channel.js';
import type { TableFormat, TableMessage, TableReading } from './table-message.js';

/** What a table is made of beside its arrays: more than its texts may take, so that none is lost for it. */
const MOST_MEMORY = { maxOldGenerationSizeMb: 768 };

/**
 * Reads a table in a thread that ends with it: parsing a large one takes seconds, in which nobody else
 * could be served. All of the text is read, also of a table that is refused.
 * @param keep takes the parts of the table, one after the other
 * @returns how many rows it has
 * @throws {TableError | MalformedJsonError | JsonShapeError} if it is refused; nothing is kept of it then
 * @throws what the text or `keep` threw
 */
export async function readInThread(
  text: AsyncIterable<Uint8Array>,
  { format, target }: { format: TableFormat; target: string },
  keep: (part: Uint8Array) => Promise<void>,
): Promise<number> {
  const texts = new MessageChannel();
  const parts = new MessageChannel();
  const workerData: TableReading = { format, target, text: texts.port2, parts: parts.port2 };
  const worker = new Worker(new URL('./table-worker.js', import.meta.url), {
    workerData,
    transferList: [workerData.text, workerData.parts],
    resourceLimits: MOST_MEMORY,
  });
  // It rejects with what ends the thread.
  const answer: Promise<TableMessage[]> = once(worker, 'message');
  try {
    const [[message]] = await Promise.all([answer, sendBytes(texts.port1, text)]);
    const rowCount = rowsOf(message);
    for await (const part of receiveBytes(parts.port1)) await keep(part);
    return rowCount;
  } catch (error) {
    throw isOutOfMemory(error) ? tooMuchForMemory() : error;
  } finally {
    texts.port1.close();
    parts.port1.close();
    await worker.terminate();
  }
}

function rowsOf(message: TableMessage | undefined): number {
  switch (message?.kind) {
    case 'read':
      return message.rowCount;
    case 'unusable':
      throw new TableError(message.faults);
    case 'malformed':
      throw new MalformedJsonError(message.message);
    case 'misshapen':
      throw new JsonShapeError(message.message);
    default:
      throw new Error('The thread that reads a table said nothing');
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooMuchForMemory(): TableError {
  const message =
    'The table takes more memory than there is for one. Send fewer rows, or only the columns that bear on the target.';
  return new TableError([{ message }]);
}
