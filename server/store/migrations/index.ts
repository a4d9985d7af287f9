import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import { getDialect } from '../database/dialect.js';
import { errorCode } from '../database/unavailable.js';
import * as first from './0001-first.js';
import * as documents from './0002-documents.js';
import * as conversations from './0003-conversations.js';
import * as modelSources from './0004-model-sources.js';
import * as forecasts from './0005-forecasts.js';
import * as models from './0006-models.js';
import * as responses from './0007-responses.js';
import * as oauth from './0008-oauth.js';
import * as promises from './0009-promises.js';
import * as limits from './0011-limits.js';
import * as projectKeys from './0012-project-keys.js';
import * as alarms from './0013-alarms.js';
import * as audit from './0014-audit.js';
import * as samples from './0016-samples.js';
import * as madeKeys from './0018-made-keys.js';
import * as responsesOfProjects from './0019-responses-of-projects.js';
import * as tableMarks from './0020-table-marks.js';
import * as tableReport from './0021-table-report.js';
import * as errorsOfModels from './0022-errors-of-models.js';
import * as clients from './0024-clients.js';
import * as descriptionsOfModels from './0025-descriptions-of-models.js';
import * as effort from './0026-effort.js';
import * as auditByOperation from './0029-audit-by-operation.js';
import * as vacuumOfPromises from './0030-vacuum-of-promises.js';
import * as rareEvents from './0034-rare-events.js';

/**
 * All migrations. They run in the order of their names, which are therefore numbered. Never edit a
 * released migration; correct it with a new one.
 */
export const migrations: Record<string, Migration> = {
  '0001-first': first,
  '0002-documents': documents,
  '0003-conversations': conversations,
  '0004-model-sources': modelSources,
  '0005-forecasts': forecasts,
  '0006-models': models,
  '0007-responses': responses,
  '0008-oauth': oauth,
  '0009-promises': promises,
  '0011-limits': limits,
  '0012-project-keys': projectKeys,
  '0013-alarms': alarms,
  '0014-audit': audit,
  '0016-samples': samples,
  '0018-made-keys': madeKeys,
  '0019-responses-of-projects': responsesOfProjects,
  '0020-table-marks': tableMarks,
  '0021-table-report': tableReport,
  '0022-errors-of-models': errorsOfModels,
  '0024-clients': clients,
  '0025-descriptions-of-models': descriptionsOfModels,
  '0026-effort': effort,
  '0029-audit-by-operation': auditByOperation,
  '0030-vacuum-of-promises': vacuumOfPromises,
  '0034-rare-events': rareEvents,
};

/**
 * The longest that a migration waits for tables which others use, in milliseconds. Reads wait behind it, and give up
 * after a second.
 */
const LOCK_WAIT_MS = 300;

/** The time after which it does not try again, in milliseconds. */
const PATIENCE_MS = 30_000;

/**
 * Brings the tables up to date, all in one transaction: a migration that is broken off leaves them as they
 * were. If several instances begin at once, one does it and the others wait. Instances that serve meanwhile go
 * on: on PostgreSQL, it takes all tables before it changes the first. With a lock at a time, a read that joins two
 * tables would hold one and wait for the other, each for the other, until the read gives up.
 * @returns the names of the migrations that ran, in their order
 * @throws if a later release wrote the store, or others use a table for longer than half a minute
 */
export async function migrate<Tables>(db: Kysely<Tables>): Promise<string[]> {
  const begun = performance.now();
  for (;;) {
    const migrator = new Migrator({ db, provider: { getMigrations: async () => withTables() } });
    const { error: cause, results = [] } = await migrator.migrateToLatest();
    if (cause === undefined) return results.map(({ migrationName }) => migrationName);
    if (cause instanceof Error && /previously executed migration \S* is missing/.test(cause.message)) {
      throw laterRelease(cause);
    }
    const isOver = performance.now() - begun > PATIENCE_MS;
    if (isOver || !(cause instanceof TablesInUse)) throw cause;
    await delay(LOCK_WAIT_MS * Math.random());
  }
}

/** Returns whether migrations that ran brought an existing store up to date; all of them make a new one. */
export function isUpgrade(ran: readonly string[]): boolean {
  return ran.length > 0 && ran.length < Object.keys(migrations).length;
}

/** PostgreSQL: a lock (55P03) or a statement (57014) took too long, or there was a deadlock (40P01). */
const NO_LOCK = /^(55P03|57014|40P01)$/;

/** Others use the tables. */
class TablesInUse extends Error {
  override readonly name = 'TablesInUse';
}

/** Returns the migrations, of which the first to run takes the tables that there are. */
function withTables(): Record<string, Migration> {
  let areTaken = false;
  const guard = ({ up }: Migration): Migration => ({
    up: async (db) => {
      if (!areTaken) await takeTables(db);
      areTaken = true;
      await up(db);
    },
  });
  return Object.fromEntries(Object.entries(migrations).map(([name, one]) => [name, guard(one)]));
}

/** @throws {TablesInUse} */
async function takeTables(db: Kysely<unknown>): Promise<void> {
  if (!getDialect(db).locksRows) return;
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables
      where schemaname = current_schema() and tablename not like 'kysely%'
        and pg_has_role(tableowner, 'usage')
      order by 1
  `.execute(db);
  if (rows.length === 0) return;
  const tables = sql.join(rows.map(({ name }) => sql.table(name)));
  try {
    await sql`set local statement_timeout = ${sql.lit(LOCK_WAIT_MS)}`.execute(db);
    await sql`lock table ${tables}`.execute(db);
    await sql`set local statement_timeout = 0`.execute(db);
  } catch (cause) {
    if (!NO_LOCK.test(errorCode(cause))) throw cause;
    const why = 'others use its tables, such as a backup; try again when they are done';
    throw new TablesInUse(why, { cause });
  }
}

/** Returns the error of a store that has migrations which this release lacks. */
export function laterRelease(cause?: unknown): Error {
  return new Error('it was written by a later release of Roster; run that release', { cause });
}
