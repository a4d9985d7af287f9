import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { DatabaseSync } from '../../server/store/database/sqlite-connection.js';
import { startPostgres } from '../store/postgres-database.js';

/** A database of a shop, with tables that an agent may read and others that it must not. */
export interface Shop {
  /** The URL for the setting `DATABASES`. */
  readonly url: string;
  /** Runs statements as the owner of the database. */
  execute(sql: string): Promise<void>;
  /** Returns the values of the first column of a query. */
  values(sql: string): Promise<unknown[]>;
  /** Creates another, empty database on the same server, if there is one. Returns its URL. */
  create?(name: string): Promise<string>;
  remove(): Promise<void>;
}

/** The tables and views that an agent may read; `spending` reads the forbidden table `cards`. */
export const ALLOWED = ['orders', 'customers', 'spending'];

/** Creates the tables in both dialects. */
const TABLES = `
create table customers (id integer primary key, name text, city text);
create table orders (
  id integer primary key, customer_id integer, total numeric, note text, ordered_at text
);
create table cards (number text, customer_id integer);
create table "Secret Keys" (key text);
create view spending as
  select customers.name as name, count(cards.number) as cards
  from customers left join cards on cards.customer_id = customers.id group by customers.name;
create view card_list as select number from cards;
insert into customers values (1, 'Ada', 'London'), (2, 'Blaise', 'Paris'), (3, 'Carl', null);
insert into orders values
  (1, 1, 12.5, 'first', '2026-01-31'), (2, 1, 20, null, '2026-02-01'), (3, 2, 7, 'x', '2026-02-02');
insert into cards values ('4111-1111', 1);
insert into "Secret Keys" values ('key-of-secret-keys');
`;

/** Functions that see everything, as someone may have defined them in a PostgreSQL database. */
const OWN_FUNCTIONS = `
create function own_function() returns text language sql as $$ select max(number) from cards $$;
create function own_leak(anyelement) returns text language sql as $$ select max(number) from cards $$;
create function own_leak(orders) returns text language sql as $$ select max(number) from cards $$;
create function md5(integer) returns text language sql as $$ select max(number) from cards $$;
create type own_type as enum ('1');
create operator public.+ (leftarg = text, rightarg = text, function = textcat);
create function own_comparison(integer, integer) returns boolean language sql
  as $$ select own_function() like $1 || '%' $$;
create operator public.=#= (leftarg = integer, rightarg = integer, function = own_comparison);
create function own_text(customers) returns text language sql as $$ select own_function() $$;
create cast (customers as text) with function own_text(customers) as implicit;
`;

/** Creates the shop in a file of SQLite, in a separate folder. */
export async function sqliteShop(): Promise<Shop> {
  const folder = mkdtempSync(join(tmpdir(), 'roster-shop-'));
  const path = join(folder, 'shop.db');
  const database = new DatabaseSync(path);
  database.exec('pragma journal_mode = WAL');
  database.exec(TABLES);
  return {
    url: `file:${path}`,
    execute: async (sql) => database.exec(sql),
    values: async (sql) =>
      database
        .prepare(sql)
        .all()
        .flatMap((row) => Object.values(row ?? {})),
    remove: async () => {
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Creates the shop in a separate PostgreSQL server. */
export async function postgresShop(): Promise<Shop> {
  const server = await startPostgres();
  const client = new pg.Client(server.url);
  client.on('error', () => {});
  await client.connect();
  await client.query(TABLES);
  await client.query(OWN_FUNCTIONS);
  return {
    url: server.url,
    execute: async (sql) => {
      await client.query(sql);
    },
    values: async (sql) => (await client.query({ text: sql, rowMode: 'array' })).rows.flat(),
    create: server.create,
    remove: async () => {
      await client.end();
      await server.remove();
    },
  };
}
