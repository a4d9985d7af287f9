import { type Kysely, type QueryCreator, sql } from 'kysely';
import { problem } from '../problems/problem.js';
import { getDialect, type Parameter, PreparedQuery } from './database/dialect.js';
import type { Database } from './database/schema.js';

const MEBIBYTE = 1024 * 1024;

/** The most of each. */
export interface Limits {
  /**
   * The most resources of a kind in a project, documents of a skill, conversations of a chatbot, projects and
   * responses of an owner.
   */
  readonly resources: number;
  /** Bytes (UTF-8) of JSON and long text in a project's skills, agents and chatbots. */
  readonly bytes: number;
  /** Uses of a project's skills by its agents: a skill that three agents use counts three times. */
  readonly uses: number;
  /**
   * Bytes that an owner stores in all projects: JSON and long text, documents, conversations, responses,
   * trained models, and training tables.
   */
  readonly stored: number;
  /** Of a conversation. */
  readonly messages: number;
  /** Ready versions of a model that are kept. */
  readonly versions: number;
  /** Bytes of an owner's responses kept under an Idempotency-Key. */
  readonly answers: number;
}

/**
 * An agent is shown with all of its skills in full, and each skill with the ids of all of its agents. One response may
 * therefore be as large as the whole project, and must fit into memory several times: as text, as objects, and as text
 * again. Many resources of the largest allowed size would not fit.
 */
export const DEFAULT_LIMITS: Limits = {
  resources: 10_000,
  bytes: 16 * MEBIBYTE,
  uses: 100_000,
  stored: 10 * 1024 * MEBIBYTE,
  messages: 10_000,
  versions: 5,
  answers: 64 * MEBIBYTE,
};

/** The kinds of resources in a project, whose row has a counter for each, under this name. */
export const RESOURCE_KINDS = ['skills', 'agents', 'chatbots', 'models'] as const;

export type Contents = Readonly<Record<(typeof RESOURCE_KINDS)[number], number>>;

const COUNTERS = [...RESOURCE_KINDS, 'bytes', 'uses'] as const;
type Counter = (typeof COUNTERS)[number];

/** The change of each counter by a write; negative if something is removed. */
export type Growth = { readonly [C in Counter]?: number };

const NO_GROWTH = { skills: 0, agents: 0, chatbots: 0, models: 0, bytes: 0, uses: 0 };

type ProjectGrowth = Record<Counter, number> & { id: string };

function updateProject(db: QueryCreator<Database>, parameter: Parameter<ProjectGrowth>) {
  return db
    .updateTable('projects')
    .set(({ eb }) => ({
      skills: eb('skills', '+', parameter('skills')),
      agents: eb('agents', '+', parameter('agents')),
      chatbots: eb('chatbots', '+', parameter('chatbots')),
      models: eb('models', '+', parameter('models')),
      bytes: eb('bytes', '+', parameter('bytes')),
      uses: eb('uses', '+', parameter('uses')),
    }))
    .where('id', '=', parameter('id'))
    .returning(['owner', 'name', ...COUNTERS]);
}

const ADJUST_PROJECT = new PreparedQuery(updateProject);

/** Both counters in one statement, where each costs a way to the database and back. */
const ADJUST_PROJECT_AND_OWNER = new PreparedQuery((db, parameter: Parameter<ProjectGrowth>) => {
  const bytes = sql<number>`cast(${parameter('bytes')} as bigint)`;
  return db
    .with('project', (step) => updateProject(step, parameter))
    .with('storage', (step) =>
      step
        .insertInto('owner_storage')
        .columns(['owner', 'bytes'])
        .expression(step.selectFrom('project').select(['owner', bytes.as('bytes')]))
        .onConflict((conflict) => conflict.column('owner').doUpdateSet({ bytes: sql`owner_storage.bytes + ${bytes}` }))
        .returning('bytes as stored'),
    )
    .selectFrom(['project', 'storage'])
    .selectAll();
});

/** The sums of transactions that count at their end, by project. */
const SUMS = new WeakMap<Kysely<Database>, Map<string, Growth>>();

