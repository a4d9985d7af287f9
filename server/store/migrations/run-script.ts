import { type Kysely, sql } from 'kysely';

/**
 * Runs statements, each of which ends with a semicolon. Each becomes one line first: SQLite keeps the
 * definitions of tables as they were written, and those of all releases are the same.
 */
export async function runScript(db: Kysely<unknown>, script: string): Promise<void> {
  for (const statement of script.split(';')) {
    const line = statement.trim().replaceAll(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')');
    if (line !== '') await sql.raw(line).execute(db);
  }
}
