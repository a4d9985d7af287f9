import { Duplex, Transform, type TransformCallback } from 'node:stream';
import * as zlib from 'node:zlib';
import { ZstdError, type ZstdFrames } from './zstd-frames.js';

/**
 * Returns a stream that decodes zstd.
 * @param frames passes the headers and blocks to it
 */
export async function zstdDecoder(frames: Pick<ZstdFrames, 'window'>): Promise<Duplex> {
  // Newer versions of Node.js (22.15 and 23.8) have a decoder.
  const native: unknown = Reflect.get(zlib, 'createZstdDecompress');
  const decoder: unknown = typeof native === 'function' ? native() : undefined;
  if (decoder instanceof Duplex) return decoder;
  const { Decompress } = await import('fzstd');
  return new ScriptDecoder(frames, (onData) => new Decompress(onData));
}

/** The bytes that may be moved within windows: at first, and for each byte of content. */
const MAX_MOVED = { first: 16 * 2 ** 30, perByte: 1024 };

interface Decoder {
  push(bytes: Uint8Array, isLast?: boolean): void;
}

/**
 * Decodes zstd in JavaScript, a block in a turn of the event loop. Each block moves the whole
 * window, so that many small blocks in a large window are refused.
 */
class ScriptDecoder extends Transform {
  readonly #frames: Pick<ZstdFrames, 'window'>;
  readonly #decoder: Decoder;
  #moved = 0;
  #decoded = 0;

  constructor(
    frames: Pick<ZstdFrames, 'window'>,
    create: (onData: (bytes: Uint8Array) => void) => Decoder,
  ) {
    super();
    this.#frames = frames;
    this.#decoder = create((bytes) => {
      this.#decoded += bytes.length;
      // The decoder goes on to use the bytes.
      if (bytes.length > 0) this.push(Buffer.from(bytes));
    });
  }

  override _transform(block: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    setImmediate(() => done(this.#decode(block)));
  }

  override _flush(done: TransformCallback): void {
    done(this.#decode(new Uint8Array(), true));
  }

  #decode(block: Uint8Array, isLast = false): Error | null {
    this.#moved += this.#frames.window;
    if (this.#moved > MAX_MOVED.first + MAX_MOVED.perByte * this.#decoded) {
      return new ZstdError('its blocks are too small for its window; flush less often');
    }
    try {
      this.#decoder.push(block, isLast);
      return null;
    } catch {
      return new ZstdError('one of its blocks is damaged');
    }
  }
}
