import Papa from 'papaparse';
import { DatabaseSync } from '../../server/store/database/sqlite-connection.js';

const COLUMNS = ['carat', 'cut', 'color', 'clarity'] as const;

/** Creates a SQLite file with the table `stock`, from diamonds as CSV with a header. */
export function createStock(file: string, csv: string): void {
  const diamonds = Papa.parse<Record<string, string>>(csv.trimEnd(), { header: true }).data;
  const database = new DatabaseSync(file);
  database.exec('create table stock (carat real, cut text, color text, clarity text)');
  const insert = database.prepare('insert into stock values (?, ?, ?, ?)');
  for (const diamond of diamonds) insert.run(...COLUMNS.map((name) => diamond[name] ?? null));
  database.close();
}
