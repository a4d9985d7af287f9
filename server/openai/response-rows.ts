import { type Kysely, type SqlBool, sql } from 'kysely';
import { type Caller, type Reach, seesProject } from '../auth/caller.js';
import type { Sweep } from '../common/sweeps.js';
import { problem } from '../problems/problem.js';
import type { Act } from '../store/audit.js';
import { getDialect, inTransaction } from '../store/database/dialect.js';
import type { Database } from '../store/database/schema.js';
import { describeRows, forgetBatch, STORED_ROWS } from '../store/forget-rows.js';
import type { Store } from '../store/index.js';
import { adjustStored, sumBytes } from '../store/quota.js';
import { lookup, padToPowerOfTwo, writeMoment } from '../store/rows.js';
import { type InputItem, toInput } from './items.js';
import type { Response } from './responses.js';

/** The size of a row without its texts, in bytes: its other columns and its index entries. */
const ROW_BYTES = 512;

/** The most responses of a conversation, and the most bytes of their items, as many as a body may have. */
const MAX_TURNS = 500;
const MAX_CONTEXT_BYTES = 1024 * 1024;

/** The responses of a conversation, and their input and output, the oldest first. */
export interface Chain {
  readonly ids: readonly string[];
  readonly items: readonly InputItem[];
}

/**
 * Reads a response and all that it continues.
 * @throws {ProblemError} if one of them is not kept, or they are too large together
 */
export async function readChain({ reads }: Store, owner: string, projectId: string, id: string): Promise<Chain> {
  const bytes = getDialect(reads).octets('responses.items');
  const chain = await reads
    .withRecursive('chain', (db) =>
      db
        .selectFrom('responses')
        .select(({ lit }) => ['id', 'previous_id', bytes.as('bytes'), lit(1).as('turn')])
        .where('id', '=', id)
        .where('owner', '=', owner)
        .where('project_id', '=', projectId)
        .unionAll(
          db
            .selectFrom('responses')
            .innerJoin('chain', 'chain.previous_id', 'responses.id')
            .select(({ eb }) => [
              ...(['responses.id', 'responses.previous_id'] as const),
              ...[bytes.as('bytes'), eb('chain.turn', '+', 1).as('turn')],
            ])
            .where('responses.owner', '=', owner)
            .where('chain.turn', '<=', MAX_TURNS),
        ),
    )
    .selectFrom('chain')
    .select(['id', 'previous_id', 'bytes'])
    .orderBy('turn', 'desc')
    .execute();
  if (chain.length > MAX_TURNS || sumBytes(chain) > MAX_CONTEXT_BYTES) throw tooLarge(id);
  if (chain[0]?.previous_id !== null) throw notFound(id);
  const ids = chain.map((row) => row.id);
  const rows = await lookup(ids, (some) =>
    reads.selectFrom('responses').select(['id', 'items']).where('id', 'in', some).execute(),
  );
  const items = new Map(rows.map((row) => [row.id, row.items]));
  // The store keeps items as they were read.
  return { ids, items: ids.flatMap((one): InputItem[] => JSON.parse(items.get(one) ?? '[]')) };
}

function notFound(id: string) {
  const errors = [{ pointer: '/body/previous_response_id', message: 'names no response that is kept' }];
  return problem(
    '/problems/previous-response-not-found',
    `There is no response ${JSON.stringify(id)} to continue, or one before it is gone; send the whole conversation as input.`,
    { errors },
  );
}

function tooLarge(id: string) {
  const message = `names a conversation of more than ${MAX_TURNS} responses or ${MAX_CONTEXT_BYTES} bytes`;
  return problem(
    '/problems/invalid-request',
    `The conversation of the response ${JSON.stringify(id)} has grown too large; begin another.`,
    { errors: [{ pointer: '/body/previous_response_id', message }] },
  );
}

interface NewResponse {
  readonly owner: string;
  /** The event of the request. */
  readonly act?: Act | undefined;
  readonly project: { readonly id: string; readonly name: string };
  readonly chain: Chain;
  readonly input: readonly InputItem[];
  readonly response: Response;
}

/**
 * Keeps a response, in place of the oldest ones if the owner has as many as allowed. Those that it continues are kept
 * as long.
 * @throws {ProblemError} if the owner would exceed the limit; nothing is kept then
 */
