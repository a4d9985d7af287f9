import { MessageChannel } from 'node:worker_threads';

/** Smaller buffers are not worth the call. */
const MIN_BYTES = 16 * 1024;

/** A closed port: what is moved to it is gone (HTML Standard, message port post message steps). */
const nowhere = new MessageChannel().port1;
nowhere.close();

/**
 * Frees the memory of bytes that were sent and are used by nobody else. Otherwise it would stay until the next
 * collection of garbage, and every few megabytes outside the heap cause one of the whole heap.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array): void {
  // Bytes in a part of a buffer may share it with others (`Buffer.poolSize`).
  const isWhole = byteLength === buffer.byteLength;
  if (isWhole && byteLength >= MIN_BYTES && buffer instanceof ArrayBuffer) {
    nowhere.postMessage(null, [buffer]);
  }
}
