import { type Kysely, type Selectable, sql } from 'kysely';
import type { components } from '../../generated/openapi.js';
import type { Handlers } from '../api/handlers.js';
import { omitNulls } from '../api/idempotency.js';
import { hasModel } from '../models/model-rows.js';
import { describeFaults, type FieldError, problem } from '../problems/problem.js';
import type { Project } from '../projects/projects.js';
import type { Database } from '../store/database/schema.js';
import type { Store } from '../store/index.js';
import { EMPTY_OBJECT, jsonMembers, jsonWriter, key, mergeJson, padToPowerOfTwo } from '../store/rows.js';
import type { Filter } from './crud.js';
import { hasNameOrId, Resources } from './crud.js';

type Schemas = components['schemas'];
type Skill = Schemas['Skill'];

/** A skill with the ids of its agents, as JSON. */
export type SkillRow = Selectable<Database['skills']> & { readonly agent_ids: string };

export const writeSkill = jsonWriter<Skill, SkillRow>({
  id: 'value',
  name: 'value',
  type: 'value',
  params: { json: 'params' },
  agent_ids: { json: 'agent_ids' },
  created_at: 'value',
  updated_at: 'value',
});

/** Documents are deleted with their skill; `sweep` deletes their texts. */
export const skills = new Resources<Skill, 'skills', SkillRow>({
  table: 'skills',
  noun: 'skill',
  hasIdAddress: true,
  longText: ['params'],
  usedAs: 'skill_id',
  select: (db) => db.selectFrom('skills').selectAll('skills').select(selectAgentIds),
  writer: () => writeSkill,
});

/** The quotes of `"agent_skills"` let the circuit breaker see the table. */
const selectAgentIds = () =>
  sql<string>`coalesce((
    select '["' || string_agg(agent_id, '","' order by agent_id) || '"]'
    from "agent_skills" where skill_id = skills.id
  ), '[]')`.as('agent_ids');

/** Returns what skills of an owner may name; a service that has none of a kind checks no names of it. */
export function listServiceNames({ databases, servers }: NamedServices, owner: string): ServiceNames {
  return { databases: databases.isEmpty ? undefined : databases.names(owner), servers: servers?.names(owner) };
}

export function skillOperations(store: Store, services: NamedServices) {
  return {
    listSkills: (request) => {
      const { agent } = request.query;
      return skills.list(store, request, agent && (({ id }) => usedBy(store.reads, id, agent)));
    },

    createSkill: (request) =>
      skills.create(store, 'createSkill', request, async (tx, project) => {
        const skill = await createSkill(tx, project.id, request.body.skill);
        const names = listServiceNames(services, request.caller.owner);
        await checkSkill(skill, skillScope(tx, project, names));
        return skill;
      }),

    getSkill: (request) => skills.get(store, request, request.params.skill_name),

    updateSkill: (request) =>
      skills.update(store, request, request.params.skill_name, async (tx, row, project) => {
        const { skill } = request.body;
        const changed = await updateSkill(tx, row, skill);
        // A skill whose model or database has gone can still be renamed.
        if ((skill.type ?? skill.params ?? null) !== null) {
          const names = listServiceNames(services, request.caller.owner);
          await checkSkill(changed, skillScope(tx, project, names));
        }
        return changed;
      }),

    deleteSkill: (request) => skills.delete(store, request, request.params.skill_name),
  } satisfies Partial<Handlers>;
}

const PARAMS = { noun: 'skill', field: 'params' } as const;

/**
 * Returns the columns of a skill with the fields of a body, and no others.
 * @throws {ProblemError} if its params are too large
 */
export function newSkill(sent: Schemas['CreateSkillBody']['skill']) {
  const { params = {}, ...columns } = omitNulls(sent);
  return { ...columns, params: mergeJson(EMPTY_OBJECT, params, PARAMS) };
}

/** @throws {ProblemError} if the name is taken, or a limit would be exceeded */
export async function createSkill(
  tx: Store,
  projectId: string,
  sent: Schemas['CreateSkillBody']['skill'],
): Promise<SkillRow> {
  return { ...(await skills.insert(tx, projectId, newSkill(sent))), agent_ids: '[]' };
}

