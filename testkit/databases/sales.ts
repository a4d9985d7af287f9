import { join } from 'node:path';
import { DatabaseSync } from '../../server/store/database/sqlite-connection.js';
import { diamondTable } from '../data/diamonds.js';

/**
 * Creates an SQLite database of sales, with tables that agents and trainings read, and one of secrets
 * that they must not. Returns its file.
 */
export function createSales(folder: string): string {
  const file = join(folder, 'sales.db');
  const database = new DatabaseSync(file);
  database.exec(`
    create table orders (id integer primary key, cut text, price real);
    insert into orders (cut, price) values ('Ideal', 1000), ('Ideal', 3000), ('Fair', 300);
    create table secrets (word text);
    insert into secrets values ('swordfish');
    create table stones (carat real, cut text, price integer);
  `);
  const insert = database.prepare('insert into stones values (?, ?, ?)');
  for (const { carat, cut, price } of diamondTable(100).rows) insert.run(carat, cut, price);
  database.close();
  return file;
}
