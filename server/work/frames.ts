import { freeMemory } from '../common/free-memory.js';

/**
 * The kinds of frames between the service and a worker process. `taken` confirms that the worker has
 * the job, or has read a piece of its input; `event` is a value of the job's own.
 */
export const FRAME = { job: 0, data: 1, end: 2, event: 3, result: 4, taken: 5 } as const;

export interface Frame {
  readonly kind: number;
  /** Has memory of its own. */
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
export function writeHead(kind: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(HEAD);
  head.writeUInt32LE(length);
  head[4] = kind;
  return head;
}

/** Collects the bytes of frames as they arrive. */
export class FrameParser {
  readonly #head = Buffer.alloc(HEAD);
  #headBytes = 0;
  #payload: Buffer<ArrayBuffer> | undefined;
  #filled = 0;

  /**
   * Returns the frames that a chunk completes.
   * @param chunk whose memory is freed
   */
  push(chunk: Uint8Array): Frame[] {
    const frames: Frame[] = [];
    for (let at = 0; at < chunk.length; ) {
      if (this.#payload === undefined) {
        const part = chunk.subarray(at, at + HEAD - this.#headBytes);
        this.#head.set(part, this.#headBytes);
        this.#headBytes += part.length;
        at += part.length;
        if (this.#headBytes < HEAD) break;
        this.#payload = Buffer.allocUnsafeSlow(this.#head.readUInt32LE());
        this.#filled = 0;
      }
      const part = chunk.subarray(at, at + this.#payload.length - this.#filled);
      this.#payload.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled < this.#payload.length) break;
      frames.push({ kind: this.#head[4] ?? 0, payload: this.#payload });
      this.#payload = undefined;
      this.#headBytes = 0;
    }
    freeMemory(chunk);
    return frames;
  }
}

/** Reads frames from a stream of bytes; drops an incomplete last frame. */
export async function* readFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  const parser = new FrameParser();
  for await (const chunk of chunks) yield* parser.push(chunk);
}
