import { type Kysely, type Selectable, sql } from 'kysely';
import type { components } from '../../generated/openapi.js';
import { dialectOf } from '../store/database/dialect.js';
import { type Parameter, PreparedQuery } from '../store/database/prepared-query.js';
import type { Database } from '../store/database/schema.js';
import { AddedAndRemovedError, TooLargeError, UnknownReferenceError } from '../store/errors.js';
import type { Store } from '../store/index.js';
import { chunks, lookup } from '../store/lookup.js';
import { type ListEntry, type Page, paginate, partsOf } from '../store/page.js';
import { refuseTakenName, reserveQuota } from '../store/quota/project-quota.js';
import { bytesOf, sizeOf } from '../store/quota/size.js';
import {
  EMPTY_OBJECT,
  type Key,
  key,
  mergedText,
  newResource,
  type OpenObject,
} from '../store/resource.js';
import { remove } from './remove.js';
import { AgentWriter } from './written-agents.js';

export type Agent = components['schemas']['Agent'];

/** The fields of an agent other than its skills. */
export interface AgentFields {
  readonly name: string;
  readonly model_name: string | null;
  readonly provider: string | null;
  readonly prompt_template: string | null;
  readonly model: Agent['model'];
  readonly data: Agent['data'];
  readonly settings: OpenObject;
}

/** The parts of an agent that an answer needs. */
export interface AnsweringAgent
  extends Pick<Agent, 'name' | 'model_name' | 'prompt_template' | 'model' | 'settings'> {
  /** The first skills, in order. Large params are left out. */
  readonly skills: readonly Pick<Agent['skills'][number], 'id' | 'name' | 'type' | 'params'>[];
}

/** The most skills that an answer reads, and the most bytes of the params of one. */
const MAX_ANSWERING_SKILLS = 200;
const MAX_PARAMS = 16 * 1024;

/** A change to an agent's list of skills, each by name or id. */
export type SkillsChange =
  | { readonly replace: readonly string[] }
  | { readonly add: readonly string[]; readonly remove: readonly string[] };

/** Returns the entries of a list without reading the agents. */
export function listAgentIds(store: Store, projectId: string, page: Page): Promise<ListEntry[]> {
  const all = store.reads
    .selectFrom('agents')
    .select(['id', dialectOf(store.reads).octets('settings').as('bytes')])
    .where('project_id', '=', projectId);
  return paginate(all, 'id', page).execute();
}

/**
 * Yields the JSON of agents with their skills, each in pieces; skips those that no longer exist.
 */
export async function* readAgentsJson(
  store: Store,
  entries: readonly ListEntry[],
): AsyncGenerator<readonly string[]> {
  const writer = new AgentWriter(store.reads);
  for (const part of partsOf(entries)) {
    const rows = await lookup(
      part.map(({ id }) => id),
      (ids) => store.reads.selectFrom('agents').selectAll().where('id', 'in', ids).execute(),
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const { id } of part) {
      const row = byId.get(id);
      if (row) yield await writer.write(row);
    }
  }
}

/**
 * Returns the JSON of an agent with its skills, in pieces. Yields to other requests while it is
 * read.
 */
export async function getAgentJson(
  store: Store,
  projectId: string,
  nameOrId: string,
): Promise<readonly string[] | undefined> {
  const row = await findRow(store.reads, projectId, nameOrId);
  return row && new AgentWriter(store.reads).write(row);
}

/** Returns what an answer needs of an agent, and of its first skills. */
export async function findAnsweringAgent(
  store: Store,
  projectId: string,
  nameOrId: string,
): Promise<AnsweringAgent | undefined> {
  const row = await findRow(store.reads, projectId, nameOrId);
  if (!row) return undefined;
  const { id, name, model_name, prompt_template } = row;
  const params = sql<
    string | null
  >`case when ${dialectOf(store.reads).octets('skills.params')} <= ${MAX_PARAMS} then params end`;
  const skills = await store.reads
    .selectFrom('agent_skills')
    .innerJoin('skills', 'skills.id', 'agent_skills.skill_id')
    .select(['skills.id', 'skills.name', 'skills.type', params.as('params')])
    .where('agent_skills.agent_id', '=', id)
    .orderBy('agent_skills.position')
    .limit(MAX_ANSWERING_SKILLS)
    .execute();
  return {
    ...{ name, model_name, prompt_template },
    model: row.model === null ? null : JSON.parse(row.model),
    settings: JSON.parse(row.settings),
    skills: skills.map((skill) => ({ ...skill, params: JSON.parse(skill.params ?? '{}') })),
  };
}

/**
 * @returns the agent, as `show` does
 * @throws {NameTakenError}
 * @throws {LimitReachedError}
 * @throws {TooLargeError}
 * @throws {UnknownReferenceError} if a skill does not exist; then nothing is created
 */
export async function createAgent(
  store: Store,
  projectId: string,
  fields: AgentFields,
  skills: readonly string[],
): Promise<readonly string[]> {
  await refuseTakenName(store.reads, 'agents', projectId, fields.name);
  const used = bounded(await skillIds(store.reads, projectId, skills));
  const identity = newResource();
  const row = { ...fields, ...jsonColumns(EMPTY_ROW, fields) };
  const growth = { agents: 1, bytes: bytesOf('agents', row), uses: used.length };
  await reserveQuota(store.reads, projectId, growth, store.limits);
  await store.reads
    .insertInto('agents')
    .values({ ...identity, project_id: projectId, ...row })
    .execute();
  await putSkills(store.reads, identity.id, used);
  return readAgain(store, projectId, identity.id);
}

