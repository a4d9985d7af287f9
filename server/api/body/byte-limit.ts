import { Transform, type TransformCallback } from 'node:stream';
import type { ChunkMeter } from '../../edge/request-body.js';

/** Passes bytes through up to `limit`, and then fails with the given error. */
export class ByteLimitStream extends Transform {
  #seen = 0;
  readonly #limit: number;
  readonly #error: () => Error;

  readonly #meter: ChunkMeter | undefined;

  /** @param meter also fails the stream if its chunks are too small */
  constructor(limit: number, error: () => Error, meter?: ChunkMeter) {
    super();
    this.#limit = limit;
    this.#error = error;
    this.#meter = meter;
  }

  /** The bytes that have passed, or that were too many. */
  get seen(): number {
    return this.#seen;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#seen += chunk.length;
    if (this.#seen > this.#limit) done(this.#error());
    else {
      const tooSmall = this.#meter?.add(chunk.length);
      if (tooSmall) done(tooSmall);
      else done(null, chunk);
    }
  }
}
