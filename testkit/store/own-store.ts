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
  remove(): Promise<void>;
}

export interface Connection {
  run(sql: string): Promise<void>;
  close(): Promise<void>;
}

let stores = 0;

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
