import { Socket } from 'node:net';
import { Pool } from 'pg';
import { refuseUnreadable } from './address.js';
import { Kysely, PostgresDialect } from './kysely.js';
import type { Database } from './schema.js';

/** Connections of one instance; PostgreSQL takes 100 from all of them together, unless it is told otherwise. */
const MOST_CONNECTIONS = 10;

/** In milliseconds. Where PostgreSQL itself ends what takes too long, nothing is left behind that holds a lock. */
const PATIENCE = { connection: 3_000, lock: 10_000, idleTransaction: 10_000, statement: 15_000 };

/** A connection on which nothing came for longer than a statement may take leads to a host that is gone. */
const SILENCE = PATIENCE.statement + 5_000;

/**
 * Opens a pool of connections to the PostgreSQL database that a URL names; they are made when they are
 * needed, and made again when they broke.
 * @param onError told that a connection broke which nobody was using
 * @param connections how many at most
 * @throws if the URL is none
 */
export function openPostgres(
  url: string,
  onError: (error: Error) => void,
  connections = MOST_CONNECTIONS,
): Kysely<Database> {
  refuseUnreadable(url);
  const pool = new Pool({
    connectionString: url,
    application_name: 'roster',
    max: connections,
    connectionTimeoutMillis: PATIENCE.connection,
    lock_timeout: PATIENCE.lock,
    idle_in_transaction_session_timeout: PATIENCE.idleTransaction,
    statement_timeout: PATIENCE.statement,
    keepAlive: true,
    stream: endedBySilence,
  });
  pool.on('error', onError);
  // One that is in use tells its user, with the next query. Without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

function endedBySilence(): Socket {
  const socket = new Socket();
  return socket.setTimeout(SILENCE, () => {
    socket.destroy(Object.assign(new Error('PostgreSQL has gone silent'), { code: 'ETIMEDOUT' }));
  });
}
