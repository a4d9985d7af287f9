import { type Kysely, type Selectable, sql } from 'kysely';
import type { components } from '../../generated/openapi.js';
import type { Handlers } from '../api/handlers.js';
import { changedFields, omitNulls } from '../api/idempotency.js';
import { LruCache } from '../common/lru-cache.js';
import { pausing } from '../common/pausing.js';
import { invalidRequest, problem } from '../problems/problem.js';
import type { Project } from '../projects/projects.js';
import { getDialect, type Parameter, PreparedQuery } from '../store/database/dialect.js';
import type { Database } from '../store/database/schema.js';
import type { Store } from '../store/index.js';
import {
  chunks,
  chunksBySize,
  EMPTY_OBJECT,
  type JsonChunks,
  jsonWriter,
  keepByLength,
  key,
  lookup,
  mergeSettings,
  type SentSettings,
  tooLarge,
} from '../store/rows.js';
import { hasNameOrId, Resources } from './crud.js';
import { skills, writeSkill } from './skills.js';

type Schemas = components['schemas'];
type Agent = Schemas['Agent'];
type AgentRow = Selectable<Database['agents']>;

/** An agent with the JSON of its skills, an array in chunks. */
type AgentWithSkills = AgentRow & { readonly skills: JsonChunks };

const writeAgent = jsonWriter<Agent, AgentWithSkills>({
  id: 'value',
  name: 'value',
  model_name: 'value',
  provider: 'value',
  prompt_template: 'value',
  model: { json: 'model' },
  data: { json: 'data' },
  skills: { json: 'skills' },
  settings: { json: 'settings' },
  params: { json: 'settings' },
  created_at: 'value',
  updated_at: 'value',
});

export const agents = new Resources<Agent, 'agents', AgentRow>({
  table: 'agents',
  noun: 'agent',
  hasIdAddress: true,
  longText: ['settings', 'prompt_template', 'model', 'data'],
  usedAs: 'agent_id',
  select: (db) => db.selectFrom('agents').selectAll('agents'),
  writer: (db) => {
    const reader = new SkillReader(db);
    return async (row) => writeAgent({ ...row, skills: await reader.readJson(row.id) });
  },
});

export function agentOperations(store: Store) {
  return {
    listAgents: (request) => agents.list(store, request),

    createAgent: (request) =>
      agents.create(store, 'createAgent', request, (tx, project) => createAgent(tx, project.id, request.body.agent)),

    getAgent: (request) => agents.get(store, request, request.params.agent_name),

    updateAgent: (request) =>
      agents.update(store, request, request.params.agent_name, (tx, row) => updateAgent(tx, row, request.body.agent)),

    deleteAgent: (request) => agents.delete(store, request, request.params.agent_name),

    deleteAgentByPlural: (request) => agents.delete(store, request, request.params.agent_name),
  } satisfies Partial<Handlers>;
}

/** The fields that null removes. */
const REMOVABLE = ['model_name', 'provider', 'prompt_template', 'model', 'data'] as const;

const EMPTY = {
  model_name: null,
  provider: null,
  prompt_template: null,
  model: null,
  data: null,
  settings: EMPTY_OBJECT,
};

/**
 * Returns the columns of an agent with the fields of a body, and no others.
 * @throws {ProblemError} if its settings are too large
 */
export function newAgent(sent: Schemas['CreateAgentBody']['agent']) {
  const { skills: _, ...fields } = omitNulls(sent);
  return { ...EMPTY, ...changedColumns(EMPTY, fields, sent), name: fields.name };
}

/** @throws {ProblemError} if the name is taken, a skill does not exist, or a limit would be exceeded */
export async function createAgent(
  tx: Store,
  projectId: string,
  sent: Schemas['CreateAgentBody']['agent'],
): Promise<AgentRow> {
  const used = distinctSkills(await findSkillIds(tx, projectId, sent, 'skills'), sent);
  const row = await agents.insert(tx, projectId, newAgent(sent), used.length);
  await addSkills(tx, row.id, used);
  return row;
}

/**
 * @throws {ProblemError} if the name is taken, a skill does not exist or is both added and removed,
 *   or a limit would be exceeded
 */
export async function updateAgent(
  tx: Store,
  row: AgentRow,
  sent: Schemas['UpdateAgentBody']['agent'],
): Promise<AgentRow> {
  const { skills: replaced, skills_to_add, skills_to_remove, ...fields } = changedFields(sent, REMOVABLE);
  await agents.refuseTakenName(tx, row, fields.name);
  const used = replaced
    ? await findSkillIds(tx, row.project_id, sent, 'skills')
    : (skills_to_add ?? skills_to_remove) && (await addAndRemoveSkills(tx, row, sent));
  const distinct = used && distinctSkills(used, sent);
  const areOthers = distinct && distinct.join() !== (await listUsed(tx, row)).join();
  const columns = changedColumns(row, fields, sent);
  const changed = await agents.change(tx, row, columns, areOthers ? distinct.length : undefined);
  if (areOthers) {
    await tx.reads.deleteFrom('agent_skills').where('agent_id', '=', row.id).execute();
    await addSkills(tx, row.id, distinct);
  }
  return changed;
}