/** @throws {ProblemError} if the name is taken, or a limit would be exceeded */
export async function updateSkill(
  tx: Store,
  row: SkillRow,
  sent: Schemas['UpdateSkillBody']['skill'],
): Promise<SkillRow> {
  const { params = {}, ...columns } = omitNulls(sent);
  const merged = mergeJson(row.params, params, PARAMS);
  await skills.refuseTakenName(tx, row, columns.name);
  return skills.change(tx, row, { ...columns, params: merged });
}

/** Returns the condition that any of these agents, each by name or id, uses a skill. */
function usedBy(db: Kysely<Database>, projectId: string, agents: readonly string[]): Filter {
  const values = padToPowerOfTwo(agents.map((agent) => key(agent).value));
  const used = db
    .selectFrom('agent_skills')
    .innerJoin('agents', 'agents.id', 'agent_skills.agent_id')
    .select('agent_skills.skill_id')
    .where(hasNameOrId('agents', projectId, values));
  return sql`id in ${used}`;
}

export type FoundSkill = Pick<SkillRow, 'id' | 'name' | 'type'>;

/**
 * Finds a skill without its params.
 * @throws {ProblemError} if the project has none of this name or identifier
 */
export async function findSkill(store: Store, project: Project, nameOrId: string): Promise<FoundSkill> {
  const { column, value } = key(nameOrId);
  const skill = await store.reads
    .selectFrom('skills')
    .select(['id', 'name', 'type'])
    .where('project_id', '=', project.id)
    .where(column, '=', value)
    .executeTakeFirst();
  if (!skill) throw skills.notFound(nameOrId, project);
  return skill;
}

/** The databases or servers that the operator names, and those that an owner may use. */
export interface NamedServices {
  readonly databases: { readonly isEmpty: boolean; names(owner: string): readonly string[] };
  readonly servers: { names(owner: string): readonly string[] } | undefined;
}

/** The names that an owner may use; undefined if no name can be checked. */
export interface ServiceNames {
  readonly databases?: readonly string[] | undefined;
  readonly servers?: readonly string[] | undefined;
}

/** The names that the params of a skill may have. */
export interface SkillScope {
  readonly project: Pick<Project, 'name'>;
  /** Those that its owner may use. */
  readonly names: ServiceNames;
  /** Returns whether the project has a model of a name, or a version of it. */
  readonly hasModel: (name: string, version?: number) => Promise<boolean>;
}

/** Returns the names that the skills of a stored project may have. */
function skillScope(tx: Store, project: Project, names: ServiceNames): SkillScope {
  return { project, names, hasModel: (name, version) => hasModel(tx, project.id, name, version) };
}

/**
 * Refuses a skill whose type is a tool of agents and whose params do not suffice for it. Skills of
 * other types are data, and pass.
 * @param skill the skill as it would be stored
 * @throws {ProblemError} 422 with a pointer to each faulty param
 */
export async function checkSkill(
  skill: { readonly type: string; readonly params: string },
  scope: SkillScope,
): Promise<void> {
  const findFaults = FAULTS_OF_TYPE.get(skill.type);
  if (!findFaults) return;
  const members = new Map(jsonMembers(skill.params));
  const params: Params = (name) => {
    const json = members.get(name);
    return json === undefined ? undefined : JSON.parse(json);
  };
  const errors = [...(await findFaults(params, scope)), ...optionalText(params, 'description')];
  if (errors.length === 0) return;
  const detail = `No agent could use the skill; nothing was changed. ${describeFaults(errors)}`;
  throw problem('/problems/unusable-skill', detail, { errors });
}

/** Returns the value of a param, undefined if there is none. Other params are not parsed. */
type Params = (name: string) => unknown;

type FindFaults = (params: Params, scope: SkillScope) => FieldError[] | Promise<FieldError[]>;

const FAULTS_OF_TYPE: ReadonlyMap<string, FindFaults> = new Map<string, FindFaults>([
  ['model', modelFaults],
  [
    'sql',
    (params, { names }) => [
      ...namedFaults(params, DATABASE, names.databases),
      ...listFaults(params('tables'), 'sql', 'table', refuseSystemTable),
    ],
  ],
  [
    'mcp',
    (params, { names }) => [
      ...namedFaults(params, SERVER, names.servers),
      ...listFaults(params('tools'), 'mcp', 'tool'),
    ],
  ],
  [
    'retrieval',
    (params) => {
      const rule = 'a skill of the type retrieval says what its documents are about';
      return requiredText(params, 'source', rule);
    },
  ],
  ['knowledge_base', (params) => optionalText(params, 'source')],
]);

