import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ByteFile } from './columns/byte-file.js';

/** A temporary file without a name: it is gone when it is closed, or the process ends. */
export class SpoolFile implements ByteFile {
  readonly #handle: FileHandle;
  #length = 0;

  /** @throws the error of the source, or of the file system. */
  static async of(source: AsyncIterable<Uint8Array>): Promise<SpoolFile> {
    const path = join(tmpdir(), `roster-${randomUUID()}`);
    const handle = await open(path, 'wx+', 0o600);
    try {
      await unlink(path);
      const file = new SpoolFile(handle);
      for await (const piece of source) await file.#append(piece);
      return file;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  get length(): number {
    return this.#length;
  }

  async read(start: number, end: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(end - start);
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await this.#handle.read(bytes, filled, bytes.length - filled, start + filled);
      if (bytesRead === 0) throw new Error('The temporary file is shorter than what was written.');
      filled += bytesRead;
    }
    return bytes;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #append(bytes: Uint8Array): Promise<void> {
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, written);
      written += bytesWritten;
    }
    this.#length += bytes.length;
  }
}
