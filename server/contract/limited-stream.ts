import { Transform, type TransformCallback } from 'node:stream';

/** Lets bytes through until there are more than `limit`; then it fails with the error that is given. */
export class LimitedStream extends Transform {
  #seen = 0;
  readonly #limit: number;
  readonly #error: () => Error;

  constructor(limit: number, error: () => Error) {
    super();
    this.#limit = limit;
    this.#error = error;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#seen += chunk.length;
    if (this.#seen > this.#limit) done(this.#error());
    else done(null, chunk);
  }
}