/**
 * Does the work of a transaction that writes much, and counts all changes that `adjustCounters` receives meanwhile at its end.
 * @throws {ProblemError} if a limit of a project or its owner would be exceeded; the transaction must be rolled back
 */
export async function countAtEnd<T>(db: Kysely<Database>, limits: Limits, work: () => Promise<T>): Promise<T> {
  const sums = new Map<string, Growth>();
  SUMS.set(db, sums);
  const done = await work().finally(() => SUMS.delete(db));
  for (const [projectId, growth] of sums) await adjustCounters(db, projectId, growth, limits);
  return done;
}

function addGrowth(one: Growth, other: Growth): Growth {
  const sums = COUNTERS.map((counter) => [counter, (one[counter] ?? 0) + (other[counter] ?? 0)]);
  return Object.fromEntries(sums);
}

/**
 * Adds the change of a write to the counters of a project and of its owner. Never refuses a reduction, even if an
 * earlier release without the limit let the project exceed it.
 * @param limits without them, nothing is refused
 * @throws {ProblemError} if a limit of the project or its owner would be exceeded; the transaction must be rolled back
 */
export async function adjustCounters(
  db: Kysely<Database>,
  projectId: string,
  growth: Growth,
  limits?: Limits,
): Promise<void> {
  const sums = SUMS.get(db);
  if (sums) {
    sums.set(projectId, addGrowth(sums.get(projectId) ?? {}, growth));
    return;
  }
  if (Object.values(growth).every((change) => change === 0)) return;
  const values = { id: projectId, ...NO_GROWTH, ...growth };
  const both =
    values.bytes !== 0 && getDialect(db).locksRows ? await ADJUST_PROJECT_AND_OWNER.first(db, values) : undefined;
  const project = both ?? (await ADJUST_PROJECT.first(db, values));
  if (!project) throw new Error('The project vanished within a transaction that had locked it');
  if (limits) refuseFullProject(project, growth, limits);
  if (both) refuseExcess(Number(both.stored), values.bytes, limits?.stored);
  else if (values.bytes !== 0) {
    await adjustStored(db, project.owner, values.bytes, limits?.stored);
  }
}

/**
 * Refuses early what `adjustCounters` would refuse.
 * @param stored the bytes that are added and deleted for the owner, beyond the growth of the project
 * @throws {ProblemError} if a limit of the project or its owner would be exceeded
 */
export async function refuseGrowth(
  db: Kysely<Database>,
  projectId: string,
  growth: Required<Growth>,
  limits: Limits,
  stored: { readonly added: number; readonly released: number },
): Promise<void> {
  const project = await db
    .selectFrom('projects')
    .leftJoin('owner_storage', 'owner_storage.owner', 'projects.owner')
    .select(['projects.name', ...COUNTERS.map((counter) => `projects.${counter}` as const)])
    .select('owner_storage.bytes as stored')
    .where('projects.id', '=', projectId)
    .executeTakeFirstOrThrow();
  const grown = Object.fromEntries(COUNTERS.map((counter) => [counter, project[counter] + growth[counter]]));
  const bytes = Number(project.stored ?? 0) - stored.released + stored.added;
  refuseExcess(bytes, stored.added, limits.stored);
  refuseFullProject({ name: project.name, ...NO_GROWTH, ...grown }, growth, limits);
  refuseExcess(bytes + growth.bytes, growth.bytes, limits.stored);
}

/** @param project with its counters after the growth */
function refuseFullProject(
  project: Readonly<Record<Counter, number>> & { readonly name: string },
  growth: Growth,
  limits: Limits,
): void {
  for (const counter of COUNTERS) {
    if ((growth[counter] ?? 0) <= 0) continue;
    const limit = counter === 'bytes' || counter === 'uses' ? limits[counter] : limits.resources;
    if (project[counter] > limit) throw projectFull(project.name, counter, limit);
  }
}

