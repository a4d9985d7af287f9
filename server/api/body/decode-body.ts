import type { IncomingMessage } from 'node:http';
import { Duplex, type Readable, Transform, type TransformCallback } from 'node:stream';
import * as zlib from 'node:zlib';
import type { Decompress } from 'fzstd';
import { BodyMeter } from '../../edge/request.js';
import { bodyTooLarge, malformedBody, ProblemError, problem } from '../../problems/problem.js';

export type Encoding = 'gzip' | 'zstd';

/** The most bytes of content for one byte of a compressed body, beyond the first mebibyte. */
const MAX_RATIO = 200;
const MEBIBYTE = 1024 * 1024;

/** Returns a stream that passes bytes through until a check of the number of each chunk fails. */
export function passWithin(check: (bytes: number) => ProblemError | undefined): Transform {
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const fault = check(chunk.length);
      if (fault) done(fault);
      else done(null, chunk);
    },
  });
  // Its reader gets its error. If the request is refused first, there is no reader, and an error
  // without a listener would end the process.
  return stream.on('error', () => {});
}

/**
 * Returns the bytes of a compressed body as they are decoded. The stream fails with the problem of a
 * body that is damaged, cut off or too large.
 * @param limit the most bytes, compressed and decoded
 */
export function decodeBody(req: IncomingMessage, encoding: Encoding, limit: number): Readable {
  const meter = new BodyMeter(req, limit);
  const raw = passWithin((bytes) => meter.add(bytes));
  let decoded = 0;
  const content = passWithin((bytes) => {
    decoded += bytes;
    if (decoded > limit) return bodyTooLarge(limit);
    return decoded > MEBIBYTE + MAX_RATIO * meter.seen ? expandsTooMuch(encoding) : undefined;
  });
  const fail = (error: unknown) => content.destroy(decodingProblem(error, encoding, meter.seen));
  const pipe = (stages: readonly Duplex[]) => {
    let last: Duplex = raw;
    for (const stage of stages) {
      stage.on('error', fail);
      last = last.pipe(stage);
    }
    last.pipe(content);
    content.once('close', () => {
      for (const stage of [raw, ...stages]) stage.destroy();
    });
  };
  raw.on('error', fail);
  req.once('error', () => fail(brokenOff()));
  req.pipe(raw);
  if (encoding === 'gzip') pipe([zlib.createGunzip()]);
  else {
    const frames = new ZstdFrames();
    createZstdDecoder(frames).then((decoder) => pipe([frames, decoder]), fail);
  }
  return content;
}

export function brokenOff(): ProblemError {
  return malformedBody('The body broke off before its end.');
}

function expandsTooMuch(encoding: Encoding): ProblemError {
  return problem(
    '/problems/body-too-large',
    `The ${encoding} body expands to more than ${MAX_RATIO} times its size; send it as it is, in parts.`,
  );
}

/** @param at the number of bytes of the body that have arrived */
function decodingProblem(error: unknown, encoding: Encoding, at: number): Error {
  if (error instanceof ProblemError) return error;
  const { message = 'it is damaged' } = error instanceof Error ? error : {};
  const isCut = error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';
  return malformedBody(
    `The ${encoding} body cannot be decoded: ${isCut ? 'it is cut off' : message}, at byte ${at} or before.`,
  );
}

/**
 * Returns a stream that decodes zstd.
 * @param frames passes the headers and blocks to it
 */
async function createZstdDecoder(frames: ZstdFrames): Promise<Duplex> {
  // Newer versions of Node.js (22.15 and 23.8) have a decoder.
  const native: unknown = Reflect.get(zlib, 'createZstdDecompress');
  const decoder: unknown = typeof native === 'function' ? native() : undefined;
  if (decoder instanceof Duplex) return decoder;
  const fzstd = await import('fzstd');
  return new ScriptDecoder(frames, fzstd.Decompress);
}

/** The bytes that may be moved within windows: at first, and for each byte of content. */
const MAX_MOVED = { first: 16 * 2 ** 30, perByte: 1024 };

/**
 * Decodes zstd in JavaScript, a block in a turn of the event loop. Each block moves the whole
 * window, so that many small blocks in a large window are refused.
 */
class ScriptDecoder extends Transform {
  readonly #frames: ZstdFrames;
  readonly #decoder: Decompress;
  #moved = 0;
  #decoded = 0;

