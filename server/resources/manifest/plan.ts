import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Insertable } from 'kysely';
import { type Conditions, checkPreconditions, isConditional } from '../../api/preconditions.js';
import { pausing } from '../../common/pausing.js';
import { trainingInProgress } from '../../models/model-problems.js';
import { hasModel } from '../../models/model-rows.js';
import { refuseFullQueue } from '../../models/training/begin-training.js';
import { invalidRequest, listFaults, ProblemError, problem } from '../../problems/problem.js';
import type { Project } from '../../projects/projects.js';
import { findLastEvent } from '../../store/audit.js';
import type { Database } from '../../store/database/schema.js';
import type { Store } from '../../store/index.js';
import { type Growth, refuseGrowth } from '../../store/quota.js';
import { newResource } from '../../store/rows.js';
import { agents, newAgent, resolveSkills } from '../agents.js';
import { chatbots, newChatbot, unknownAgent } from '../chatbots.js';
import { DOCUMENT_TYPES } from '../documents/documents.js';
import { checkSkill, newSkill, type ServiceNames, type SkillScope, skills } from '../skills.js';
import { type Change, compareProject, refuseExcess, trains } from './compare.js';
import { type EntryOf, type Kind, makeKey, type SentEntry } from './entries.js';
import { type ProjectState, readProject, writeManifest } from './project-state.js';
import { countStored } from './stored-bytes.js';

/** The target state of a project, by a manifest. */
export interface Wanted {
  readonly owner: string;
  readonly entries: ReadonlyMap<string, SentEntry>;
  /** Whether to delete resources that the manifest does not name. */
  readonly prune: boolean;
  readonly conditions: Conditions;
  /** The names of services that skills may use. */
  readonly names: ServiceNames;
  /** The ids of skills to create, by name: a plan adds its ids, and reuses those of an earlier plan. */
  readonly skillIds: Map<string, string>;
}

type Row<K extends keyof Database> = Required<Insertable<Database[K]>>;

/** The uses of skills by an agent, in order. */
export interface Uses {
  readonly agentId: string;
  readonly skillIds: readonly string[];
}

/** The changes that make a project match a manifest: everything that can be decided before the project is locked. */
export interface Plan {
  readonly project: Project;
  /** The project as the plan found it. */
  readonly state: ProjectState;
  /** The place of the owner's last event at that time: see `findLastEvent`. */
  readonly lastEvent: number;
  readonly changes: readonly Change[];
  /** The ids of all skills after the change, by name. */
  readonly skillIds: ReadonlyMap<string, string>;
  readonly skills: readonly Row<'skills'>[];
  readonly agents: readonly Row<'agents'>[];
  readonly chatbots: readonly Row<'chatbots'>[];
  /** The uses that differ from the stored ones. */
  readonly uses: readonly Uses[];
  /** The growth of the project's counters, except that of models. */
  readonly growth: Required<Omit<Growth, 'models'>>;
}

/** The most models that one manifest trains: fewer than the queue takes from one owner. */
const MAX_TRAININGS = 40;

/** Skills refer to models, agents and documents to skills, and chatbots to agents. */
const ORDER: readonly Kind[] = ['model', 'skill', 'document', 'agent', 'chatbot'];

/**
 * Compares a project with a manifest, and checks all changes as if they were made. Yields to other requests meanwhile,
 * and writes nothing.
 * @param store reads one moment: a snapshot, or a transaction that has locked the project
 * @throws {ProblemError} with the place of the entry that is refused
 */
export async function planChanges(store: Store, project: Project, wanted: Wanted): Promise<Plan> {
  const lastEvent = await findLastEvent(store.reads, wanted.owner);
  const state = await readProject(store, project);
  await nextTurn();
  if (isConditional(wanted.conditions)) {
    await checkPreconditions(wanted.conditions, writeManifest(state.entries.values()));
  }
  for (const entry of wanted.entries.values()) {
    if (entry.kind === 'document') checkDocumentSkill(entry, wanted, state);
  }
  const changes = await compareProject(state, wanted.entries, wanted.prune);
  await nextTurn();
  const rows = await new Planner(store, project, state, changes, wanted).plan();
  await nextTurn();
  await refuseFull(store, project, { changes, state, growth: rows.growth });
  await refuseExcess(project, state, changes);
  return { project, state, lastEvent, changes, ...rows };
}

/** Makes the rows of changes, and checks that everything they refer to will exist. */
class Planner {
  readonly #skills: Row<'skills'>[] = [];
  readonly #agents: Row<'agents'>[] = [];
  readonly #chatbots: Row<'chatbots'>[] = [];
  readonly #uses: Uses[] = [];
  readonly #growth = { skills: 0, agents: 0, chatbots: 0, bytes: 0, uses: 0 };
  /** The ids of the skills and agents after the changes so far, by name. */
  readonly #skillIds: Map<string, string>;
  readonly #agentIds: Map<string, string>;
  readonly #scope: SkillScope;
  readonly #updated_at = newResource().updated_at;

