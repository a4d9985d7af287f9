import { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { type ByteBudget, findOverlap } from '../columns/byte-budget.js';
import type { ByteFile } from '../columns/byte-file.js';
import { FormatError, withContext } from '../columns/format-error.js';

/** A file of a ZIP archive; `start` is the place of its local header. */
interface ZipEntry {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly size: number;
  readonly method: number;
  readonly isEncrypted: boolean;
}

const [STORED, DEFLATED] = [0, 8];

/** The bytes of the records of the format, without their names. */
const LOCAL = 30;
const CENTRAL = 46;
const END = 22;
const MAX_COMMENT = 0xffff;

const END_SIGNATURE = 0x06054b50;
const CENTRAL_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;

const MAX_DIRECTORY_BYTES = 4 * 1024 * 1024;
const ENTRY_BYTES = 256;
const READ_BYTES = 64 * 1024;

/** The most bytes of the files of an archive together, decompressed. A table of the most cells is half of it. */
const MAX_EXPANDED_BYTES = 2 * 1024 * 1024 * 1024;

/**
 * The most bytes that an archive may become: a fixed number, and a multiple of its size. Sheets become six to ten times
 * their size; a million rows of five constants without references fit within the first bound.
 */
const MIN_INFLATED_BYTES = 128 * 1024 * 1024;
const MAX_INFLATION = 100;

/** A ZIP archive, whose files are inflated as they are read. */
export class ZipArchive {
  readonly #file: ByteFile;
  readonly #budget: ByteBudget;
  readonly #entries: ReadonlyMap<string, ZipEntry>;
  #expanded = 0;

  /**
   * Reads the directory of an archive.
   *
   * @throws {FormatError} if it is none, or is damaged, or its files share bytes.
   */
  static async open(file: ByteFile, budget: ByteBudget): Promise<ZipArchive> {
    budget.receive(file.length);
    const directory = await readDirectory(file);
    budget.hold('The directory of the workbook').add(directory.count * ENTRY_BYTES);
    const entries = withContext('The directory of the workbook', () => [...listEntries(directory)]);
    const shared = findOverlap(entries);
    if (shared) throw damaged(`the file ${JSON.stringify(shared.name)} shares bytes with another`);
    return new ZipArchive(file, budget, new Map(entries.map((entry) => [entry.name, entry])));
  }

  private constructor(file: ByteFile, budget: ByteBudget, entries: ReadonlyMap<string, ZipEntry>) {
    this.#file = file;
    this.#budget = budget;
    this.#entries = entries;
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /**
   * Yields the bytes of a file of the archive.
   *
   * @throws {FormatError} if there is no such file, it is damaged, or it becomes too large.
   */
  async *read(name: string): AsyncGenerator<Uint8Array> {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw damaged(`the file ${JSON.stringify(name)} is missing`);
    if (entry.isEncrypted) throw new FormatError(PROTECTED);
    if (entry.method !== STORED && entry.method !== DEFLATED) {
      throw damaged(`the file ${JSON.stringify(name)} is compressed in a way that Excel does not use`);
    }
    const stored = Readable.from(this.#readStored(entry));
    const inflate = createInflateRaw({ chunkSize: READ_BYTES });
    stored.on('error', (error) => inflate.destroy(error));
    const bytes = entry.method === STORED ? stored : stored.pipe(inflate);
    try {
      for await (const chunk of bytes) {
        this.#count(chunk.length, name);
        yield chunk;
      }
    } catch (error) {
      const isZlib = error instanceof Error && 'code' in error && /^Z_/.test(String(error.code));
      throw isZlib ? damaged(`the file ${JSON.stringify(name)} cannot be decompressed`) : error;
    } finally {
      stored.destroy();
      inflate.destroy();
    }
  }

  async *#readStored({ name, start, size }: ZipEntry): AsyncGenerator<Uint8Array> {
    const header = Buffer.from(await this.#file.read(start, start + LOCAL));
    if (header.readUInt32LE(0) !== LOCAL_SIGNATURE) {
      throw damaged(`the file ${JSON.stringify(name)} does not begin where the directory says`);
    }
    const begin = start + LOCAL + header.readUInt16LE(26) + header.readUInt16LE(28);
    const end = begin + size;
    if (end > this.#file.length) throw damaged(`the file ${JSON.stringify(name)} is cut off`);
    for (let at = begin; at < end; at += READ_BYTES) {
      yield await this.#file.read(at, Math.min(at + READ_BYTES, end));
    }
  }

  #count(bytes: number, name: string): void {
    this.#budget.expand(bytes, `The file ${JSON.stringify(name)} of the workbook`);
    this.#expanded += bytes;
    const { length } = this.#file;
    const max = MIN_INFLATED_BYTES + MAX_INFLATION * length;
    if (this.#expanded > max) {
      throw new FormatError(
        `The file ${JSON.stringify(name)} brings the workbook to more than ${max.toLocaleString('en')} bytes when it is decompressed, the limit for a workbook of ${length.toLocaleString('en')} bytes. Save the sheet as CSV, or send fewer rows.`,
      );
    }
    if (this.#expanded <= MAX_EXPANDED_BYTES) return;
    throw new FormatError(
      'The workbook becomes more than 2 GiB when it is decompressed. Save the sheet as CSV, or send fewer rows.',
    );
  }
}

/** The records of a directory. */
interface Directory {
  readonly count: number;
  readonly bytes: Buffer;
  readonly start: number;
}

/** A workbook with a password, and one of Excel 97 to 2003, are compound files. */
const COMPOUND = 'd0cf11e0';
const PROTECTED =
  'The workbook is protected by a password, or is an .xls file of Excel 97 to 2003. Save it as .xlsx without a password.';

async function readDirectory(file: ByteFile): Promise<Directory> {
  const begin = Buffer.from(await file.read(0, Math.min(4, file.length)));
  if (begin.toString('hex') === COMPOUND) throw new FormatError(PROTECTED);
  if (begin.toString('latin1', 0, 2) !== 'PK') {
    throw new FormatError('The body is not an .xlsx workbook: it does not begin with PK.');
  }
  const tailStart = Math.max(0, file.length - END - MAX_COMMENT);
  const tail = Buffer.from(await file.read(tailStart, file.length));
  let at = tail.length - END;
  while (at >= 0 && tail.readUInt32LE(at) !== END_SIGNATURE) at--;
  if (at < 0) throw damaged('its directory is missing; it was cut off. Send all of it');
  const count = tail.readUInt16LE(at + 10);
  const length = tail.readUInt32LE(at + 12);
  const start = tail.readUInt32LE(at + 16);
  if (start === 0xffff_ffff || count === 0xffff || start + length > tailStart + at) {
    throw damaged('its directory is not where its end says');
  }
  if (length > MAX_DIRECTORY_BYTES) throw damaged('its directory is larger than 4 MiB');
  return { count, bytes: Buffer.from(await file.read(start, start + length)), start };
}

function* listEntries({ count, bytes, start: limit }: Directory): Generator<ZipEntry> {
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (bytes.readUInt32LE(at) !== CENTRAL_SIGNATURE) throw damaged('its directory is damaged');
    const nameLength = bytes.readUInt16LE(at + 28);
    const size = bytes.readUInt32LE(at + 20);
    const start = bytes.readUInt32LE(at + 42);
    const end = start + LOCAL + nameLength + size;
    if (end > limit) throw damaged('a file is not where its directory says');
    const name = bytes.toString('utf8', at + CENTRAL, at + CENTRAL + nameLength);
    const method = bytes.readUInt16LE(at + 10);
    const isEncrypted = (bytes.readUInt16LE(at + 8) & 1) === 1;
    yield { name: name.replaceAll('\\', '/'), start, end, size, method, isEncrypted };
    at += CENTRAL + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
}

function damaged(what: string): FormatError {
  return new FormatError(`The workbook is damaged: ${what}. Save it again.`);
}
