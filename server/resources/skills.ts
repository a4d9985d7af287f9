import { type Kysely, type Selectable, sql } from 'kysely';
import type { components } from '../../generated/openapi.js';
import type { Handlers } from '../api/handlers.js';
import { omitNulls } from '../api/idempotency.js';
import { findModel } from '../models/model-rows.js';
import { describeFaults, type FieldError, problem } from '../problems/problem.js';
import type { Project } from '../projects/projects.js';
import type { Database } from '../store/database/schema.js';
import type { Store } from '../store/index.js';
import {
  EMPTY_OBJECT,
  jsonMembers,
  jsonWriter,
  key,
  mergeJson,
  padToPowerOfTwo,
} from '../store/rows.js';
import { type Filter, Resources } from './crud.js';

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

/** @param databases those that skills of the type `sql` may name; undefined if the service has none */
export function skillOperations(store: Store, databases: DatabaseNames | undefined) {
  return {
    listSkills: (request) => {
      const { agent } = request.query;
      return skills.list(store, request, agent && (({ id }) => usedBy(store.reads, id, agent)));
    },

    createSkill: (request) =>
      skills.create(store, 'createSkill', request, async (tx, project) => {
        const skill = await createSkill(tx, project.id, request.body.skill);
        await checkSkill(tx, project, skill, databases?.names(request.caller.owner));
        return skill;
      }),

    getSkill: (request) => skills.get(store, request, request.params.skill_name),

    updateSkill: (request) =>
      skills.update(store, request, request.params.skill_name, async (tx, row, project) => {
        const { skill } = request.body;
        const changed = await updateSkill(tx, row, skill);
        // A skill whose model or database has gone can still be renamed.
        if ((skill.type ?? skill.params ?? null) !== null) {
          await checkSkill(tx, project, changed, databases?.names(request.caller.owner));
        }
        return changed;
      }),

    deleteSkill: (request) => skills.delete(store, request, request.params.skill_name),
  } satisfies Partial<Handlers>;
}

const PARAMS = { noun: 'skill', field: 'params' } as const;

/** @throws {ProblemError} if the name is taken, or a limit would be exceeded */
export async function createSkill(
  tx: Store,
  projectId: string,
  sent: Schemas['CreateSkillBody']['skill'],
): Promise<SkillRow> {
  const { params = {}, ...columns } = omitNulls(sent);
  await skills.refuseTakenName(tx, projectId, columns.name);
  const merged = mergeJson(EMPTY_OBJECT, params, PARAMS);
  const row = await skills.insert(tx, projectId, { ...columns, params: merged });
  return { ...row, agent_ids: '[]' };
}

/** @throws {ProblemError} if the name is taken, or a limit would be exceeded */
export async function updateSkill(
  tx: Store,
  row: SkillRow,
  sent: Schemas['UpdateSkillBody']['skill'],
): Promise<SkillRow> {
  const { params = {}, ...columns } = omitNulls(sent);
  const merged = mergeJson(row.params, params, PARAMS);
  await skills.refuseTakenName(tx, row.project_id, columns.name ?? row.name, row.id);
  return skills.change(tx, row, { ...columns, params: merged });
}

/** Returns the condition that any of these agents, each by name or id, uses a skill. */
function usedBy(db: Kysely<Database>, projectId: string, agents: readonly string[]): Filter {
  const values = padToPowerOfTwo(agents.map((agent) => key(agent).value));
  const used = db
    .selectFrom('agent_skills')
    .innerJoin('agents', 'agents.id', 'agent_skills.agent_id')
    .select('agent_skills.skill_id')
    .where('agents.project_id', '=', projectId)
    .where(({ or, eb }) => or([eb('agents.name', 'in', values), eb('agents.id', 'in', values)]));
  return sql`id in ${used}`;
}

export type FoundSkill = Pick<SkillRow, 'id' | 'name' | 'type'>;

/**
 * Finds a skill without its params.
 * @throws {ProblemError} if the project has none of this name or identifier
 */