/** @param param its name, or a place in it, such as `tables/3` */
function fault(param: string, message: string): FieldError {
  return { pointer: `/body/skill/params/${param}`, message };
}

async function modelFaults(params: Params, { project, hasModel }: SkillScope): Promise<FieldError[]> {
  const rule = 'a skill of the type model names a model of the project';
  const missing = requiredText(params, 'model', rule);
  if (missing.length > 0) return missing;
  const name = String(params('model'));
  if (!(await hasModel(name))) {
    const message = `must be a model of the project "${project.name}", which has none with the name "${name}"; train it first, or correct the name`;
    return [fault('model', message)];
  }
  const version = params('version');
  if (version === undefined) return [];
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    const message = 'must be the number of a version, such as 1; leave it out to use the version that serves';
    return [fault('version', message)];
  }
  if (await hasModel(name, version)) return [];
  const message = `must be a version of the model "${name}", which has no version ${version}; leave it out to use the version that serves`;
  return [fault('version', message)];
}

/** A kind that the operator names, and the params by which a skill names one. */
interface NamedKind {
  readonly type: string;
  readonly param: string;
  /** With its article. */
  readonly one: string;
  readonly several: string;
  readonly setting: string;
}

const DATABASE: NamedKind = {
  type: 'sql',
  param: 'database',
  setting: 'DATABASES',
  one: 'a database',
  several: 'databases',
};
const SERVER: NamedKind = {
  type: 'mcp',
  param: 'server',
  setting: 'MCP_SERVERS',
  one: 'an MCP server',
  several: 'MCP servers',
};

function namedFaults(
  params: Params,
  { type, param, one, several, setting }: NamedKind,
  names: readonly string[] | undefined,
): FieldError[] {
  const rule = `a skill of the type ${type} names ${one} of the service`;
  const missing = requiredText(params, param, rule);
  if (missing.length > 0) return missing;
  const value = params(param);
  if (names === undefined || names.some((name) => name === value)) return [];
  const choice = names.length > 0 ? `one of ${names.join(', ')}` : `${one} of the service, which has none for you`;
  const message = `must be ${choice}; those who run the service add ${several} with ${setting}`;
  return [fault(param, message)];
}

/** The most names in a list of a skill. */
const MAX_NAMES = { table: 100, tool: 64 } as const;

/**
 * Finds what is wrong with a list of names: of `tables`, or of `tools`.
 * @param findFault returns what is wrong with a name
 */
function listFaults(
  names: unknown,
  type: string,
  noun: keyof typeof MAX_NAMES,
  findFault: (name: string) => string | undefined = () => undefined,
): FieldError[] {
  const param = `${noun}s`;
  const rule = `an array of 1 to ${MAX_NAMES[noun]} names of ${param}`;
  if (names === undefined) {
    return [fault(param, `is missing; a skill of the type ${type} has ${rule}`)];
  }
  if (!Array.isArray(names) || names.length === 0 || names.length > MAX_NAMES[noun]) {
    return [fault(param, `must be ${rule}`)];
  }
  return names.flatMap((name, index) => {
    const message = isName(name) ? findFault(name) : `must be the name of a ${noun}`;
    return message === undefined ? [] : fault(`${param}/${index}`, message);
  });
}

/**
 * Returns what is wrong with the name of a table that says that it belongs to the database system. Both kinds of
 * databases reserve such names. Others, such as `pg_authid`, may be somebody's own: what they stand for is seen when a
 * query runs.
 * @param table `table` or `schema.table`
 */
function refuseSystemTable(table: string): string | undefined {
  return /^(?:pg_[^.]*|information_schema)\./i.test(table) || /^(?:(?:main|temp)\.)?(?:sqlite|pragma)_/i.test(table)
    ? 'must not be a table of the database system; name tables and views of your own'
    : undefined;
}

function requiredText(params: Params, name: string, rule: string): FieldError[] {
  const value = params(name);
  if (value === undefined) return [fault(name, `is missing; ${rule}`)];
  return isName(value) ? [] : [fault(name, `must be a text; ${rule}`)];
}

function optionalText(params: Params, name: string): FieldError[] {
  const value = params(name);
  return value === undefined || typeof value === 'string' ? [] : [fault(name, 'must be a text, or be left out')];
}

/** Returns whether a value is a text with more than spaces. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