function changedColumns(
  stored: Pick<AgentRow, 'settings'>,
  fields: Partial<Omit<Agent, 'id' | 'skills' | 'created_at' | 'updated_at'>>,
  sent: SentSettings,
) {
  const { model, data, settings, params, ...columns } = fields;
  return {
    ...columns,
    ...(model !== undefined && { model: model && JSON.stringify(model) }),
    ...(data !== undefined && { data: data && JSON.stringify(data) }),
    settings: mergeSettings('agent', stored, sent),
  };
}

/** The fields of a body that name skills. */
const SKILL_FIELDS = ['skills', 'skills_to_add', 'skills_to_remove'] as const;

type SentSkills = { readonly [F in (typeof SKILL_FIELDS)[number]]?: Schemas['SkillReferences'] };

/** Returns the skills that a field of a body names, each with its place. */
function listReferences(sent: SentSkills, field: keyof SentSkills) {
  return (sent[field] ?? []).map((skill, index) => ({
    name: typeof skill === 'string' ? skill : skill.name,
    pointer: `/body/agent/${field}/${index}`,
  }));
}

const MAX_SKILLS = 1000;

/**
 * Removes duplicates from the skills of an agent.
 * @throws {ProblemError} if there are more than an agent may use
 */
function distinctSkills(ids: readonly string[], sent: SentSkills): readonly string[] {
  const each = new Set(ids);
  if (each.size <= MAX_SKILLS) return [...each];
  const field = Object.hasOwn(sent, 'skills') ? 'skills' : 'skills_to_add';
  throw tooLarge({ noun: 'agent', field }, `${MAX_SKILLS} skills`);
}

/** Returns the ids of the skills that an agent uses after a change. */
async function addAndRemoveSkills(tx: Store, row: AgentRow, sent: SentSkills): Promise<string[]> {
  const added = await findSkillIds(tx, row.project_id, sent, 'skills_to_add');
  const removed = new Set(await findSkillIds(tx, row.project_id, sent, 'skills_to_remove'));
  const toAdd = listReferences(sent, 'skills_to_add');
  const both = toAdd.filter((_, index) => removed.has(added[index] ?? ''));
  if (both.length > 0) {
    const message = 'is in skills_to_remove too; name it in one of the two';
    throw invalidRequest(both.map(({ pointer }) => ({ pointer, message })));
  }
  return [...(await listUsed(tx, row)), ...added].filter((id) => !removed.has(id));
}

const LIST_USED = new PreparedQuery((db, parameter: Parameter<{ agentId: string }>) =>
  db.selectFrom('agent_skills').select('skill_id').where('agent_id', '=', parameter('agentId')).orderBy('position'),
);

async function listUsed({ reads }: Store, { id: agentId }: AgentRow): Promise<string[]> {
  return (await LIST_USED.all(reads, { agentId })).map(({ skill_id }) => skill_id);
}

/** The values of a list, by their places in it, with others by their names. */
type ListValues = Readonly<Record<number | string, string | number>>;

function listValues(list: readonly string[]): ListValues {
  return Object.fromEntries(list.entries());
}

const INSERT_USES = keepByLength(
  (length) =>
    new PreparedQuery((db, parameter: Parameter<ListValues>) =>
      db
        .insertInto('agent_skills')
        .values(
          Array.from({ length }, (_, at) => ({
            agent_id: sql<string>`${parameter('agentId')}`,
            skill_id: sql<string>`${parameter(at)}`,
            position: sql<number>`${parameter('first')} + ${sql.lit(at)}`,
          })),
        ),
    ),
);

async function addSkills(tx: Store, agentId: string, ids: readonly string[]): Promise<void> {
  let first = 0;
  for (const part of chunks(ids)) {
    await INSERT_USES(part.length).all(tx.reads, { agentId, first, ...listValues(part) });
    first += part.length;
  }
}

/** Finds skills by their names or ids. */
const FIND_NAMED = keepByLength(
  (length) =>
    new PreparedQuery((db, parameter: Parameter<ListValues>) => {
      const values = Array.from({ length }, (_, at) => sql<string>`${parameter(at)}`);
      const projectId = sql<string>`${parameter('projectId')}`;
      return db
        .selectFrom('skills')
        .select(['id', 'name'])
        .where(hasNameOrId('skills', projectId, values));
    }),
);

/**
 * Returns the ids of the skills of a field, in the order in which they are named.
 * @throws {ProblemError} if one does not exist in the project
 */
async function findSkillIds(
  tx: Store,
  projectId: string,
  sent: SentSkills,
  field: keyof SentSkills,
): Promise<string[]> {
  const references = listReferences(sent, field);
  const found = await lookup(
    references.map(({ name }) => key(name).value),
    (values) => FIND_NAMED(values.length).all(tx.reads, { projectId, ...listValues(values) }),
  );
  // No name has the form of an id.
  const ids = new Map(
    found.flatMap(({ id, name }) => [
      [id, id],
      [name, id],
    ]),
  );
  return resolveSkills(sent, field, ids);
}

