import { MessageChannel } from 'node:worker_threads';

/** Smaller buffers share their memory (`Buffer.poolSize`), or are not worth the call. */
const MIN_BYTES = 16 * 1024;

/** A closed port: what is moved to it is gone (HTML Standard, message port post message steps). */
const nowhere = new MessageChannel().port1;
nowhere.close();

/**
 * Frees the memory of bytes that were sent and are used by nobody else. Otherwise it would stay until the next
 * collection of garbage, and every few megabytes outside the heap cause one of the whole heap.
 */
export function freeMemory({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= MIN_BYTES) {
    nowhere.postMessage(null, [buffer]);
  }
}