function projectFull(project: string, counter: Counter, limit: number) {
  if (counter === 'bytes') {
    return limitReached(
      `The project "${project}" would hold more than ${limit / MEBIBYTE} MiB of params, settings and prompts; send less, delete some, or use another project.`,
    );
  }
  if (counter === 'uses') {
    return limitReached(
      `The project "${project}" would have agents that use its skills more than ${limit.toLocaleString('en')} times; take some off them, or use another project.`,
    );
  }
  return limitReached(
    `The project "${project}" already holds ${limit} ${counter}, the most that it may; delete some, or use another project.`,
  );
}

export function limitReached(detail: string) {
  return problem('/problems/limit-reached', detail);
}

const ADJUST_OWNER = new PreparedQuery(
  (db, parameter: Parameter<{ owner: string; bytes: number; answer_bytes: number }>) =>
    db
      .insertInto('owner_storage')
      .values({ owner: parameter('owner'), bytes: parameter('bytes'), answer_bytes: parameter('answer_bytes') })
      .onConflict((conflict) =>
        conflict
          .column('owner')
          .doUpdateSet({
            bytes: sql`owner_storage.bytes + ${parameter('bytes')}`,
            answer_bytes: sql`owner_storage.answer_bytes + ${parameter('answer_bytes')}`,
          }),
      )
      .returning(['bytes', 'answer_bytes']),
);

/**
 * Adds the change of a write to an owner's stored bytes. The owner's row stays locked until the end of the transaction,
 * so the count is exact. A caller that needs the lock of the project takes it first.
 * @param by the bytes added; negative if removed
 * @param limit without it, or if bytes are removed, nothing is refused
 * @throws {ProblemError} if the limit would be exceeded; the transaction must be rolled back
 */
export async function adjustStored(db: Kysely<Database>, owner: string, by: number, limit?: number): Promise<void> {
  const row = await ADJUST_OWNER.first(db, { owner, bytes: by, answer_bytes: 0 });
  // PostgreSQL returns large numbers as strings.
  refuseExcess(Number(row?.bytes), by, limit);
}

function refuseExcess(bytes: number, by: number, limit = Number.POSITIVE_INFINITY): void {
  if (by > 0 && bytes > limit) throw ownerFull(limit, bytes - by);
}

/** Sums what rows take. PostgreSQL gives large numbers as text. */
export function sumBytes(rows: readonly { readonly bytes: number | string }[]): number {
  return rows.reduce((sum, { bytes }) => sum + Number(bytes), 0);
}

/** Does the same for the kept responses of an owner. */
export async function adjustAnswers(
  db: Kysely<Database>,
  owner: string,
  by: number,
  limit = Number.POSITIVE_INFINITY,
): Promise<void> {
  const row = await ADJUST_OWNER.first(db, { owner, bytes: 0, answer_bytes: by });
  const bytes = Number(row?.answer_bytes);
  if (by <= 0 || bytes <= limit) return;
  throw limitReached(
    `The answers to your creations with an Idempotency-Key hold ${sizeText(bytes - by)}, and may hold ${sizeText(limit)}; create it without a key, or wait: each answer is dropped after 24 hours. Nothing was created.`,
  );
}

const STORED = new PreparedQuery((db, parameter: Parameter<{ owner: string }>) =>
  db.selectFrom('owner_storage').select('bytes').where('owner', '=', parameter('owner')),
);

/** @throws {ProblemError} if the owner stores as much as allowed: a write is refused early */
export async function refuseFullOwner(db: Kysely<Database>, owner: string, limit: number): Promise<void> {
  const row = await STORED.first(db, { owner });
  const bytes = Number(row?.bytes ?? 0);
  if (bytes >= limit) throw ownerFull(limit, bytes);
}

function ownerFull(limit: number, held: number) {
  return limitReached(
    `Your projects hold ${sizeText(held)} of params, settings, prompts, documents, conversations, responses, promises, models and training tables, and may hold ${sizeText(limit)}; send less, delete models or other resources, or wait for trainings to end.`,
  );
}

/** Formats a size, such as "10,737,418,240 bytes", in the unit of the settings. */
function sizeText(bytes: number): string {
  return `${bytes.toLocaleString('en')} bytes`;
}