  constructor(
    store: Store,
    private readonly project: Project,
    private readonly state: ProjectState,
    private readonly changes: readonly Change[],
    private readonly wanted: Wanted,
  ) {
    this.#skillIds = new Map(Array.from(state.skills, ([name, { id }]) => [name, id]));
    this.#agentIds = new Map(Array.from(state.agents, ([name, { id }]) => [name, id]));
    this.#scope = { project, names: wanted.names, hasModel: this.#findModels(store) };
  }

  async plan(): Promise<Omit<Plan, 'project' | 'state' | 'lastEvent' | 'changes'>> {
    const pause = pausing();
    for (const { action, entry } of this.changes) {
      if (action === 'delete') this.#remove(entry);
      await pause();
    }
    for (const kind of ORDER) {
      for (const change of this.changes) {
        if (change.action === 'delete' || change.entry.kind !== kind) continue;
        await this.#put(change.action, change.entry);
        await pause();
      }
    }
    await this.#checkReferences();
    return {
      skills: this.#skills,
      agents: this.#agents,
      chatbots: this.#chatbots,
      uses: this.#uses,
      growth: this.#growth,
      skillIds: this.#skillIds,
    };
  }

  /** Returns a function that checks whether a model will exist after the changes. */
  #findModels(store: Store): SkillScope['hasModel'] {
    const changed = new Map<string, Change>();
    for (const change of this.changes) {
      if (change.entry.kind === 'model') changed.set(change.entry.fields.name, change);
    }
    const { project, state } = this;
    return async (name, version) => {
      const change = changed.get(name);
      if (change?.action === 'delete') return false;
      if (version === undefined) return change !== undefined || state.models.has(name);
      if (change && trains(change) && version === (await findLastVersion(store, project, name)) + 1) return true;
      return hasModel(store, project.id, name, version);
    };
  }

  #remove({ kind, fields: { name } }: Change['entry']): void {
    const { state } = this;
    if (kind === 'skill') {
      this.#count('skills', undefined, state.skills.get(name));
      this.#skillIds.delete(name);
    } else if (kind === 'agent') {
      this.#count('agents', undefined, state.agents.get(name));
      this.#growth.uses -= this.#listStored(name).length;
      this.#agentIds.delete(name);
    } else if (kind === 'chatbot') {
      this.#count('chatbots', undefined, state.chatbots.get(name));
    }
  }

  /** @throws {ProblemError} with the place of the entry */
  async #put(action: Change['action'], entry: SentEntry): Promise<void> {
    try {
      switch (entry.kind) {
        case 'model': {
          const last = this.state.models.get(entry.fields.name);
          if (action === 'train' && last?.status === 'training') throw trainingInProgress(last);
          return;
        }
        case 'skill':
          return await this.#putSkill(entry.fields);
        case 'agent':
          return this.#putAgent(entry.fields);
        case 'chatbot':
          return this.#putChatbot(entry.fields);
        case 'document':
      }
    } catch (error) {
      throw error instanceof ProblemError ? placeProblem(error, entry.at) : error;
    }
  }

  async #putSkill(fields: EntryOf<'skill'>['fields']): Promise<void> {
    const stored = this.state.skills.get(fields.name);
    const { skillIds } = this.wanted;
    const row = { ...this.#common(stored, skillIds.get(fields.name)), ...newSkill(fields) };
    if (!stored) skillIds.set(fields.name, row.id);
    this.#skillIds.set(fields.name, row.id);
    this.#count('skills', row, stored);
    this.#skills.push(row);
    await checkSkill(row, this.#scope);
  }

  #putAgent(fields: EntryOf<'agent'>['fields']): void {
    const stored = this.state.agents.get(fields.name);
    const row = { ...this.#common(stored), ...newAgent(fields) };
    this.#agentIds.set(fields.name, row.id);
    const used = resolveSkills(fields, 'skills', this.#skillIds);
    const before = this.#listStored(fields.name);
    if (before.join() !== (fields.skills ?? []).join()) {
      this.#uses.push({ agentId: row.id, skillIds: used });
      this.#growth.uses += used.length - before.length;
    }
    this.#count('agents', row, stored);
    this.#agents.push(row);
  }

  #putChatbot(fields: EntryOf<'chatbot'>['fields']): void {
    const stored = this.state.chatbots.get(fields.name);
    const row = { ...this.#common(stored), ...newChatbot(fields, this.#findAgent(fields)) };
    this.#count('chatbots', row, stored);
    this.#chatbots.push(row);
  }

  #findAgent({ agent_name: name }: EntryOf<'chatbot'>['fields']): string | null {
    if (name === undefined || name === null) return null;
    const id = this.#agentIds.get(name);
    if (id === undefined) throw unknownAgent('agent_name', name);
    return id;
  }

  /**
   * Returns the columns that all rows have.
   * @param reserved the id of a new row, if something refers to it already
   */
  #common(stored: { readonly id: string; readonly created_at: string } | undefined, reserved?: string) {
    const common = { project_id: this.project.id, updated_at: this.#updated_at };
    if (stored) return { ...common, id: stored.id, created_at: stored.created_at };
    const { id, created_at } = newResource();
    return { ...common, id: reserved ?? id, created_at };
  }

  /** Counts the growth by a row that replaces another, is new or is deleted. */
  #count(
    table: 'skills' | 'agents' | 'chatbots',
    row: Readonly<Record<string, unknown>> | undefined,
    stored: Readonly<Record<string, unknown>> | undefined,
  ): void {
    const resources = { skills, agents, chatbots }[table];
    const count = (each: typeof row) => (each ? resources.countBytes(each) : 0);
    this.#growth[table] += Number(row !== undefined) - Number(stored !== undefined);
    this.#growth.bytes += count(row) - count(stored);
  }

  /** Returns the names of the skills that an agent uses now. */
  #listStored(name: string): readonly string[] {
    const entry = this.state.entries.get(makeKey('agent', { name }));
    return entry?.kind === 'agent' ? (entry.fields.skills ?? []) : [];
  }

  /** Refuses to delete a resource that an entry refers to, also an entry that does not change. */
  async #checkReferences(): Promise<void> {
    const deleted = this.changes.filter(({ action }) => action === 'delete').map(({ entry }) => entry);
    if (deleted.length === 0) return;
    const models = new Set<unknown>(deleted.flatMap(({ kind, fields }) => (kind === 'model' ? fields.name : [])));
    for (const entry of this.wanted.entries.values()) {
      try {
        if (entry.kind === 'skill' && entry.fields.type === 'model' && models.has(entry.fields.params?.model)) {
          await checkSkill(newSkill(entry.fields), this.#scope);
        }
        if (entry.kind === 'agent') resolveSkills(entry.fields, 'skills', this.#skillIds);
        if (entry.kind === 'chatbot') this.#findAgent(entry.fields);
      } catch (error) {
        throw error instanceof ProblemError ? placeProblem(error, entry.at) : error;
      }
    }
  }
}

