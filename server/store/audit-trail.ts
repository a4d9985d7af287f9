/** The audit log as it is read: listed, checked, and cut off at an age. */

import type { Kysely, RawBuilder, SelectQueryBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import { pausing } from '../common/pausing.js';
import { type EventColumns, hashEvent, writeFacts } from './audit.js';
import { getDialect } from './database/dialect.js';
import type { Database } from './database/schema.js';
import { describeRows } from './forget-rows.js';
import type { Store } from './index.js';
import type { Page } from './rows.js';

/** An event, as the contract has it. */
export type AuditEvent = ReturnType<typeof toEvent>;

/** The events that are listed: those that fulfil all that is given. */
export interface EventFilter {
  /** Moments in ISO 8601: the first that is listed, and the first that is not. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly owner?: string | undefined;
  readonly operation?: string | undefined;
  readonly key?: string | undefined;
  /** The address of a resource, or of what lies above it. */
  readonly resource?: string | undefined;
  readonly result?: 'done' | 'refused' | undefined;
}

type EventRow = EventColumns & { readonly sequence: number | string; readonly hash: string };

function toEvent({ id, owner, sequence, key_id, problem, ...row }: EventRow) {
  const created_at = readTime(id);
  return {
    id,
    created_at,
    at: created_at,
    owner: owner === '' ? null : owner,
    sequence: Number(sequence),
    operation: row.operation,
    resource: row.resource,
    key: key_id,
    subject: row.subject,
    request_id: row.request_id,
    address: row.address,
    user_agent: row.user_agent,
    result: problem === null ? ('done' as const) : ('refused' as const),
    problem,
    count: row.count,
    hash: row.hash,
  };
}

/** Returns the time that a UUIDv7 begins with. */
function readTime(id: string): string {
  const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}

/** Returns the lower bound of the ids of a time, which begin with its milliseconds. */
function firstId(moment: string | number): string {
  const digits = Math.max(0, new Date(moment).getTime()).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

/** The events that one query scans: the rest of the service waits for it no longer. */
const MAX_SCANNED = 2000;

/**
 * Lists events, in the order of their times. Reads all events that meet one of the conditions if these are few, and
 * otherwise scans the log in that order.
 * @param signal ends the search for events that are rare
 */
export async function listEvents(
  { reads }: Pick<Store, 'reads'>,
  filter: EventFilter,
  { limit = MAX_SCANNED, after = '' }: Page,
  signal?: AbortSignal,
): Promise<AuditEvent[]> {
  const conditions = listConditions(filter);
  const few = await findFew(reads, listIndexed(reads, filter));
  if (few) {
    let rows = inTime(reads.selectFrom(few.as('audit_events')), filter, after)
      .selectAll()
      .limit(limit);
    if (filter.operation !== undefined) rows = rows.where('operation', '=', filter.operation);
    for (const condition of conditions) rows = rows.where(condition);
    return (await rows.execute()).map(toEvent);
  }
  const pause = pausing();
  const found: AuditEvent[] = [];
  for (let last = after; found.length < limit; ) {
    signal?.throwIfAborted();
    let events = inTime(reads.selectFrom('audit_events'), filter, last);
    // These have an index in this order, so that the others are not scanned.
    if (filter.operation !== undefined) events = events.where('operation', '=', filter.operation);
    else if (filter.result === 'refused') events = events.where('problem', 'is not', null);
    const end = await events
      .select('id')
      .limit(1)
      .offset(MAX_SCANNED - 1)
      .executeTakeFirst();
    let rows = events.selectAll().limit(Math.min(limit - found.length, MAX_SCANNED));
    if (end) rows = rows.where('id', '<=', end.id);
    for (const condition of conditions) rows = rows.where(condition);
    for (const row of await rows.execute()) found.push(toEvent(row));
    if (!end) break;
    last = end.id;
    await pause();
  }
  return found;
}

type Condition = RawBuilder<SqlBool>;

/** Selects the events after one, within the time of a filter, in the order of their times. */
function inTime(
  events: SelectQueryBuilder<Database, 'audit_events', object>,
  { since, until }: EventFilter,
  after: string,
) {
  let those = events.where('id', '>', after).orderBy('id');
  if (since !== undefined) those = those.where('id', '>=', firstId(since));
  if (until !== undefined) those = those.where('id', '<', firstId(until));
  return those;
}

/** Selects all events that meet one of the conditions, if it is one that few of them meet. */
async function findFew(reads: Kysely<Database>, conditions: readonly Condition[]) {
  for (const condition of conditions) {
    const events = reads.selectFrom('audit_events').where(condition);
    const last = events.select('id').offset(MAX_SCANNED - 1);
    if (!(await last.limit(1).executeTakeFirst())) return events.selectAll().limit(MAX_SCANNED);
  }
  return undefined;
}

/** Lists the conditions of a filter for which the log has an index. */
function listIndexed(reads: Kysely<Database>, { owner, key, resource, result }: EventFilter): Condition[] {
  const conditions: Condition[] = [];
  if (key !== undefined) conditions.push(sql`key_id = ${key}`);
  if (resource !== undefined) {
    // Ordered by its bytes, in which "0" follows "/".
    const bytes = getDialect(reads).locksRows ? sql`resource collate "C"` : sql`resource`;
    const below = sql`(${bytes} >= ${`${resource}/`} and ${bytes} < ${`${resource}0`})`;
    conditions.push(sql`(${bytes} = ${resource} or ${below})`);
  }
  if (result === 'refused') conditions.push(sql`problem is not null`);
  if (owner !== undefined) conditions.push(sql`owner = ${owner}`);
  return conditions;
}

/**
 * Lists the conditions of a filter as expressions that no index has: otherwise SQLite would read all events of an owner
 * in each part of the scan.
 */
function listConditions({ owner, key, resource, result }: EventFilter): Condition[] {
  const conditions: Condition[] = [];
  if (owner !== undefined) conditions.push(sql`owner || '' = ${owner}`);
  if (key !== undefined) conditions.push(sql`key_id || '' = ${key}`);
  if (resource !== undefined) {
    const below = `${resource}/`;
    const begin = sql`substr(resource, 1, cast(${below.length} as integer))`;
    conditions.push(sql`(resource || '' = ${resource} or ${begin} = ${below})`);
  }
  if (result === 'done') conditions.push(sql`problem is null`);
  if (result === 'refused') conditions.push(sql`coalesce(problem, '') <> ''`);
  return conditions;
}

/** The last event of an owner. A copy of it elsewhere proves later that the events up to it are the same. */
export interface ChainHead {
  /** Null for the events of unknown callers. */
  readonly owner: string | null;
  readonly sequence: number;
  readonly hash: string;
}

/** A chain that was followed, as far as its first fault. */
export interface CheckedChain {
  readonly head: ChainHead;
  readonly events: number;
  readonly fault?: string;
  /** The head from earlier, if the chain ends before it: a backup is restored, or the events after it were taken away. */
  readonly ahead?: ChainHead;
}

/** The events of a chain that are read at once. */
const READ_AT_ONCE = 500;

/**
 * Follows the chains of all owners, one after the other.
 * @param known heads from earlier, at most one of an owner, which have to be part of the chains
 */
export async function* checkChains({ work }: Store, known: readonly ChainHead[] = []): AsyncGenerator<CheckedChain> {
  const expected = new Map(known.map((head) => [head.owner ?? '', head]));
  const owners = new Set(expected.keys());
  for (const table of ['audit_chains', 'audit_events'] as const) {
    const rows = await work.selectFrom(table).select('owner').distinct().execute();
    for (const { owner } of rows) owners.add(owner);
  }
  for (const owner of [...owners].sort()) yield await checkChain(work, owner, expected.get(owner));
}

async function checkChain(work: Kysely<Database>, owner: string, known: ChainHead | undefined): Promise<CheckedChain> {
  const events = work.selectFrom('audit_events').where('owner', '=', owner);
  // Before the head, which may move on meanwhile.
  const { latest } = await events.select(({ fn }) => fn.max('sequence').as('latest')).executeTakeFirstOrThrow();
  const chain = await readChain(work, owner);
  let at = { sequence: chain.cut_sequence, hash: chain.cut_hash };
  let count = 0;
  const end = (fault?: string): CheckedChain => ({
    head: { owner: owner === '' ? null : owner, sequence: chain.sequence, hash: chain.hash },
    events: count,
    ...(fault !== undefined && { fault }),
  });
  if (Number(latest) > chain.sequence) return end(`event ${latest} is not part of the chain`);
  const pause = pausing();
  while (at.sequence < chain.sequence) {
    const rows = await events
      .selectAll()
      .where('sequence', '>', at.sequence)
      .where('sequence', '<=', chain.sequence)
      .orderBy('sequence')
      .limit(READ_AT_ONCE)
      .execute();
    if (Number(rows[0]?.sequence) !== at.sequence + 1) {
      // Deleted for their age since the chain was read.
      const { cut_sequence } = await readChain(work, owner);
      if (cut_sequence > at.sequence) return checkChain(work, owner, known);
      return end(`event ${at.sequence + 1} is missing`);
    }
    for (const row of rows) {
      const sequence = Number(row.sequence);
      if (sequence !== at.sequence + 1) return end(`event ${at.sequence + 1} is missing`);
      if (hashEvent(at.hash, writeFacts(row)) !== row.hash) {
        return end(`event ${sequence} of ${readTime(row.id)} was changed, or the one before it`);
      }
      at = { sequence, hash: row.hash };
      count += 1;
      if (known?.sequence === sequence && known.hash !== row.hash) {
        return end(
          `event ${sequence} is another one than that which was known: it was changed, or a backup from before it was restored`,
        );
      }
    }
    await pause();
  }
  if (at.hash !== chain.hash) return end(`event ${at.sequence} is not the last one`);
  return known && known.sequence > chain.sequence ? { ...end(), ahead: known } : end();
}

async function readChain(work: Kysely<Database>, owner: string) {
  const chain = await work.selectFrom('audit_chains').selectAll().where('owner', '=', owner).executeTakeFirst();
  return {
    sequence: Number(chain?.sequence ?? 0),
    hash: chain?.hash ?? '',
    cut_sequence: Number(chain?.cut_sequence ?? 0),
    cut_hash: chain?.cut_hash ?? '',
  };
}

/** Events, which are deleted from the beginning of their chain: it keeps the hash that the rest begins with. */
export const EVENTS = describeRows('audit_events', {
  name: 'events of the audit log',
  key: ['id'],
  since: 'id',
  writeTime: firstId,
  batch: 500,
  chain: 'sequence',
  owned: {
    columns: ['sequence', 'hash'],
    lock: async (db, owner) => {
      await db
        .selectFrom('audit_chains')
        .select('owner')
        .where('owner', '=', owner)
        .$if(getDialect(db).locksRows, (query) => query.forUpdate())
        .execute();
    },
    settle: async (db, owner, deleted) => {
      const last = Math.max(...deleted.map((event) => Number(event['sequence'])));
      const hash = deleted.find((event) => Number(event['sequence']) === last)?.['hash'];
      await db
        .updateTable('audit_chains')
        .set({ cut_sequence: last, cut_hash: String(hash) })
        .where('owner', '=', owner)
        .execute();
    },
  },
});
