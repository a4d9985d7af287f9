import { Transform, type TransformCallback } from 'node:stream';

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

/** A body is not zstd. The message tells why. */
export class ZstdError extends Error {
  override readonly name = 'ZstdError';
}

type State = 'frame' | 'block' | 'checksum';

/**
 * Checks the frames of zstd (RFC 8878), and passes them on in whole headers and blocks. Decoders take
 * a window as large as a frame asks for; this refuses one that no sender of HTTP may need.
 */
export class ZstdFrames extends Transform {
  /** The window of the present frame, in bytes. */
  window = 0;
  #held: Buffer = Buffer.alloc(0);
  #state: State = 'frame';
  #hasChecksum = false;
  /** The bytes of a skippable frame that are still to come. */
  #skipped = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.#read(this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]));
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  }

  override _flush(done: TransformCallback): void {
    const isCut = this.#held.length > 0 || this.#state !== 'frame' || this.#skipped > 0;
    done(isCut ? new ZstdError('it is cut off') : null);
  }

  #read(bytes: Buffer): void {
    let at = 0;
    for (;;) {
      const length = this.#unit(bytes.subarray(at));
      if (length === undefined) break;
      if (length > 0 && this.#skipped === 0) this.push(bytes.subarray(at, at + length));
      at += length;
      if (this.#skipped > 0) {
        const skipped = Math.min(this.#skipped, bytes.length - at);
        this.#skipped -= skipped;
        at += skipped;
        if (this.#skipped > 0) break;
      }
    }
    this.#held = bytes.subarray(at);
  }

  /** Returns the length of the header or block that the bytes begin with; undefined if it is not there yet. */
  #unit(bytes: Buffer): number | undefined {
    switch (this.#state) {
      case 'frame':
        return this.#header(bytes);
      case 'block':
        return this.#block(bytes);
      case 'checksum':
        if (bytes.length < 4) return undefined;
        this.#state = 'frame';
        return 4;
    }
  }

  #header(bytes: Buffer): number | undefined {
    if (bytes.length < 5) return undefined;
    const magic = bytes.readUInt32LE(0);
    if (magic >>> 4 === SKIPPABLE) {
      if (bytes.length < 8) return undefined;
      this.#skipped = bytes.readUInt32LE(4);
      return this.#skipped > 0 ? 8 : this.#skipEmpty();
    }
    if (magic !== MAGIC) throw new ZstdError('it is not zstd');
    const descriptor = bytes[4] ?? 0;
    const isSingle = (descriptor & 0x20) !== 0;
    const dictionary = DICTIONARY_BYTES[(descriptor & 3) as 0 | 1 | 2 | 3];
    const size = CONTENT_SIZE_BYTES[(descriptor >> 6) as 0 | 1 | 2 | 3] || (isSingle ? 1 : 0);
    const sizeAt = (isSingle ? 5 : 6) + dictionary;
    if (bytes.length < sizeAt + size) return undefined;
    this.window = isSingle ? contentSize(bytes, sizeAt, size) : windowSize(bytes[5] ?? 0);
    if (this.window > MAX_WINDOW) {
      throw new ZstdError(
        `its window has ${this.window} bytes, and may have ${MAX_WINDOW}; compress it without --long or --ultra`,
      );
    }
    this.#hasChecksum = (descriptor & 4) !== 0;
    this.#state = 'block';
    return sizeAt + size;
  }

  /** An empty skippable frame is a header alone, which no decoder needs. */
  #skipEmpty(): number {
    this.#skipped = 0;
    return 8;
  }

  #block(bytes: Buffer): number | undefined {
    if (bytes.length < 3) return undefined;
    const header = bytes.readUIntLE(0, 3);
    const type = (header >> 1) & 3;
    const size = header >> 3;
    if (type === 3 || size > MAX_BLOCK) throw new ZstdError('one of its blocks is damaged');
    const length = 3 + (type === 1 ? 1 : size);
    if (bytes.length < length) return undefined;
    if ((header & 1) !== 0) this.#state = this.#hasChecksum ? 'checksum' : 'frame';
    return length;
  }
}

/** Reads the size of the content of a frame (RFC 8878, section 3.1.1.1.4). */
function contentSize(bytes: Buffer, at: number, length: number): number {
  if (length === 8) return Number(bytes.readBigUInt64LE(at));
  return bytes.readUIntLE(at, length) + (length === 2 ? 256 : 0);
}

/** Reads the descriptor of a window (RFC 8878, section 3.1.1.1.2). */
function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}
