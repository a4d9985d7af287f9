import { type ByteBudget, type HeldBytes, PIECE_BYTES } from '../columns/byte-budget.js';
import { FormatError, withContext } from '../columns/format-error.js';
import { FlatTable } from './flat-buffers.js';

/** A message of the IPC format: metadata, and the bytes that it describes. */
export interface Message {
  /** Counted from 1. */
  readonly number: number;
  readonly kind: 'schema' | 'dictionary' | 'batch';
  /** The version of the metadata: 3 is V4, 4 is V5. */
  readonly version: number;
  readonly header: FlatTable;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Counts the bytes of the message; its consumer gives them back. */
  readonly held: HeldBytes;
}

const MAX_METADATA_BYTES = 16 * 1024 * 1024;

/** No metadata is shorter; a smaller number where a length should be is the beginning of metadata. */
const MIN_METADATA_BYTES = 16;

/** The maximum bytes of metadata without a length, whose end is searched for. */
const MAX_UNMEASURED_BYTES = 1024 * 1024;

/** Metadata is held as bytes, and as the numbers and views that are made of it. */
const METADATA_COPIES = 4;

/** The maximum bytes of a batch, without compression too: it is held while it is answered. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** The end of a file, behind its messages: a footer with a place for each batch. */
const MAX_FOOTER_BYTES = 64 * 1024 * 1024;

export const MAGIC = 'ARROW1';
const CONTINUATION = 0xffffffff;
const KINDS: Readonly<Record<number, Message['kind']>> = { 1: 'schema', 2: 'dictionary', 3: 'batch' };

/**
 * Yields the messages of an Arrow stream, or of an Arrow file in the order in which it was written. Some writers put
 * the schema of a file into its footer only: then the other messages are held until it comes, dictionaries first.
 *
 * @throws {FormatError} where the bytes are no such messages, end early, or claim more than may be held.
 */
export async function* readMessages(
  source: ByteSource,
  format: 'stream' | 'file',
  budget: ByteBudget,
): AsyncGenerator<Message> {
  const held = budget.hold('The end of the Arrow data');
  if (format === 'stream') {
    yield* messagesInOrder(source, format, budget);
    if ((await source.take(1, held)).length === 0) return;
    throw new FormatError('Bytes follow the end of the Arrow stream. Send one stream at a time.');
  }
  await readMagic(source, held);
  let isBegun = false;
  const waiting: Message[] = [];
  for await (const message of messagesInOrder(source, format, budget)) {
    isBegun ||= message.kind === 'schema';
    if (isBegun) {
      yield message;
      continue;
    }
    waiting.push(message);
  }
  const footer = await readFooter(source, held);
  if (isBegun) return;
  const header = withContext('The footer of the Arrow file', () => FlatTable.root(footer).table(1));
  if (header === undefined) throw new FormatError('The Arrow file has no schema. Write it again.');
  const body = new Uint8Array();
  yield { number: 0, kind: 'schema', version: 4, header, body, held };
  // In a file, they may come behind the batches that refer to them.
  yield* waiting.filter(({ kind }) => kind === 'dictionary');
  yield* waiting.filter(({ kind }) => kind !== 'dictionary');
}

async function* messagesInOrder(
  source: ByteSource,
  format: 'stream' | 'file',
  budget: ByteBudget,
): AsyncGenerator<Message> {
  for (let number = 1; ; number++) {
    const held = budget.hold(`Message ${number} of the Arrow data`);
    const length = await metadataLength(source, number, format, held);
    if (length === 0) return;
    const metadata = await whole(source, length, number, held);
    held.add((METADATA_COPIES - 1) * length);
    const { header, kind, version, bodyBytes } = withContext(`The metadata of message ${number}`, () =>
      readMetadata(metadata, number),
    );
    if (number === 1 && kind !== 'schema' && format === 'stream') {
      throw new FormatError('The Arrow stream does not begin with a schema. Send all of it.');
    }
    const body = await whole(source, bodyBytes, number, held);
    yield { number, kind, version, header, body, held };
  }
}

async function readMagic(source: ByteSource, held: HeldBytes): Promise<void> {
  const start = Buffer.from(await source.take(8, held));
  if (start.toString('latin1', 0, 6) === MAGIC) return;
  if (start.toString('latin1', 0, 4) === 'FEA1') {
    throw new FormatError('The body is a Feather file of version 1. Write version 2.');
  }
  throw new FormatError(
    'The body is not an Arrow file: it does not begin with ARROW1. A stream has the type application/vnd.apache.arrow.stream.',
  );
}

