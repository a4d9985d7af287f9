import type { Kysely, Selectable } from 'kysely';
import type { components } from '../../generated/openapi.js';
import type { Bounds } from './bounds.js';
import { AddedAndRemovedError, TooLargeError, UnknownReferenceError } from './errors.js';
import { grow, refuseTakenName } from './held.js';
import { groupBy, inParts, lookup } from './lookup.js';
import { inOrder, type Page } from './page.js';
import { type Parameter, PreparedQuery } from './prepared-query.js';
import { remove } from './remove.js';
import {
  type Key,
  key,
  merge,
  newResource,
  type OpenObject,
  openText,
  parseObject,
} from './resource.js';
import type { Database } from './schema.js';
import { bytesOf, sizeOf } from './size.js';
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

/** The agents of projects. What writes is called within `Store.transaction`, the project held. */
export class AgentStore {
  constructor(
    private readonly db: Kysely<Database>,
    private readonly most: Bounds,
  ) {}

  async list(projectId: string, page: Page): Promise<Agent[]> {
    const all = this.db.selectFrom('agents').selectAll().where('project_id', '=', projectId);
    return withSkills(this.db, await inOrder(all, 'id', page).execute());
  }

  async find(projectId: string, nameOrId: string): Promise<Agent | undefined> {
    return findAgent(this.db, projectId, nameOrId);
  }

  /**
   * @throws {NameTakenError}
   * @throws {LimitReachedError}
   * @throws {TooLargeError}
   * @throws {UnknownReferenceError} if a skill does not exist; nothing is created then
   */
  async create(projectId: string, fields: AgentFields, skills: readonly string[]): Promise<Agent> {
    await refuseTakenName(this.db, 'agents', projectId, fields.name);
    const used = bounded(await skillIds(this.db, projectId, skills));
    const identity = newResource();
    const row = asRow({ ...fields, settings: merge({}, fields.settings) });
    const growth = { agents: 1, bytes: bytesOf('agents', row), uses: used.length };
    await grow(this.db, projectId, growth, this.most);
    await this.db
      .insertInto('agents')
      .values({ ...identity, project_id: projectId, ...row })
      .execute();
    await putSkills(this.db, identity.id, used);
    return foundAgain(this.db, projectId, identity.id);
  }

  /**
   * @throws {NameTakenError}
   * @throws {LimitReachedError}
   * @throws {TooLargeError}
   * @throws {UnknownReferenceError} if a skill does not exist; nothing is changed then
   * @throws {AddedAndRemovedError} if a skill is to be added and removed at once
   */
  async update(
    projectId: string,
    nameOrId: string,
    change: Partial<AgentFields>,
    skills?: SkillsChange,
  ): Promise<Agent | undefined> {
    const stored = await findAgent(this.db, projectId, nameOrId);
    if (!stored) return undefined;
    const { id } = stored;
    const { name, model_name, provider, prompt_template, model, data } = { ...stored, ...change };
    await refuseTakenName(this.db, 'agents', projectId, name, id);
    const used = skills && bounded(await changedSkills(this.db, projectId, stored, skills));
    const settings = merge(stored.settings, change.settings ?? {});
    const row = asRow({ name, model_name, provider, prompt_template, model, data, settings });
    const { bytes, uses } = await sizeOf(this.db, 'agents', id);
    const growth = {
      bytes: bytesOf('agents', row) - bytes,
      uses: used ? used.length - uses : 0,
    };
    await grow(this.db, projectId, growth, this.most);
    await this.db
      .updateTable('agents')
      .set({ ...row, updated_at: new Date().toISOString() })
      .where('id', '=', id)
      .execute();
    if (used) await putSkills(this.db, id, used);
    return foundAgain(this.db, projectId, id);
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

async function findAgent(
  db: Kysely<Database>,
  projectId: string,
  nameOrId: string,
): Promise<Agent | undefined> {
  const { column, value } = key(nameOrId);
  const rows = await FIND[column].all(db, { projectId, value });
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

/**
 * The skills of an agent, each once.
 * @throws {TooLargeError} if an agent cannot use so many
 */
function bounded(ids: readonly string[]): string[] {
  const each = new Set(ids);
  if (each.size > MOST_SKILLS) throw new TooLargeError('skills', `${MOST_SKILLS} skills`);
  return [...each];
}

/** The ids of the skills that an agent uses after a change. */
async function changedSkills(
  db: Kysely<Database>,
  projectId: string,
  { skills }: Agent,
  change: SkillsChange,
): Promise<string[]> {
  if ('replace' in change) return skillIds(db, projectId, change.replace);
  const added = await skillIds(db, projectId, change.add);
  const removed = new Set(await skillIds(db, projectId, change.remove));
  const both = change.add.filter((_, index) => removed.has(added[index] ?? ''));
  if (both.length > 0) throw new AddedAndRemovedError(both);
  return [...skills.map(({ id }) => id), ...added].filter((id) => !removed.has(id));
}

async function putSkills(
  db: Kysely<Database>,
  agentId: string,
  skills: readonly string[],
): Promise<void> {
  await db.deleteFrom('agent_skills').where('agent_id', '=', agentId).execute();
  const rows = skills.map((skill_id, position) => ({ agent_id: agentId, skill_id, position }));
  for (const part of inParts(rows)) await db.insertInto('agent_skills').values(part).execute();
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
