import { type Kysely, type Selectable, sql } from 'kysely';
import { dialectOf } from '../store/database/dialect.js';
import { type Parameter, PreparedQuery } from '../store/database/prepared-query.js';
import type { Database } from '../store/database/schema.js';
import type { Store } from '../store/index.js';
import { lookup, padToPowerOfTwo } from '../store/lookup.js';
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
import { skillJson } from './written-json.js';

export interface NewSkill {
  readonly name: string;
  readonly type: string;
  readonly params: OpenObject;
}

/** A skill, as far as what depends on it has to know it. */
export interface FoundSkill {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/** A change to a skill; `params` are merged with the stored ones. */
export type SkillChange = Partial<NewSkill>;

/**
 * Returns the entries of a list without reading the skills.
 * @param agents names or ids: only the skills that any of these agents uses
 */
export function listSkillIds(
  store: Store,
  projectId: string,
  page: Page,
  agents?: readonly string[],
): Promise<ListEntry[]> {
  return selectSkills(store, projectId, page, agents)
    .select(['id', dialectOf(store.reads).octets('params').as('bytes')])
    .execute();
}

/** Yields the JSON of skills, each in one piece; skips those that no longer exist. */
export async function* readSkillsJson(
  store: Store,
  entries: readonly ListEntry[],
): AsyncGenerator<readonly string[]> {
  for (const part of partsOf(entries)) {
    const ids = part.map(({ id }) => id);
    const texts = await skillTexts(store.reads, ids);
    for (const id of ids) {
      const text = texts.get(id);
      if (text !== undefined) yield [text];
    }
  }
}

function selectSkills(store: Store, projectId: string, page: Page, agents?: readonly string[]) {
  const all = store.reads.selectFrom('skills').where('project_id', '=', projectId);
  const values = padToPowerOfTwo((agents ?? []).map((agent) => key(agent).value));
  const wanted =
    agents === undefined
      ? all
      : all.where('id', 'in', (query) =>
          query
            .selectFrom('agent_skills')
            .innerJoin('agents', 'agents.id', 'agent_skills.agent_id')
            .select('agent_skills.skill_id')
            .where('agents.project_id', '=', projectId)
            .where(({ or, eb }) =>
              or([eb('agents.name', 'in', values), eb('agents.id', 'in', values)]),
            ),
        );
  return paginate(wanted, 'id', page);
}

/** Finds a skill without its params. */
export function findSkillRow(
  store: Store,
  projectId: string,
  nameOrId: string,
): Promise<FoundSkill | undefined> {
  const { column, value } = key(nameOrId);
  return store.reads
    .selectFrom('skills')
    .select(['id', 'name', 'type'])
    .where('project_id', '=', projectId)
    .where(column, '=', value)
    .executeTakeFirst();
}

/** Returns the JSON of a skill, in one piece. */
export async function getSkillJson(
  store: Store,
  projectId: string,
  nameOrId: string,
): Promise<readonly string[] | undefined> {
  return shown(await findRow(store.reads, projectId, nameOrId));
}

/**
 * Finds a skill by the names in its address, in one query; also undefined if there is no such
 * project.
 */
export async function getSkillJsonByPath(
  store: Store,
  owner: string,
  project: string,
  nameOrId: string,
): Promise<readonly string[] | undefined> {
  const { column, value } = key(nameOrId);
  return shown(await FIND_AT[column].first(store.reads, { owner, project, value }));
}

/**
 * @returns the skill, as `show` does
 * @throws {NameTakenError}
 * @throws {LimitReachedError}
 * @throws {TooLargeError}
 */
export async function createSkill(
  store: Store,
  projectId: string,
  { name, type, params }: NewSkill,
): Promise<readonly string[]> {
  await refuseTakenName(store.reads, 'skills', projectId, name);
  const text = mergedText('params', EMPTY_OBJECT, params);
  const row = { ...newResource(), name, type, project_id: projectId, params: text };
  await reserveQuota(
    store.reads,
    projectId,
    { skills: 1, bytes: bytesOf('skills', row) },
    store.limits,
  );
  await store.reads.insertInto('skills').values(row).execute();
  return [skillJson(row, null)];
}

/**
 * @returns the skill, as `show` does; undefined if there is none
 * @throws {NameTakenError}
 * @throws {LimitReachedError}
 * @throws {TooLargeError}
 */
export async function updateSkill(
  store: Store,
  projectId: string,
  nameOrId: string,
  { name, type, params }: SkillChange,
): Promise<readonly string[] | undefined> {
  const stored = await findRow(store.reads, projectId, nameOrId);
  if (!stored) return undefined;
  const { id } = stored;
  const row = {
    name: name ?? stored.name,
    type: type ?? stored.type,
    params: mergedText('params', stored.params, params ?? {}),
    updated_at: new Date().toISOString(),
  };
  await refuseTakenName(store.reads, 'skills', projectId, row.name, id);
  const { bytes } = await sizeOf(store.reads, 'skills', id);
  await reserveQuota(
    store.reads,
    projectId,
    { bytes: bytesOf('skills', row) - bytes },
    store.limits,
  );
  await store.reads.updateTable('skills').set(row).where('id', '=', id).execute();
  return shown({ ...stored, ...row });
}

/**
 * Deletes a skill and removes it from its agents; returns whether it existed. Its documents are
 * deleted with it; `sweepText` deletes their texts.
 */
export async function removeSkill(
  store: Store,
  projectId: string,
  nameOrId: string,
): Promise<boolean> {
  return remove(store.reads, 'skills', projectId, key(nameOrId));
}

type Row = Selectable<Database['skills']>;

/** Selects skills, each with the ids of the agents that use it, separated by commas. */
function withAgentIds(db: Kysely<Database>) {
  return db
    .selectFrom('skills')
    .selectAll('skills')
    .select(({ selectFrom }) =>
      selectFrom('agent_skills')
        .select(sql<string | null>`string_agg(agent_id, ',' order by agent_id)`.as('agent_ids'))
        .whereRef('skill_id', '=', 'skills.id')
        .as('agent_ids'),
    );
}

function findBy(column: Key['column']) {
  return new PreparedQuery((db, parameter: Parameter<{ projectId: string; value: string }>) =>
    withAgentIds(db)
      .where('skills.project_id', '=', parameter('projectId'))
      .where(`skills.${column}`, '=', parameter('value')),
  );
}

function findAtBy(column: Key['column']) {
  type Values = { owner: string; project: string; value: string };
  return new PreparedQuery((db, parameter: Parameter<Values>) =>
    withAgentIds(db)
      .innerJoin('projects', 'projects.id', 'skills.project_id')
      .where('projects.owner', '=', parameter('owner'))
      .where('projects.name', '=', parameter('project'))
      .where(`skills.${column}`, '=', parameter('value')),
  );
}

const FIND = { id: findBy('id'), name: findBy('name') };
const FIND_AT = { id: findAtBy('id'), name: findAtBy('name') };

type RowWithAgents = Row & { readonly agent_ids: string | null };

function findRow(
  db: Kysely<Database>,
  projectId: string,
  nameOrId: string,
): Promise<RowWithAgents | undefined> {
  const { column, value } = key(nameOrId);
  return FIND[column].first(db, { projectId, value });
}

function shown(row: RowWithAgents | undefined): readonly string[] | undefined {
  return row && [skillJson(row, row.agent_ids?.replaceAll(',', '","') ?? null)];
}

/** Returns the JSON of skills by their ids; skips those that do not exist. */
export async function skillTexts(
  db: Kysely<Database>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await lookup(ids, (some) =>
    db
      .selectFrom('skills')
      .selectAll()
      .select(
        sql<string | null>`(
          select string_agg(agent_id, '","' order by agent_id)
          from agent_skills where skill_id = skills.id
        )`.as('agents'),
      )
      .where('id', 'in', some)
      .execute(),
  );
  return new Map(rows.map(({ agents, ...row }) => [row.id, skillJson(row, agents)]));
}