/**
 * @returns the agent, as `show` does; undefined if there is none
 * @throws {NameTakenError}
 * @throws {LimitReachedError}
 * @throws {TooLargeError}
 * @throws {UnknownReferenceError} if a skill does not exist; then nothing is changed
 * @throws {AddedAndRemovedError} if a skill is both added and removed
 */
export async function updateAgent(
  store: Store,
  projectId: string,
  nameOrId: string,
  change: Partial<AgentFields>,
  skills?: SkillsChange,
): Promise<readonly string[] | undefined> {
  const row = await findRow(store.reads, projectId, nameOrId);
  if (!row) return undefined;
  const { id } = row;
  const { name, model_name, provider, prompt_template } = { ...row, ...change };
  await refuseTakenName(store.reads, 'agents', projectId, name, id);
  const used = skills && bounded(await changedSkills(store.reads, projectId, id, skills));
  const changed = {
    ...{ name, model_name, provider, prompt_template },
    ...jsonColumns(row, change),
  };
  const { bytes, uses } = await sizeOf(store.reads, 'agents', id);
  const growth = {
    bytes: bytesOf('agents', changed) - bytes,
    uses: used ? used.length - uses : 0,
  };
  await reserveQuota(store.reads, projectId, growth, store.limits);
  await store.reads
    .updateTable('agents')
    .set({ ...changed, updated_at: new Date().toISOString() })
    .where('id', '=', id)
    .execute();
  if (used) await putSkills(store.reads, id, used);
  return readAgain(store, projectId, id);
}

/**
 * Deletes an agent and removes it from its chatbots; its skills remain. Returns whether it
 * existed.
 */
export async function removeAgent(
  store: Store,
  projectId: string,
  nameOrId: string,
): Promise<boolean> {
  return remove(store.reads, 'agents', projectId, key(nameOrId));
}

async function readAgain(store: Store, projectId: string, id: string): Promise<readonly string[]> {
  const agent = await getAgentJson(store, projectId, id);
  if (!agent) throw new Error(`The agent ${id} vanished within its own transaction`);
  return agent;
}

type Row = Selectable<Database['agents']>;

type JsonColumns = Pick<Row, 'model' | 'data' | 'settings'>;

const EMPTY_ROW: JsonColumns = { model: null, data: null, settings: EMPTY_OBJECT };

/** Returns the JSON columns after a change. */
function jsonColumns(stored: JsonColumns, change: Partial<AgentFields>): JsonColumns {
  const { model, data, settings = {} } = change;
  return {
    model: model === undefined ? stored.model : model && JSON.stringify(model),
    data: data === undefined ? stored.data : data && JSON.stringify(data),
    settings: mergedText('settings', stored.settings, settings),
  };
}

function findBy(column: Key['column']) {
  return new PreparedQuery((db, parameter: Parameter<{ projectId: string; value: string }>) =>
    db
      .selectFrom('agents')
      .selectAll()
      .where('project_id', '=', parameter('projectId'))
      .where(column, '=', parameter('value')),
  );
}

const FIND = { id: findBy('id'), name: findBy('name') };

function findRow(
  db: Kysely<Database>,
  projectId: string,
  nameOrId: string,
): Promise<Row | undefined> {
  const { column, value } = key(nameOrId);
  return FIND[column].first(db, { projectId, value });
}

const MAX_SKILLS = 1000;

/**
 * Removes duplicates from the skills of an agent.
 * @throws {TooLargeError} if there are more than an agent may use
 */
function bounded(ids: readonly string[]): string[] {
  const each = new Set(ids);
  if (each.size > MAX_SKILLS) throw new TooLargeError('skills', `${MAX_SKILLS} skills`);
  return [...each];
}

/** Returns the ids of the skills that an agent uses after a change. */
async function changedSkills(
  db: Kysely<Database>,
  projectId: string,
  agentId: string,
  change: SkillsChange,
): Promise<string[]> {
  if ('replace' in change) return skillIds(db, projectId, change.replace);
  const added = await skillIds(db, projectId, change.add);
  const removed = new Set(await skillIds(db, projectId, change.remove));
  const both = change.add.filter((_, index) => removed.has(added[index] ?? ''));
  if (both.length > 0) throw new AddedAndRemovedError(both);
  const used = await db
    .selectFrom('agent_skills')
    .select('skill_id')
    .where('agent_id', '=', agentId)
    .orderBy('position')
    .execute();
  return [...used.map(({ skill_id }) => skill_id), ...added].filter((id) => !removed.has(id));
}

async function putSkills(
  db: Kysely<Database>,
  agentId: string,
  skills: readonly string[],
): Promise<void> {
  await db.deleteFrom('agent_skills').where('agent_id', '=', agentId).execute();
  const rows = skills.map((skill_id, position) => ({ agent_id: agentId, skill_id, position }));
  for (const part of chunks(rows)) await db.insertInto('agent_skills').values(part).execute();
}

/** Returns the ids of skills, in the order in which they are named. */
async function skillIds(
  db: Kysely<Database>,
  projectId: string,
  named: readonly string[],
): Promise<string[]> {
  const keys = named.map(key);
  const found = await lookup(
    keys.map(({ value }) => value),
    (values) =>
      db
        .selectFrom('skills')
        .select(['id', 'name'])
        .where('project_id', '=', projectId)
        .where(({ or, eb }) => or([eb('name', 'in', values), eb('id', 'in', values)]))
        .execute(),
  );
  const byName = new Map(found.map(({ id, name }) => [name, id]));
  const ids = new Set(found.map(({ id }) => id));
  const resolved = keys.map(({ column, value }) =>
    column === 'name' ? byName.get(value) : ids.has(value) ? value : undefined,
  );
  const unknown = named.filter((_, index) => resolved[index] === undefined);
  if (unknown.length > 0) throw new UnknownReferenceError(unknown);
  return resolved.filter((id) => id !== undefined);
}