/** The bytes of the next message's metadata; 0 at the end. */
async function metadataLength(
  source: ByteSource,
  number: number,
  format: 'stream' | 'file',
  held: HeldBytes,
): Promise<number> {
  const first = await source.take(4, held);
  if (first.length === 0 && format === 'stream' && number > 1) return 0;
  if (first.length < 4) throw cutOff(number);
  if (number === 1 && Buffer.from(first).toString('latin1') === MAGIC.slice(0, 4)) {
    throw new FormatError('The body is an Arrow file, not a stream. Send it as application/vnd.apache.arrow.file.');
  }
  // Before Arrow 0.15 the length came first.
  let length = uint32(first);
  if (format === 'file' && number === 1 && length > 0 && length < MIN_METADATA_BYTES) {
    length = await skipUnmeasuredSchema(source, held);
  }
  if (length === CONTINUATION) {
    const second = await source.take(4, held);
    if (second.length < 4) throw cutOff(number);
    length = uint32(second);
  }
  if (length > MAX_METADATA_BYTES) {
    throw new FormatError(
      `Message ${number} claims ${length} bytes of metadata; at most ${MAX_METADATA_BYTES} are read. Send an Arrow IPC stream or file.`,
    );
  }
  return length;
}

/**
 * Polars 1.44 leaves out the length of the schema at the beginning of a file. The footer has the schema again, so
 * this one is passed over, up to the next message.
 */
async function skipUnmeasuredSchema(source: ByteSource, held: HeldBytes): Promise<number> {
  for (let skipped = 0; skipped < MAX_UNMEASURED_BYTES; skipped += 4) {
    const word = await source.take(4, held);
    if (word.length < 4) break;
    if (uint32(word) === CONTINUATION) return CONTINUATION;
  }
  throw cutOff(1);
}

function readMetadata(metadata: Uint8Array, number: number) {
  const message = FlatTable.root(metadata);
  const version = message.int16(0);
  if (version !== 3 && version !== 4) {
    throw new FormatError(`Message ${number} is not of the versions V4 and V5 of Arrow's metadata.`);
  }
  const kind = KINDS[message.uint8(1)];
  const header = message.table(2);
  const bodyBytes = message.int64(3);
  if (kind === undefined || header === undefined) {
    throw new FormatError(`Message ${number} is not a schema, dictionary or batch. Send tables only.`);
  }
  if (!(bodyBytes >= 0 && bodyBytes <= MAX_BODY_BYTES)) {
    throw new FormatError(
      `Message ${number} claims ${bodyBytes} bytes; at most ${MAX_BODY_BYTES} are read at a time. Write batches of fewer rows.`,
    );
  }
  return { version, kind, header, bodyBytes };
}

async function readFooter(source: ByteSource, held: HeldBytes): Promise<Uint8Array> {
  const taken = await source.take(MAX_FOOTER_BYTES, held);
  const end = Buffer.from(taken.buffer);
  const footerBytes = end.length < 10 ? -1 : end.readInt32LE(end.length - 10);
  const isWhole = end.toString('latin1', Math.max(0, end.length - 6)) === MAGIC;
  if (!isWhole || footerBytes <= 0 || footerBytes > end.length - 10) {
    throw new FormatError('The Arrow file has no whole footer: it was cut off. Send all of it.');
  }
  return end.subarray(end.length - 10 - footerBytes, end.length - 10);
}

async function whole(source: ByteSource, count: number, number: number, held: HeldBytes) {
  const bytes = await source.take(count, held);
  if (bytes.length < count) throw cutOff(number);
  return bytes;
}

function cutOff(number: number): FormatError {
  return new FormatError(
    number === 1
      ? 'The Arrow data ends before its schema. Send all that was written.'
      : `The Arrow data ends in the middle of message ${number}. Send all that was written.`,
  );
}

function uint32(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}

/** Bytes that arrive in pieces, taken in portions. No more is held than has arrived. */
export class ByteSource {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  readonly #budget: ByteBudget;
  readonly #waiting: HeldBytes;

  constructor(source: AsyncIterable<Uint8Array>, budget: ByteBudget) {
    this.#pieces = source[Symbol.asyncIterator]();
    this.#budget = budget;
    this.#waiting = budget.hold('The Arrow data that has arrived');
  }

  /**
   * Returns the next bytes, which begin a separate memory, so that numbers in them are aligned; fewer, if there
   * are no more.
   *
   * @param held counts them, until its owner gives them back.
   */
  async take(count: number, held: HeldBytes): Promise<Uint8Array<ArrayBuffer>> {
    while (this.#heldBytes < count) {
      const next = await this.#pieces.next();
      if (next.done) break;
      this.#budget.receive(next.value.length);
      this.#waiting.add(next.value.length + PIECE_BYTES);
      this.#held.push(next.value);
      this.#heldBytes += next.value.length;
    }
    const length = Math.min(count, this.#heldBytes);
    held.add(length);
    return this.#cut(length);
  }

  /** Ends the reading before the end of the source. */
  async close(): Promise<void> {
    this.#waiting.releaseAll();
    await this.#pieces.return?.();
  }

  #cut(count: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(count);
    let at = 0;
    let used = 0;
    for (const piece of this.#held) {
      if (at === count) break;
      const part = piece.subarray(0, count - at);
      bytes.set(part, at);
      at += part.length;
      this.#waiting.release(part.length);
      if (part.length === piece.length) {
        this.#waiting.release(PIECE_BYTES);
        used++;
      } else this.#held[used] = piece.subarray(part.length);
    }
    this.#held = this.#held.slice(used);
    this.#heldBytes -= count;
    return bytes;
  }
}
