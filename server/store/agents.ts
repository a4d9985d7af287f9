import type { Kysely, Selectable } from 'kysely';
import type { components } from '../../generated/openapi.js';
import {
  AddedAndRemovedError,
  heedConstraints,
  TooLargeError,
  UnknownReferenceError,
} from './errors.js';
import { groupBy, lookup } from './lookup.js';
import { inOrder, type Page } from './page.js';
import { remove } from './remove.js';
import { key, merge, newResource, type OpenObject, openText, parseObject } from './resource.js';
import type { Database } from './schema.js';
import { withAgents } from './skills.js';

export type Agent = components['schemas']['Agent'];

/** The fields of an agent that stand for themselves. */
export interface AgentFields {
  readonly name: string;
  readonly model_name: string | null;
  readonly provider: string | null;
  readonly prompt_template: string | null;
  readonly model: Agent['model'];
  readonly data: Agent['data'];
  readonly settings: OpenObject;
}

/** What to do to the list of an agent's skills, each by name or id. */
export type SkillsChange =
  | { readonly replace: readonly string[] }
  | { readonly add: readonly string[]; readonly remove: readonly string[] };

export class AgentStore {
  constructor(private readonly db: Kysely<Database>) {}

  async list(projectId: string, page: Page): Promise<Agent[]> {
    const all = this.db.selectFrom('agents').selectAll().where('project_id', '=', projectId);
    return withSkills(this.db, await inOrder(all, 'id', page).execute());
  }

  async find(projectId: string, nameOrId: string): Promise<Agent | undefined> {
    return findAgent(this.db, projectId, nameOrId);
  }

  /**
   * @throws {NameTakenError}
   * @throws {UnknownReferenceError} if a skill does not exist; nothing is created then
   */
  async create(projectId: string, fields: AgentFields, skills: readonly string[]): Promise<Agent> {
    return this.db.transaction().execute(async (db) => {
      const identity = newResource();
      await heedConstraints(() =>
        db
          .insertInto('agents')
          .values({
            ...identity,
            project_id: projectId,
            ...asRow({ ...fields, settings: merge({}, fields.settings) }),
          })
          .execute(),
      );
      await changeSkills(db, projectId, identity.id, { replace: skills });
      return foundAgain(db, projectId, identity.id);
    });
  }

  /**
   * @throws {NameTakenError}
   * @throws {UnknownReferenceError} if a skill does not exist; nothing is changed then
   */
  async update(
    projectId: string,
    nameOrId: string,
    change: Partial<AgentFields>,
    skills?: SkillsChange,
  ): Promise<Agent | undefined> {
    return this.db.transaction().execute(async (db) => {
      const stored = await findAgent(db, projectId, nameOrId);
      if (!stored) return undefined;
      const { id } = stored;
      const { name, model_name, provider, prompt_template, model, data } = { ...stored, ...change };
      const settings = merge(stored.settings, change.settings ?? {});
      const row = asRow({ name, model_name, provider, prompt_template, model, data, settings });
      await heedConstraints(() =>
        db
          .updateTable('agents')
          .set({ ...row, updated_at: new Date().toISOString() })
          .where('id', '=', id)
          .execute(),
      );
      if (skills) await changeSkills(db, projectId, id, skills);
      return foundAgain(db, projectId, id);
    });
  }

  /** Deletes an agent; its skills stay, its chatbots lose it. Tells whether there was one. */
  async remove(projectId: string, nameOrId: string): Promise<boolean> {
    return remove(this.db, 'agents', projectId, key(nameOrId));
  }
}

type Row = Selectable<Database['agents']>;

function asRow({ model, data, settings, ...fields }: AgentFields) {
  return {
    ...fields,
    model: model && JSON.stringify(model),
    data: data && JSON.stringify(data),
    settings: openText('settings', settings),
  };
}

async function findAgent(
  db: Kysely<Database>,
  projectId: string,
  nameOrId: string,
): Promise<Agent | undefined> {
  const { column, value } = key(nameOrId);
  const rows = await db
    .selectFrom('agents')
    .selectAll()
    .where('project_id', '=', projectId)
    .where(column, '=', value)
    .execute();
  const [agent] = await withSkills(db, rows);
  return agent;
}

async function foundAgain(db: Kysely<Database>, projectId: string, id: string): Promise<Agent> {
  const agent = await findAgent(db, projectId, id);
  if (!agent) throw new Error(`The agent ${id} vanished within its own transaction`);
  return agent;
}

/** Completes agents with the skills that they use, and those with all of their agents. */
async function withSkills(db: Kysely<Database>, rows: readonly Row[]): Promise<Agent[]> {
  const links = await lookup(
    rows.map(({ id }) => id),
    (ids) =>
      db
        .selectFrom('agent_skills')
        .select(['agent_id', 'skill_id'])
        .where('agent_id', 'in', ids)
        .orderBy('position')
        .execute(),
  );
  const skillRows = await lookup([...new Set(links.map(({ skill_id }) => skill_id))], (ids) =>
    db.selectFrom('skills').selectAll().where('id', 'in', ids).execute(),
  );
  const skills = new Map((await withAgents(db, skillRows)).map((skill) => [skill.id, skill]));
  const linksOf = groupBy(links, ({ agent_id }) => agent_id);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    model_name: row.model_name,
    provider: row.provider,
    prompt_template: row.prompt_template,
    model: row.model === null ? null : parseObject(row.model),
    data: row.data === null ? null : parseObject(row.data),
    skills: (linksOf.get(row.id) ?? []).flatMap(({ skill_id }) => skills.get(skill_id) ?? []),
    settings: parseObject(row.settings),
    params: parseObject(row.settings),
    created_at: row.created_at,
    updated_at: row.updated_at,
  }));
}

const MOST_SKILLS = 1000;

async function changeSkills(
  db: Kysely<Database>,
  projectId: string,
  agentId: string,
  change: SkillsChange,
): Promise<void> {
  const current = await db
    .selectFrom('agent_skills')
    .select('skill_id')
    .where('agent_id', '=', agentId)
    .orderBy('position')
    .execute();
  const stored = current.map(({ skill_id }) => skill_id);
  const wanted = new Set(
    'replace' in change
      ? await skillIds(db, projectId, change.replace)
      : await changed(db, projectId, stored, change),
  );
  if (wanted.size > MOST_SKILLS) throw new TooLargeError('skills', `${MOST_SKILLS} skills`);
  await db.deleteFrom('agent_skills').where('agent_id', '=', agentId).execute();
  if (wanted.size === 0) return;
  const rows = [...wanted].map((skill_id, position) => ({ agent_id: agentId, skill_id, position }));
  await db.insertInto('agent_skills').values(rows).execute();
}

async function changed(
  db: Kysely<Database>,
  projectId: string,
  stored: readonly string[],
  { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
): Promise<string[]> {
  const added = await skillIds(db, projectId, add);
  const removed = new Set(await skillIds(db, projectId, remove));
  const both = add.filter((_, index) => removed.has(added[index] ?? ''));
  if (both.length > 0) throw new AddedAndRemovedError(both);
  return [...stored, ...added].filter((id) => !removed.has(id));
}

/** The ids of skills, in the order in which they are named. */
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