/**
 * Returns the ids of the skills of a field, in the order in which they are named.
 * @param ids those of the skills of the project, by names and ids
 * @throws {ProblemError} if a skill is unknown
 */
export function resolveSkills(sent: SentSkills, field: keyof SentSkills, ids: ReadonlyMap<string, string>): string[] {
  const references = listReferences(sent, field);
  const resolved = references.map(({ name }) => ids.get(key(name).value));
  const unknown = new Set(references.filter((_, at) => !resolved[at]).map(({ name }) => name));
  if (unknown.size === 0) return resolved.filter((id) => id !== undefined);
  throw problem(
    '/problems/unknown-skill',
    'A skill that the agent should use does not exist in the project; nothing was changed.',
    {
      errors: SKILL_FIELDS.flatMap((one) => listReferences(sent, one))
        .filter(({ name }) => unknown.has(name))
        .map(({ pointer, name }) => ({
          pointer,
          message: `there is no skill with the name or identifier "${name}"; create it first, or correct the name`,
        })),
    },
  );
}

/** The most characters of skills that are cached for further agents of a list. */
const MAX_CACHED_CHARACTERS = 4 * 1024 * 1024;

/**
 * Reads the skills of agents from the store, in parts. Many agents of a list use the same skills,
 * so the most recent ones are cached.
 */
class SkillReader {
  readonly #cached = new LruCache<string>({ maxSize: MAX_CACHED_CHARACTERS });
  readonly #pause = pausing();

  constructor(private readonly db: Kysely<Database>) {}

  /** Returns the JSON of all skills of an agent, an array in chunks. */
  async readJson(agentId: string): Promise<JsonChunks> {
    const used = await selectUsedSkills(this.db, agentId)
      .select(getDialect(this.db).octets('skills.params').as('bytes'))
      .execute();
    const texts = new Map<string, string>();
    for (const { id } of used) {
      const text = this.#cached.get(id);
      if (text !== undefined) texts.set(id, text);
    }
    await this.#pause();
    for (const part of chunksBySize(used.filter(({ id }) => !texts.has(id)))) {
      const ids = part.map(({ id }) => id);
      for (const [id, row] of await skills.readRows(this.db, ids)) {
        const text = writeSkill(row).join('');
        texts.set(id, text);
        this.#cached.set(id, text, text.length);
      }
      await this.#pause();
    }
    // A skill that was deleted in the meantime is no longer used.
    const found = used.flatMap(({ id }) => texts.get(id) ?? []);
    return ['[', ...found.map((text, index) => (index === 0 ? text : `,${text}`)), ']'];
  }
}

/** Selects the skills of an agent, in order. */
function selectUsedSkills(db: Kysely<Database>, agentId: string) {
  return db
    .selectFrom('agent_skills')
    .innerJoin('skills', 'skills.id', 'agent_skills.skill_id')
    .select('skills.id')
    .where('agent_skills.agent_id', '=', agentId)
    .orderBy('agent_skills.position');
}

/** The parts of an agent that an answer needs. */
export interface AnsweringAgent extends Pick<Agent, 'name' | 'model_name' | 'prompt_template' | 'model' | 'settings'> {
  /** The first skills, in order. Large params are left out. */
  readonly skills: readonly Pick<Agent['skills'][number], 'id' | 'name' | 'type' | 'params'>[];
}

/** The most skills that an answer reads, and the most bytes of the params of one. */
const MAX_ANSWERING_SKILLS = 200;
const MAX_PARAMS = 16 * 1024;

const FIND_SKILLS = new PreparedQuery((db, parameter: Parameter<{ agentId: string }>) => {
  const params = sql<
    string | null
  >`case when ${getDialect(db).octets('skills.params')} <= ${MAX_PARAMS} then params end`;
  return db
    .selectFrom('agent_skills')
    .innerJoin('skills', 'skills.id', 'agent_skills.skill_id')
    .select(['skills.id', 'skills.name', 'skills.type', params.as('params')])
    .where('agent_skills.agent_id', '=', parameter('agentId'))
    .orderBy('agent_skills.position')
    .limit(MAX_ANSWERING_SKILLS);
});

/**
 * Returns what an answer needs of an agent, and of its first skills.
 * @throws {ProblemError} if the project has no such agent
 */
export async function findAnsweringAgent(store: Store, project: Project, nameOrId: string): Promise<AnsweringAgent> {
  const row = await agents.require(store, project, nameOrId);
  const { id, name, model_name, prompt_template } = row;
  const used = await FIND_SKILLS.all(store.reads, { agentId: id });
  return {
    name,
    model_name,
    prompt_template,
    model: row.model === null ? null : JSON.parse(row.model),
    settings: JSON.parse(row.settings),
    skills: used.map((skill) => ({ ...skill, params: JSON.parse(skill.params ?? '{}') })),
  };
}
