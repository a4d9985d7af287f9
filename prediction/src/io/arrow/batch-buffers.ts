import { type ByteBudget, findOverlap, type HeldBytes } from '../columns/byte-budget.js';
import { decompressLz4Frame, decompressZstandard } from '../columns/compression.js';
import { FormatError } from '../columns/format-error.js';
import type { FlatTable } from './flat-buffers.js';
import { MAX_BODY_BYTES, type Message } from './messages.js';

/** Buffers begin at such multiples; others are copied once. */
const ALIGNMENT = 8;

/** The bytes before a compressed buffer: its length without compression, or −1 if it is sent without. */
const PREFIX_BYTES = 8;

interface Codec {
  readonly name: string;
  /** @param room for the data, and one byte more. */
  readonly read: (bytes: Uint8Array, room: Uint8Array) => void;
}

/** The codecs of `CompressionType` in Message.fbs, by number. */
const CODECS: readonly Codec[] = [
  { name: 'LZ4', read: (bytes, room) => decompressLz4Frame(bytes, room.subarray(0, -1)) },
  { name: 'Zstandard', read: decompressZstandard },
];

/** The buffers of a batch. Compressed ones (`BodyCompression` in Message.fbs) are decompressed when they are read. */
export class BatchBuffers {
  readonly count: number;
  /** The bytes of all buffers without compression. */
  readonly byteLength: number;
  readonly #place: string;
  readonly #body: Uint8Array<ArrayBuffer>;
  readonly #held: HeldBytes;
  /** Where each begins in the body, and its bytes. */
  readonly #sent: readonly number[];
  readonly #codec: Codec | undefined;
  /** The memory of all buffers without compression, and where each begins. */
  readonly #memory = new Uint8Array();
  readonly #starts = new Float64Array();

  /** @throws {FormatError} if they share bytes, or take too many. */
  constructor(header: FlatTable, { body, held }: Message, place: string, budget: ByteBudget) {
    this.#place = place;
    this.#body = body;
    this.#held = held;
    this.#sent = header.int64s(2, 2);
    this.count = this.#sent.length / 2;
    this.#checkApart();
    const compression = header.table(3);
    this.byteLength = body.length;
    if (compression === undefined) return;
    this.#codec = compression.uint8(1) === 0 ? CODECS[compression.uint8(0)] : undefined;
    if (this.#codec === undefined) {
      throw new FormatError(
        `${place} has a compression that is not read. Write it with LZ4, with Zstandard, or without compression.`,
      );
    }
    this.#starts = new Float64Array(this.count);
    this.byteLength = this.#layOut();
    if (this.byteLength > MAX_BODY_BYTES) {
      throw new FormatError(
        `${place} claims ${this.byteLength} bytes without compression; at most ${MAX_BODY_BYTES} are read at a time. Write batches of fewer rows.`,
      );
    }
    budget.expand(this.byteLength, place);
    // Decompressing may copy what is compressed.
    held.add(this.byteLength + body.length);
    this.#memory = new Uint8Array(this.byteLength);
  }

  /**
   * Returns the bytes of a buffer: a part of one memory with all others that are not to be aligned.
   *
   * @param damaged makes the fault of a buffer that is outside of the batch, or cannot be decompressed.
   */
  read(index: number, isAligned: boolean, damaged: (what: string) => FormatError): Uint8Array {
    const bytes = this.#bytes(index);
    if (bytes === undefined) {
      throw damaged(`bytes from ${this.#sent[2 * index] ?? -1} on, outside of the batch`);
    }
    if (this.#codec) return this.#decompress(bytes, index, this.#codec, damaged);
    if (!isAligned || bytes.byteOffset % ALIGNMENT === 0) return bytes;
    this.#held.add(bytes.length);
    return bytes.slice();
  }

  #decompress(
    bytes: Uint8Array,
    index: number,
    { name, read }: Codec,
    damaged: (what: string) => FormatError,
  ): Uint8Array {
    const { length, isRaw } = this.#readLength(bytes, index);
    const start = this.#starts[index] ?? 0;
    const buffer = this.#memory.subarray(start, start + length);
    const data = bytes.subarray(PREFIX_BYTES);
    if (isRaw) buffer.set(data);
    else if (length > 0) {
      try {
        read(data, this.#memory.subarray(start, start + length + 1));
      } catch {
        // Whatever a decompressor throws, its bytes are at fault.
        throw damaged(`bytes that are not ${length} in a frame of ${name}`);
      }
    }
    return buffer;
  }

  /** Finds where each buffer begins without compression, with a byte behind it. Returns the end of the last. */
  #layOut(): number {
    let end = 0;
    for (let index = 0; index < this.count; index++) {
      const bytes = this.#bytes(index);
      if (bytes === undefined) throw this.#damaged(index, 'is outside of the batch');
      this.#starts[index] = end;
      end += ALIGNMENT * Math.ceil((this.#readLength(bytes, index).length + 1) / ALIGNMENT);
    }
    return end;
  }

  /** The length of a compressed buffer without compression, and whether it is sent so. */
  #readLength(bytes: Uint8Array, index: number): { length: number; isRaw: boolean } {
    // A buffer without bytes has no prefix either.
    if (bytes.length === 0) return { length: 0, isRaw: false };
    if (bytes.length < PREFIX_BYTES) throw this.#damaged(index, 'ends before its length');
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const length = Number(view.getBigInt64(0, true));
    if (length === -1) return { length: bytes.length - PREFIX_BYTES, isRaw: true };
    if (length < 0) throw this.#damaged(index, `claims ${length} bytes`);
    return { length, isRaw: false };
  }

  #bytes(index: number): Uint8Array | undefined {
    const start = this.#sent[2 * index] ?? -1;
    const length = this.#sent[2 * index + 1] ?? -1;
    if (!(start >= 0 && length >= 0 && start + length <= this.#body.length)) return undefined;
    return this.#body.subarray(start, start + length);
  }

  /** Bytes that several columns share would be answered several times. */
  #checkApart(): void {
    const ranges = Array.from({ length: this.count }, (_, index) => {
      const start = this.#sent[2 * index] ?? 0;
      return { index, start, end: start + (this.#sent[2 * index + 1] ?? 0) };
    });
    const overlap = findOverlap(ranges);
    if (overlap === undefined) return;
    const { index, start, end } = overlap;
    throw this.#damaged(index, `has bytes ${start} to ${end}, which another buffer has, too`);
  }

  #damaged(index: number, fault: string): FormatError {
    return new FormatError(`${this.#place} is damaged: its buffer ${index + 1} ${fault}. Write it again.`);
  }
}