export async function findSkill(
  store: Store,
  project: Project,
  nameOrId: string,
): Promise<FoundSkill> {
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

/** Returns the names of the databases that an owner may use. */
interface DatabaseNames {
  names(owner: string): readonly string[];
}

/**
 * Refuses a skill whose type is a tool of agents and whose params do not suffice for it. Skills of
 * other types are data, and pass.
 * @param skill the skill as it would be stored
 * @param databases those that its owner may use; undefined if no name can be checked
 * @throws {ProblemError} 422 with a pointer to each faulty param
 */
export async function checkSkill(
  tx: Store,
  project: Project,
  skill: { readonly type: string; readonly params: string },
  databases: readonly string[] | undefined,
): Promise<void> {
  const findFaults = FAULTS_OF_TYPE.get(skill.type);
  if (!findFaults) return;
  const members = new Map(jsonMembers(skill.params));
  const params: Params = (name) => {
    const json = members.get(name);
    return json === undefined ? undefined : JSON.parse(json);
  };
  const errors = [
    ...(await findFaults(params, { tx, project, databases })),
    ...optionalText(params, 'description'),
  ];
  if (errors.length === 0) return;
  const detail = `No agent could use the skill; nothing was changed. ${describeFaults(errors)}`;
  throw problem('/problems/unusable-skill', detail, { errors });
}

/** Returns the value of a param, undefined if there is none. Other params are not parsed. */
type Params = (name: string) => unknown;

interface Scope {
  readonly tx: Store;
  readonly project: Project;
  readonly databases: readonly string[] | undefined;
}

type FindFaults = (params: Params, scope: Scope) => FieldError[] | Promise<FieldError[]>;

const FAULTS_OF_TYPE: ReadonlyMap<string, FindFaults> = new Map<string, FindFaults>([
  ['model', modelFaults],
  ['sql', (params, scope) => [...databaseFaults(params, scope), ...tableFaults(params('tables'))]],
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

async function modelFaults(params: Params, { tx, project }: Scope): Promise<FieldError[]> {
  const rule = 'a skill of the type model names a model of the project';
  const missing = requiredText(params, 'model', rule);
  if (missing.length > 0) return missing;
  const name = String(params('model'));
  if (!(await findModel(tx, project.id, name))) {
    const message = `must be a model of the project "${project.name}", which has none with the name "${name}"; train it first, or correct the name`;
    return [fault('model', message)];
  }
  const version = params('version');
  if (version === undefined) return [];
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    const message =
      'must be the number of a version, such as 1; leave it out to use the version that serves';
    return [fault('version', message)];
  }
  if (await findModel(tx, project.id, name, version)) return [];
  const message = `must be a version of the model "${name}", which has no version ${version}; leave it out to use the version that serves`;
  return [fault('version', message)];
}

function databaseFaults(params: Params, { databases: names }: Scope): FieldError[] {
  const rule = 'a skill of the type sql names a database of the service';
  const missing = requiredText(params, 'database', rule);
  if (missing.length > 0) return missing;
  const database = params('database');
  if (names === undefined || names.some((name) => name === database)) return [];
  const choice =
    names.length > 0
      ? `one of ${names.join(', ')}`
      : 'a database of the service, which has none for you';
  const message = `must be ${choice}; those who run the service add databases with DATABASES`;
  return [fault('database', message)];
}

/** The most tables that a skill of the type `sql` names. */
const MAX_TABLES = 100;

function tableFaults(tables: unknown): FieldError[] {
  const rule = `an array of 1 to ${MAX_TABLES} names of tables`;
  if (tables === undefined) {
    return [fault('tables', `is missing; a skill of the type sql has ${rule}`)];
  }
  if (!Array.isArray(tables) || tables.length === 0 || tables.length > MAX_TABLES) {
    return [fault('tables', `must be ${rule}`)];
  }
  return tables.flatMap((table, index) => {
    if (!isName(table)) return fault(`tables/${index}`, 'must be the name of a table');
    const message = 'must not be a table of the database system; name tables and views of your own';
    return isSystemName(table) ? fault(`tables/${index}`, message) : [];
  });
}

/**
 * Returns whether the name of a table says that it belongs to the database system. Both kinds of
 * databases reserve such names. Others, such as `pg_authid`, may be somebody's own: what they stand
 * for is seen when a query runs.
 * @param name `table` or `schema.table`
 */
function isSystemName(name: string): boolean {
  return (
    /^(?:pg_[^.]*|information_schema)\./i.test(name) ||
    /^(?:(?:main|temp)\.)?(?:sqlite|pragma)_/i.test(name)
  );
}

function requiredText(params: Params, name: string, rule: string): FieldError[] {
  const value = params(name);
  if (value === undefined) return [fault(name, `is missing; ${rule}`)];
  return isName(value) ? [] : [fault(name, `must be a text; ${rule}`)];
}

function optionalText(params: Params, name: string): FieldError[] {
  const value = params(name);
  return value === undefined || typeof value === 'string'
    ? []
    : [fault(name, 'must be a text, or be left out')];
}

/** Returns whether a value is a text with more than spaces. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
