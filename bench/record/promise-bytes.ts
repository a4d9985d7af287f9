import { sql } from 'kysely';
import { Store } from '../../server/store/index.js';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { Crowd, wire } from '../../testkit/http/load.js';
import { trainPricesPath } from '../predict/service.js';
import type { Finding, Scenario } from '../scenarios.js';
import { withPostgres, withService } from '../services.js';

const RATE = 100;
const SECONDS = 120;
/** Before it is measured: PostgreSQL looks once a minute for room that can be used again. */
const WARM_UP_SECONDS = 90;
const MOST_BYTES = 100;
const CONNECTIONS = 16;

/** The bytes that a remembered row adds to a store if rows come one by one at a steady rate. */
export const promiseBytes: Scenario = {
  name: 'promise-bytes',
  run: async ({ folder }) => [
    ...(await measureBytes('SQLite', `${folder}/sqlite`, `file:${folder}/sqlite/roster.db`)),
    ...(await withPostgres((url) => measureBytes('PostgreSQL', `${folder}/postgres`, url))),
  ],
};

function measureBytes(name: string, folder: string, databaseUrl: string): Promise<Finding[]> {
  const env = { LOG_LEVEL: 'info', RATE_LIMIT: '0' };
  const measure = async (service: Parameters<typeof trainPricesPath>[0]) => {
    const path = await trainPricesPath(service);
    const { rows } = diamondTable(1000);
    let sent = 0;
    const send = async (seconds: number) => {
      const request = () => wire(service.url, 'POST', `${path}?remember=true`, [rows[sent++ % rows.length]]);
      const crowd = new Crowd(service.url, request);
      const { served, others } = await crowd.openLoop(RATE, CONNECTIONS, seconds);
      crowd.close();
      if (others.length > 0) throw new Error(`a request was answered with ${others[0]}`);
      return served;
    };
    await send(WARM_UP_SECONDS);
    const before = await readSize(databaseUrl);
    const count = await send(SECONDS);
    const after = await readSize(databaseUrl);
    return (['disk', 'counted'] as const).map((what): Finding => {
      const bytes = (after[what] - before[what]) / count;
      return {
        asked: `${name}: a row that is remembered alone, ${RATE} a second, ${what === 'disk' ? 'with its indexes and its part of the audit log, on disk' : 'as it counts for its owner'}: at most ${MOST_BYTES} bytes`,
        measured: `${bytes.toFixed(0)} bytes of ${count} rows`,
        passed: bytes <= MOST_BYTES,
      };
    });
  };
  return withService(folder, measure, { databaseUrl, env });
}

/** Returns the bytes of a store, and those that count for its owner. */
async function readSize(databaseUrl: string): Promise<{ readonly disk: number; readonly counted: number }> {
  const store = await Store.open(databaseUrl);
  try {
    const owners = await store.reads.selectFrom('owner_storage').select('bytes').execute();
    const counted = owners.reduce((sum, { bytes }) => sum + Number(bytes), 0);
    return { disk: (await store.measure()) - (await measureFreed(store)), counted };
  } finally {
    await store.close();
  }
}

/** Returns the bytes of pages that SQLite uses again before its file grows; on PostgreSQL, those are in use. */
async function measureFreed(store: Store): Promise<number> {
  if (store.path === undefined) return 0;
  const { rows } = await sql<{ bytes: number }>`
    select freelist_count * page_size as bytes from pragma_freelist_count, pragma_page_size
  `.execute(store.reads);
  return rows[0]?.bytes ?? 0;
}
