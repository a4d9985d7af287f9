import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';

/** The functions of DuckDB that read a file, by the end of its name. */
const READERS: readonly (readonly [RegExp, string])[] = [
  [/\.parquet$/i, 'read_parquet'],
  [/\.(?:csv|tsv|txt)(?:\.gz|\.zst)?$/i, 'read_csv'],
  [/\.(?:json|ndjson|jsonl)(?:\.gz|\.zst)?$/i, 'read_json'],
];

/** The files of a view. */
export interface ViewFiles {
  readonly reader: string;
  /** Their real paths: none is a link. */
  readonly paths: readonly string[];
}

/** The files of a view cannot be used. The message names no folder. */
export class ViewFilesError extends Error {
  override readonly name = 'ViewFilesError';
}

/**
 * Finds the files of a view: a file, those of a folder and the folders in it, or those that a pattern such as
 * `/data/*.parquet` matches. A file that is named without a pattern may be a link; others must lie in their folder.
 *
 * @param place relative to the working directory
 * @param list returns the files that a pattern of DuckDB matches, in order
 * @throws {ViewFilesError} if there are none, of several formats, or one lies elsewhere
 */
export async function findFiles(place: string, list: (pattern: string) => Promise<string[]>): Promise<ViewFiles> {
  const path = resolve(place);
  const kind = await stat(path).catch(() => undefined);
  if (kind?.isFile()) return { reader: findReader([path]), paths: [await realpath(path)] };
  const isFolder = kind?.isDirectory() === true;
  const listed = isFolder ? await listFolder(path) : await list(path);
  if (listed.length === 0) throw new ViewFilesError('there are no files of CSV, JSON or Parquet');
  const reader = findReader(listed);
  const root = await realpath(isFolder ? path : staticFolder(path));
  const paths = await Promise.all(listed.map((file) => realpath(file)));
  const outside = paths.findIndex((file) => !file.startsWith(root.endsWith(sep) ? root : root + sep));
  if (outside >= 0)
    throw new ViewFilesError(`the file ${basename(listed[outside] ?? '')} is a link that leaves its folder`);
  return { reader, paths };
}

/** Lists the files of tables in a folder and in those below it. Links are listed, and not followed. */
async function listFolder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  // Writers use such names for what is not finished.
  const isHidden = (entry: string) => entry.split(sep).some((part) => /^[._]/.test(part));
  return entries
    .filter((entry) => !isHidden(entry) && READERS.some(([name]) => name.test(entry)))
    .sort()
    .map((entry) => join(folder, entry));
}

function findReader(files: readonly string[]): string {
  const readers = new Set(files.map((file) => READERS.find(([name]) => name.test(file))?.[1]));
  const [reader, other] = [...readers];
  if (reader === undefined || readers.has(undefined)) {
    throw new ViewFilesError(
      'the name of a file ends in none of .parquet, .csv, .tsv, .txt, .json, .ndjson and .jsonl',
    );
  }
  if (other !== undefined) throw new ViewFilesError('the files are of several formats');
  return reader;
}

/** Returns the folder before the first part of a path that is a pattern. */
function staticFolder(path: string): string {
  const at = path.search(/[*?[{]/);
  return dirname(at < 0 ? path : `${path.slice(0, at)}x`);
}