  constructor(frames: ZstdFrames, decoder: typeof Decompress) {
    super();
    this.#frames = frames;
    this.#decoder = new decoder((bytes) => {
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
      return new Error('its blocks are too small for its window; flush less often');
    }
    try {
      this.#decoder.push(block, isLast);
      return null;
    } catch {
      return new Error('one of its blocks is damaged');
    }
  }
}

/** The largest window of a frame, in bytes (RFC 9659, section 3). */
const MAX_WINDOW = 8 * 1024 * 1024;

/** The largest block, in bytes (RFC 8878, section 3.1.1.2.4). */
const MAX_BLOCK = 128 * 1024;

/** The first bytes of a frame, and of one that is skipped, in little-endian order. */
const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a5;

/** The size of the content, in bytes, by the first two bits of the descriptor. */
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
const DICTIONARY_BYTES = [0, 1, 2, 4] as const;

/**
 * Checks the frames of zstd (RFC 8878), and passes them on in whole headers and blocks. Decoders take
 * a window as large as a frame asks for; this refuses one that no sender of HTTP may need.
 */
class ZstdFrames extends Transform {
  /** The window of the present frame, in bytes. */
  window = 0;
  #held: Buffer = Buffer.alloc(0);
  #isWithinFrame = false;
  readonly #reading = this.#read();
  #needed = this.#reading.next().value;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    try {
      while (this.#held.length >= this.#needed) this.#needed = this.#reading.next().value;
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  }

  override _flush(done: TransformCallback): void {
    const isCut = this.#held.length > 0 || this.#isWithinFrame;
    done(isCut ? new Error('it is cut off') : null);
  }

  /** Reads frames; yields how many bytes it must hold to go on. */
  *#read(): Generator<number, never> {
    for (;;) {
      this.#isWithinFrame = false;
      yield 5;
      this.#isWithinFrame = true;
      const magic = this.#held.readUInt32LE(0);
      if (magic >>> 4 === SKIPPABLE) {
        yield 8;
        for (let left = 8 + this.#held.readUInt32LE(4); left > 0; ) {
          yield 1;
          left -= this.#take(left).length;
        }
        continue;
      }
      if (magic !== MAGIC) throw new Error('it is not zstd');
      const hasChecksum = ((this.#held[4] ?? 0) & 4) !== 0;
      yield* this.#readHeader();
      for (let isLast = false; !isLast; ) {
        yield 3;
        const header = this.#held.readUIntLE(0, 3);
        const type = (header >> 1) & 3;
        const size = header >> 3;
        if (type === 3 || size > MAX_BLOCK) throw new Error('one of its blocks is damaged');
        yield* this.#passOn(3 + (type === 1 ? 1 : size));
        isLast = (header & 1) !== 0;
      }
      if (hasChecksum) yield* this.#passOn(4);
    }
  }

  /** Reads the header of a frame (RFC 8878, section 3.1.1.1). */
  *#readHeader(): Generator<number> {
    const descriptor = this.#held[4] ?? 0;
    const isSingle = (descriptor & 0x20) !== 0;
    const dictionary = DICTIONARY_BYTES[(descriptor & 3) as 0 | 1 | 2 | 3];
    const size = CONTENT_SIZE_BYTES[(descriptor >> 6) as 0 | 1 | 2 | 3] || (isSingle ? 1 : 0);
    const sizeAt = (isSingle ? 5 : 6) + dictionary;
    yield sizeAt + size;
    const bytes = this.#held;
    if (isSingle) {
      const content = size === 8 ? bytes.readBigUInt64LE(sizeAt) : bytes.readUIntLE(sizeAt, size);
      this.window = Number(content) + (size === 2 ? 256 : 0);
    } else {
      const exponent = bytes[5] ?? 0;
      const base = 2 ** (10 + (exponent >> 3));
      this.window = base + (base / 8) * (exponent & 7);
    }
    if (this.window > MAX_WINDOW) {
      throw new Error(
        `its window has ${this.window} bytes, and may have ${MAX_WINDOW}; compress it without --long or --ultra`,
      );
    }
    yield* this.#passOn(sizeAt + size);
  }

  *#passOn(length: number): Generator<number> {
    yield length;
    this.push(this.#take(length));
  }

  /** Takes at most this many of the bytes that are held. */
  #take(length: number): Buffer {
    const taken = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(length);
    return taken;
  }
}
