import { freeMemory } from '../common/free-memory.js';

/**
 * The kinds of frames between the service and a worker process. `taken` confirms that the worker has
 * the job; `event` is a value of the job's own.
 */
export const FRAME = { job: 0, data: 1, end: 2, event: 3, result: 4, taken: 5 } as const;

export interface Frame {
  readonly kind: number;
  readonly payload: Buffer<ArrayBuffer>;
}

/**
 * The size of a frame's header: 4 bytes for the payload's length, little-endian, and one for the
 * kind.
 */
const HEAD = 5;

/** The answer of a worker process at the end of a job. */
export type Answer<Result> =
  | {
      readonly result: Result;
      /** The resident memory of the process, in bytes. */
      readonly memory: number;
    }
  | { readonly failure: string };

/**
 * Returns whether an error's text reports a lack of memory. V8 aborts if its heap is full, and
 * throws for memory outside the heap or an allocation that is too large.
 */
export function isOutOfMemory(text: string): boolean {
  return /out of memory|allocation failed|invalid (array|table|string|size)/i.test(text);
}

/** Returns the bytes before the payload of a frame. */
export function frameHead(kind: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(HEAD);
  head.writeUInt32LE(length);
  head[4] = kind;
  return head;
}

/**
 * Reads frames from a stream of bytes; drops an incomplete last frame. Each payload has its own
 * memory, and that of the chunks is freed.
 */
export async function* readFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let head = Buffer.alloc(HEAD);
  let headBytes = 0;
  let payload: Buffer<ArrayBuffer> | undefined;
  let filled = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      if (payload === undefined) {
        const part = chunk.subarray(at, at + HEAD - headBytes);
        head.set(part, headBytes);
        at += part.length;
        headBytes += part.length;
        if (headBytes < HEAD) break;
        payload = Buffer.allocUnsafeSlow(head.readUInt32LE());
      }
      const part = chunk.subarray(at, at + payload.length - filled);
      payload.set(part, filled);
      at += part.length;
      filled += part.length;
      if (filled < payload.length) break;
      yield { kind: head[4] ?? 0, payload };
      head = Buffer.alloc(HEAD);
      headBytes = 0;
      payload = undefined;
      filled = 0;
    }
    freeMemory(chunk);
  }
}
