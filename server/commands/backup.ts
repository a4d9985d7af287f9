import { Command } from 'commander';
import { isPostgres } from '../store/index.js';
import { sharedStore } from './on-store.js';
import { backUpSqlite } from './sqlite-backup.js';

/** `backup`: copies the store into a file while the service runs. */
export const backupCommand = new Command('backup')
  .description('copy the SQLite store at DATABASE_URL into a new file, even while the service runs')
  .argument('<file>', 'the copy, a file that does not exist yet')
  .action(backUp);

function backUp(file: string): void {
  const url = sharedStore();
  if (isPostgres(url)) {
    throw new Error(
      'the store is in PostgreSQL, which has its own backup: pg_dump --format=custom --file=FILE "$DATABASE_URL"',
    );
  }
  const bytes = backUpSqlite(url.replace(/^file:/, ''), file);
  process.stdout.write(`The store is in ${file}: ${bytes} bytes, checked.\n`);
}
