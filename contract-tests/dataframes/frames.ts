import type { FileFormat } from 'roster-client';

/** A file that a library wrote. */
export interface WrittenFile {
  readonly format: FileFormat;
  /** Of the buffers of Arrow, where they are compressed. */
  readonly compression?: string | undefined;
  readonly path: string;
}

/** The rows of an answer. */
export type Rows = readonly Readonly<Record<string, unknown>>[];

/** A library of data frames that exchanges files with the service. */
export interface Frames {
  readonly name: string;
  /** Writes the same table in each format that the library has. */
  write(csv: string, folder: string): Promise<readonly WrittenFile[]>;
  /** The formats in which it reads answers. */
  readonly reads: readonly FileFormat[];
  read(file: WrittenFile): Promise<Rows>;
}