export function keepResponse(
  store: Store,
  { owner, act, project, chain, input, response }: NewResponse,
): Promise<void> {
  if (act) act.resource = `/v1/responses/${response.id}`;
  const items = JSON.stringify([...input, ...toInput(response.output)]);
  const body = JSON.stringify(response);
  const bytes = ROW_BYTES + Buffer.byteLength(items) + Buffer.byteLength(body);
  const used_at = new Date().toISOString();
  const row = { id: response.id, previous_id: response.previous_response_id, bytes, used_at };
  return store.transaction(
    async (tx) => {
      // Locks what the owner stores, so that the responses are counted one after the other.
      await adjustStored(tx.work, owner, bytes, tx.limits.stored);
      if (chain.ids.length > 0) {
        const ids = padToPowerOfTwo(chain.ids);
        await tx.work.updateTable('responses').set({ used_at }).where('id', 'in', ids).execute();
      }
      await dropOldest(tx, owner);
      const values = { ...row, owner, project_id: project.id, items, body };
      await tx.work.insertInto('responses').values(values).execute();
    },
    { owner, project: project.name, act },
  );
}

/** The most responses that give way to one, if the limit was lowered. */
const MAX_DROPPED = 64;

async function dropOldest({ work, limits }: Store, owner: string): Promise<void> {
  const own = work.selectFrom('responses').where('owner', '=', owner);
  const { count } = await own.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow();
  const excess = Number(count) + 1 - limits.resources;
  if (excess <= 0) return;
  const oldest = await own
    .select(['id', 'bytes'])
    .orderBy('used_at')
    .orderBy('id')
    .limit(Math.min(excess, MAX_DROPPED))
    .execute();
  const ids = padToPowerOfTwo(oldest.map(({ id }) => id));
  await work.deleteFrom('responses').where('id', 'in', ids).execute();
  await adjustStored(work, owner, -sumBytes(oldest));
}

/** Returns the JSON of a response of a project that exists. @throws {ProblemError} if the caller sees none of this identifier */
export async function findResponse({ reads }: Store, caller: Reach, id: string): Promise<string> {
  const row = await reads
    .selectFrom('responses')
    .innerJoin('projects', 'projects.id', 'responses.project_id')
    .select(['body', 'project_id'])
    .where('responses.id', '=', id)
    .where('responses.owner', '=', caller.owner)
    .executeTakeFirst();
  if (row && seesProject(caller, row.project_id)) return row.body;
  throw unknownResponse(id);
}

/**
 * @param check throws if the response, whose JSON it gets, is to stay
 * @throws {ProblemError} if the caller sees no response of this identifier
 */
export function removeResponse(
  store: Store,
  caller: Reach & Pick<Caller, 'act'>,
  id: string,
  check: (body: string) => Promise<void> = async () => {},
): Promise<void> {
  const { owner, act } = caller;
  return store.transaction(
    async ({ work }) => {
      // The owner first, as all others who write to responses: in another order, PostgreSQL ends one for a deadlock.
      await adjustStored(work, owner, 0);
      const removed = await work
        .deleteFrom('responses')
        .where('id', '=', id)
        .where('owner', '=', owner)
        .where('project_id', 'in', work.selectFrom('projects').select('id'))
        .returning(['bytes', 'project_id', 'body'])
        .executeTakeFirst();
      if (!removed || !seesProject(caller, removed.project_id)) throw unknownResponse(id);
      await check(removed.body);
      await adjustStored(work, owner, -Number(removed.bytes));
    },
    { owner, project: '', act },
  );
}

function unknownResponse(id: string) {
  return problem('/problems/response-not-found', `There is no response with the identifier ${JSON.stringify(id)}.`);
}

/** The age of a response begins anew when it is continued. */
export const RESPONSES = describeRows('responses', {
  name: 'responses',
  key: ['id'],
  since: 'used_at',
  writeTime: writeMoment,
  batch: 128,
  owned: STORED_ROWS,
});

/** Deletes the responses of deleted projects: they may be many, which the deletion of a project does not wait for. */
export function sweepOrphans({ work }: Store): Sweep {
  return {
    failure: 'responses of deleted projects are not deleted yet',
    everyMs: 1_000,
    step: async () => {
      const id = await findDeletedProject(work);
      if (id === undefined) return false;
      const isOrphan = sql<SqlBool>`project_id = ${id}`;
      return inTransaction(work, (db) => forgetBatch(db, RESPONSES, isOrphan));
    },
  };
}

/** Finds a deleted project that has responses. Looks at each project once, not at each response. */
async function findDeletedProject(db: Kysely<Database>): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    with recursive project (id) as (
      select min(project_id) from responses
      union all
      select (select min(project_id) from responses where project_id > project.id)
      from project where project.id is not null
    )
    select id from project
    where id is not null and not exists (select 1 from projects where projects.id = project.id)
    limit 1
  `.execute(db);
  return rows[0]?.id;
}