/** Returns the number of the version of a model that began last; 0 if there is no such model. */
async function findLastVersion({ reads }: Store, { id }: Project, name: string): Promise<number> {
  const row = await reads
    .selectFrom('models')
    .select('last_version')
    .where('project_id', '=', id)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.last_version ?? 0;
}

/**
 * Refuses changes that would exceed a limit, as writing them would.
 * @throws {ProblemError}
 */
async function refuseFull(
  store: Store,
  project: Project,
  { changes, state, growth }: Pick<Plan, 'changes' | 'state' | 'growth'>,
): Promise<void> {
  const trained = changes.filter(trains).length;
  if (trained > MAX_TRAININGS) {
    const message = `would train ${trained} models, and may train ${MAX_TRAININGS} at once; apply a manifest with fewer of them first`;
    throw invalidRequest([{ pointer: '/body', message }]);
  }
  const { deletedModels, waiting, ...stored } = await countStored(store, changes, state);
  const created = changes.filter(({ action, entry }) => action === 'create' && entry.kind === 'model');
  const models = created.length - deletedModels;
  await refuseGrowth(store.reads, project.id, { ...growth, models }, store.limits, stored);
  // One of them may be the last that has room.
  if (trained > 0) await refuseFullQueue(store, project.id, 1 + waiting - trained);
}

/** Returns a problem whose pointers into a body of one resource lead into the entry of a manifest. */
function placeProblem(error: ProblemError, at: string): ProblemError {
  const faults = listFaults(error.members);
  if (faults.length === 0) return error;
  const move = (pointer = '') => pointer.replace(/^\/body(?=\/|$)/, at);
  const errors = faults.map((fault) => ({ ...fault, pointer: move(fault.pointer) }));
  const detail = error.detail.replaceAll(/\/body(?=\/)/g, at);
  return new ProblemError(error.type, detail, { ...error.members, errors }, error.headers);
}

/**
 * Refuses a document whose skill will not exist, or has no documents.
 * @throws {ProblemError} with the place of the document
 */
function checkDocumentSkill(
  { fields, at }: EntryOf<'document'> & SentEntry,
  { entries, prune }: Wanted,
  state: ProjectState,
): void {
  const pointer = `${at}/document/skill`;
  const key = makeKey('skill', { name: fields.skill });
  const skill = entries.get(key) ?? (prune ? undefined : state.entries.get(key));
  if (skill?.kind !== 'skill') {
    const message = `there is no skill with the name "${fields.skill}" in the manifest${prune ? '' : ' or the project'}; add it, or correct the name`;
    const detail = 'The skill of a document does not exist; nothing was changed.';
    throw problem('/problems/unknown-skill', detail, { errors: [{ pointer, message }] });
  }
  if (DOCUMENT_TYPES.includes(skill.fields.type)) return;
  const message = `must be a skill of the type ${DOCUMENT_TYPES.join(' or ')}`;
  const detail = `A skill of the type "${skill.fields.type}" keeps no documents; nothing was changed.`;
  throw problem('/problems/unusable-skill', detail, { errors: [{ pointer, message }] });
}
