import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { isPostgres } from '../store/index.js';
import { findSharedStore } from './on-store.js';
import { copyStore, nameFile, nameTime, refuseTakenName } from './store-copy.js';

export const backupCommand = new Command('backup')
  .description('copy the SQLite store at DATABASE_URL into a new file, even while the service runs')
  .argument('<file>', 'the copy, a file that does not exist yet, or a folder')
  .option('--keep <count>', 'with a folder: the newest copies to keep there; older ones are deleted', readCount)
  .action((target: string, { keep }: { readonly keep?: number }) => {
    const url = findSharedStore();
    if (isPostgres(url)) {
      throw new Error(
        'the store is in PostgreSQL, which has its own backup: pg_dump --format=custom --file=FILE "$DATABASE_URL"',
      );
    }
    const isFolder = statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
    if (keep !== undefined && !isFolder) throw new Error(`--keep needs a folder, not ${target}`);
    const file = isFolder ? join(target, `roster-${nameTime(new Date())}.db`) : target;
    const bytes = backUpSqlite(url.replace(/^file:/, ''), file);
    process.stdout.write(`The store is in ${file}: ${bytes} bytes, checked.\n`);
    if (keep !== undefined) deleteOlderCopies(target, keep);
  });

function readCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number of copies, such as 7.');
}

/** The names of copies in a folder, such as `roster-20270131T020000123Z.db`. */
const NAME = /^roster-\d{8}T\d{9}Z\.db$/;

/** Deletes the copies that the command made in a folder, except the newest. */
function deleteOlderCopies(folder: string, keep: number): void {
  const copies = readdirSync(folder).filter((name) => NAME.test(name));
  for (const name of copies.sort().slice(0, -keep)) {
    rmSync(join(folder, name));
    process.stdout.write(`Deleted ${join(folder, name)}.\n`);
  }
}

/**
 * Copies a store into a new file, with every transaction committed before and no part of any other.
 * The file gets its name only after the copy is complete, checked and flushed to disk.
 *
 * @param source the path of the store
 * @returns the size of the copy, in bytes
 * @throws if there is no store, the file exists or its folder does not, the disk is full, or the
 *   copy is damaged
 */
export function backUpSqlite(source: string, file: string): number {
  if (!existsSync(source)) throw new Error(`there is no store at ${source} (DATABASE_URL)`);
  refuseTakenName(file);
  try {
    return copyStore(source, file, (unfinished) => {
      refuseTakenName(file);
      nameFile(unfinished, file);
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the backup of ${source} was not made: ${reason}`, { cause });
  }
}
