import { FormatFault, within } from '../columns/format-fault.js';
import type { ByteSource } from './byte-source.js';
import { FlatTable } from './flat-table.js';

/** A message of the IPC format: metadata, and the bytes that it describes. */
export interface Message {
  /** Counted from 1. */
  readonly number: number;
  readonly kind: 'schema' | 'dictionary' | 'batch';
  /** The version of the metadata: 3 is V4, 4 is V5. */
  readonly version: number;
  readonly header: FlatTable;
  readonly metadataBytes: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

const MAX_METADATA_BYTES = 16 * 1024 * 1024;

/** A batch is held while it is answered. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** The end of a file, behind its messages: a footer with a place for each batch. */
const MAX_FOOTER_BYTES = 64 * 1024 * 1024;

export const MAGIC = 'ARROW1';
const CONTINUATION = 0xffffffff;
const KINDS: Readonly<Record<number, Message['kind']>> = {
  1: 'schema',
  2: 'dictionary',
  3: 'batch',
};

/** The messages of a file that wait for the schema in its footer. */
const MAX_HELD_BYTES = 256 * 1024 * 1024;

/**
 * Yields the messages of an Arrow stream, or of an Arrow file in the order in which it was written. Some writers put
 * the schema of a file into its footer only: then the other messages are held until it comes.
 *
 * @throws {FormatFault} where the bytes are no such messages, end early, or claim more than may be held.
 */
export async function* readMessages(
  source: ByteSource,
  format: 'stream' | 'file',
): AsyncGenerator<Message> {
  if (format === 'stream') {
    yield* messagesInOrder(source, format);
    if ((await source.take(1)).length === 0) return;
    throw new FormatFault('Bytes follow the end of the Arrow stream. Send one stream at a time.');
  }
  await readMagic(source);
  let isBegun = false;
  const held: Message[] = [];
  let heldBytes = 0;
  for await (const message of messagesInOrder(source, format)) {
    isBegun ||= message.kind === 'schema';
    if (isBegun) {
      yield message;
      continue;
    }
    held.push(message);
    heldBytes += message.metadataBytes + message.body.length;
    if (heldBytes > MAX_HELD_BYTES) {
      throw new FormatFault('The Arrow file does not begin with its schema. Send it as a stream.');
    }
  }
  const footer = await readFooter(source);
  if (isBegun) return;
  const header = within('The footer of the Arrow file', () => FlatTable.root(footer).table(1));
  if (header === undefined) throw new FormatFault('The Arrow file has no schema. Write it again.');
  const body = new Uint8Array();
  yield { number: 0, kind: 'schema', version: 4, header, metadataBytes: 0, body };
  yield* held;
}

async function* messagesInOrder(
  source: ByteSource,
  format: 'stream' | 'file',
): AsyncGenerator<Message> {
  for (let number = 1; ; number++) {
    const length = await metadataLength(source, number, format);
    if (length === 0) return;
    const metadata = await whole(source, length, number);
    const { header, kind, version, bodyBytes } = within(`The metadata of message ${number}`, () =>
      readMetadata(metadata, number),
    );
    if (number === 1 && kind !== 'schema' && format === 'stream') {
      throw new FormatFault('The Arrow stream does not begin with a schema. Send all of it.');
    }
    const body = await whole(source, bodyBytes, number);
    yield { number, kind, version, header, metadataBytes: length, body };
  }
}

async function readMagic(source: ByteSource): Promise<void> {
  const start = Buffer.from(await source.take(8));
  if (start.toString('latin1', 0, 6) === MAGIC) return;
  if (start.toString('latin1', 0, 4) === 'FEA1') {
    throw new FormatFault('The body is a Feather file of version 1. Write version 2.');
  }
  throw new FormatFault(
    'The body is no Arrow file: it does not begin with ARROW1. A stream has the type application/vnd.apache.arrow.stream.',
  );
}

/** The bytes of the next message's metadata; 0 at the end. */
async function metadataLength(
  source: ByteSource,
  number: number,
  format: 'stream' | 'file',
): Promise<number> {
  const first = await source.take(4);
  if (first.length === 0 && format === 'stream' && number > 1) return 0;
  if (first.length < 4) throw cutOff(number);
  if (number === 1 && Buffer.from(first).toString('latin1') === MAGIC.slice(0, 4)) {
    throw new FormatFault(
      'The body is an Arrow file, not a stream. Send it as application/vnd.apache.arrow.file.',
    );
  }
  // Before Arrow 0.15 the length came first.
  let length = uint32(first);
  if (length === CONTINUATION) {
    const second = await source.take(4);
    if (second.length < 4) throw cutOff(number);
    length = uint32(second);
  }
  if (length > MAX_METADATA_BYTES) {
    throw new FormatFault(
      `Message ${number} claims ${length} bytes of metadata; at most ${MAX_METADATA_BYTES} are read. Send an Arrow IPC stream or file.`,
    );
  }
  return length;
}

function readMetadata(metadata: Uint8Array, number: number) {
  const message = FlatTable.root(metadata);
  const version = message.int16(0);
  if (version !== 3 && version !== 4) {
    throw new FormatFault(
      `Message ${number} is not of the versions V4 and V5 of Arrow's metadata.`,
    );
  }
  const kind = KINDS[message.uint8(1)];
  const header = message.table(2);
  const bodyBytes = message.int64(3);
  if (kind === undefined || header === undefined) {
    throw new FormatFault(`Message ${number} is no schema, dictionary or batch. Send tables only.`);
  }
  if (!(bodyBytes >= 0 && bodyBytes <= MAX_BODY_BYTES)) {
    throw new FormatFault(
      `Message ${number} claims ${bodyBytes} bytes; at most ${MAX_BODY_BYTES} are read at a time. Write batches of fewer rows.`,
    );
  }
  return { version, kind, header, bodyBytes };
}

async function readFooter(source: ByteSource): Promise<Uint8Array> {
  const end = Buffer.from(await source.take(MAX_FOOTER_BYTES));
  const footerBytes = end.length < 10 ? -1 : end.readInt32LE(end.length - 10);
  const isWhole = end.toString('latin1', Math.max(0, end.length - 6)) === MAGIC;
  if (!isWhole || footerBytes <= 0 || footerBytes > end.length - 10) {
    throw new FormatFault('The Arrow file has no whole footer: it was cut off. Send all of it.');
  }
  return end.subarray(end.length - 10 - footerBytes, end.length - 10);
}

async function whole(source: ByteSource, count: number, number: number) {
  const bytes = await source.take(count);
  if (bytes.length < count) throw cutOff(number);
  return bytes;
}

function cutOff(number: number): FormatFault {
  return new FormatFault(
    number === 1
      ? 'The Arrow data ends before its schema. Send all that was written.'
      : `The Arrow data ends in the middle of message ${number}. Send all that was written.`,
  );
}

function uint32(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}
