import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { DatabaseSync } from '../../server/store/database/sqlite-connection.js';

/** A test's own empty store, of the same kind as the target's, that the test can change by SQL. */
export interface OwnStore {
  databaseUrl: string;
  isPostgres: boolean;
  /** Opens a connection beside the server's. */
  connect(): Promise<Connection>;
  /** Returns the URL of a store without rows: one in memory, or this one, emptied, which is quicker than another database. */
  empty(): Promise<string>;
  remove(): Promise<void>;
}

export interface Connection {
  run(sql: string): Promise<void>;
  close(): Promise<void>;
}

let stores = 0;

/** In any order: foreign keys are not looked at. The migrations stay, and so do the tables. */
const REMOVE_ROWS = `do $$
  declare name text;
  begin
    set local session_replication_role = replica;
    for name in
      select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%'
    loop
      execute format('delete from %I', name);
    end loop;
  end $$`;

/** @param databaseUrl the URL of the target; a PostgreSQL store is another database on its server */
export async function ownStore(databaseUrl: string | undefined): Promise<OwnStore> {
  return databaseUrl?.startsWith('postgres') ? postgresStore(databaseUrl) : sqliteStore();
}

async function sqliteStore(): Promise<OwnStore> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-own-'));
  const file = join(folder, 'roster.db');
  return {
    databaseUrl: `file:${file}`,
    isPostgres: false,
    connect: async () => {
      // The service may be writing when a test locks its store.
      const database = new DatabaseSync(file, { timeout: 30_000 });
      return {
        run: async (sql) => {
          database.exec(sql);
        },
        close: async () => {
          database.close();
        },
      };
    },
    empty: async () => ':memory:',
    remove: () => rm(folder, { recursive: true }),
  };
}

async function postgresStore(targetUrl: string): Promise<OwnStore> {
  stores += 1;
  const name = `own_${process.pid}_${stores}`;
  const target = await connectTo(targetUrl);
  await target.run(`create database ${name}`);
  const url = new URL(targetUrl);
  url.pathname = `/${name}`;
  return {
    databaseUrl: url.href,
    isPostgres: true,
    connect: () => connectTo(url.href),
    empty: async () => {
      const own = await connectTo(url.href);
      await own.run(REMOVE_ROWS);
      await own.close();
      return url.href;
    },
    remove: async () => {
      await target.run(`drop database ${name} with (force)`);
      await target.close();
    },
  };
}

export async function connectTo(connectionString: string): Promise<Connection> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return {
    run: async (sql) => {
      await client.query(sql);
    },
    close: () => client.end(),
  };
}
