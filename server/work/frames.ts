import { freeMemory } from '../common/free-memory.js';
import type { ProblemError } from '../problems/problem.js';

/**
 * The kinds of frames between the service and a worker process. `taken` confirms that the worker has
 * the job, or has read a piece of its input; `event` is a value of the job's own.
 */
export const FRAME = { job: 0, data: 1, end: 2, event: 3, result: 4, taken: 5 } as const;

export interface Frame {
  readonly kind: number;
  /** Has its own memory. */
  readonly payload: Buffer<ArrayBuffer>;
}

/** The size of a frame's header: 4 bytes for the payload's length, little-endian, and one for the kind. */
const HEAD = 5;

/** The answer of a worker process at the end of a job. */
export type Answer<Result> = SettledAnswer<Result> | { readonly failure: string };

/** The result of a job or the `ProblemError` that it threw; then the process can run another. */
export type SettledAnswer<Result> = (
  | { readonly result: Result }
  | { readonly refusal: Readonly<ConstructorParameters<typeof ProblemError>> }
) & {
  /** The resident memory of the process, in bytes. */
  readonly memory: number;
};

/**
 * Returns whether an error's text reports a lack of memory. V8 aborts if its heap is full, and
 * throws for memory outside the heap or an allocation that is too large.
 */
export function isOutOfMemory(text: string): boolean {
  return /out of memory|allocation failed|invalid (array|table|string|size)/i.test(text);
}

export function writeHead(kind: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(HEAD);
  head.writeUInt32LE(length);
  head[4] = kind;
  return head;
}

/**
 * Reads frames from a stream of bytes; drops an incomplete last frame.
 * @param chunks whose memory is freed
 */
export async function* readFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  const head = Buffer.alloc(HEAD);
  let payload: Buffer<ArrayBuffer> | undefined;
  let filled = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const target = payload ?? head;
      const part = chunk.subarray(at, at + target.length - filled);
      target.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < target.length) break;
      filled = 0;
      const isHead = payload === undefined;
      payload ??= Buffer.allocUnsafeSlow(head.readUInt32LE());
      if (isHead && payload.length > 0) continue;
      yield { kind: head[4] ?? 0, payload };
      payload = undefined;
    }
    freeMemory(chunk);
  }
}
