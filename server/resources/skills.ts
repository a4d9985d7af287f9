import { type Kysely, type Selectable, sql } from 'kysely';
import type { components } from '../../generated/openapi.js';
import type { Handlers } from '../api/handlers.js';
import { omitNulls } from '../api/idempotency.js';
import type { Project } from '../projects/projects.js';
import type { Database } from '../store/database/schema.js';
import type { Store } from '../store/index.js';
import { jsonWriter } from '../store/row-json.js';
import { key, padToPowerOfTwo } from '../store/rows.js';
import { type Filter, Resources } from './crud.js';
import { EMPTY_OBJECT, mergeJson } from './merge-json.js';
import { checkSkill, type DatabaseNames } from './skill-check.js';

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

type SkillOperations = Pick<
  Handlers,
  'listSkills' | 'createSkill' | 'getSkill' | 'updateSkill' | 'deleteSkill'
>;

/** @param databaseNames the databases that skills of the type `sql` may name */
export function skillOperations(store: Store, databaseNames: DatabaseNames): SkillOperations {
  return {
    listSkills: (request) => {
      const { agent } = request.query;
      return skills.list(store, request, agent && (({ id }) => usedBy(store.reads, id, agent)));
    },

    createSkill: (request) =>
      skills.create(store, 'createSkill', request, async (tx, project) => {
        const skill = await createSkill(tx, project.id, request.body.skill);
        await checkSkill(tx, project, skill, databaseNames(request.caller.owner));
        return skill;
      }),

    getSkill: (request) => skills.get(store, request, request.params.skill_name),

    updateSkill: (request) =>
      skills.update(store, request, request.params.skill_name, async (tx, row, project) => {
        const { skill } = request.body;
        const changed = await updateSkill(tx, row, skill);
        // A skill whose model or database has gone can still be renamed.
        if ((skill.type ?? skill.params ?? null) !== null) {
          await checkSkill(tx, project, changed, databaseNames(request.caller.owner));
        }
        return changed;
      }),

    deleteSkill: (request) => skills.delete(store, request, request.params.skill_name),
  };
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

/** A skill, as far as what depends on it has to know it. */
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
