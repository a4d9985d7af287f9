import { pausing } from '../../common/pausing.js';
import { findTableOptions, listModels, type Model } from '../../models/model-rows.js';
import { CHOOSING, writeMarks, writeValidation } from '../../models/training/goal.js';
import type { Project } from '../../projects/projects.js';
import type { Store } from '../../store/index.js';
import { limitReached } from '../../store/quota.js';
import { chunksBySize, type JsonChunks, padToPowerOfTwo } from '../../store/rows.js';
import { agents } from '../agents.js';
import { type ChatbotRow, chatbots } from '../chatbots.js';
import type { ResourceRows } from '../crud.js';
import { DOCUMENT_TYPES, readTexts } from '../documents/documents.js';
import { type SkillRow, skills } from '../skills.js';
import { type Entry, type Fields, MAX_TEXT_BYTES, makeEntry, sortEntries } from './entries.js';

type AgentRow = NonNullable<Awaited<ReturnType<typeof agents.find>>>;

/** The resources of a project, as far as a manifest can hold them. */
export interface ProjectState {
  /** By their keys, in the order of a manifest. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** By name. */
  readonly skills: ReadonlyMap<string, SkillRow>;
  readonly agents: ReadonlyMap<string, AgentRow>;
  readonly chatbots: ReadonlyMap<string, ChatbotRow>;
  /** Those that were trained from a table that was sent, too. */
  readonly models: ReadonlyMap<string, Model>;
}

/** The most JSON of a manifest in bytes, and its most entries, as the contract says. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_ENTRIES = 5000;

/** The models that are read at once, each with its columns and metrics. */
const MODELS_AT_ONCE = 100;

/**
 * Reads a project, and yields to other requests meanwhile.
 * @param store reads a consistent state: a snapshot, or a transaction that has locked the project
 * @throws {ProblemError} if it holds more than a manifest may
 */
export async function readProject(store: Store, project: Project): Promise<ProjectState> {
  const entries: Entry[] = [];
  const count = countEntries(project);
  const pause = pausing();
  const add = async (entry: Entry) => {
    entries.push(entry);
    count(entry);
    await pause();
  };
  const state = {
    skills: await readAll(store, project, skills),
    agents: await readAll(store, project, agents),
    chatbots: await readAll(store, project, chatbots),
    models: new Map<string, Model>(),
  };
  for (const row of state.skills.values()) await add(makeEntry('skill', skillFields(row)));
  for await (const document of readDocuments(store, project)) {
    await add(makeEntry('document', document));
  }
  const used = await findUsedSkills(store, [...state.agents.values()], state.skills);
  for (const row of state.agents.values()) {
    await add(makeEntry('agent', agentFields(row, used.get(row.id) ?? [])));
  }
  for (const row of state.chatbots.values()) await add(makeEntry('chatbot', chatbotFields(row)));
  for await (const model of readModels(store, project)) {
    state.models.set(model.name, model);
    const fields = await modelFields(store, model);
    if (fields) await add(makeEntry('model', fields));
  }
  const sorted = sortEntries(entries).map((entry) => [entry.key, entry] as const);
  return { ...state, entries: new Map(sorted) };
}

/** Returns the manifest of entries as JSON. */
export function writeManifest(entries: Iterable<Entry>): JsonChunks {
  const [first, ...others] = Array.from(entries, ({ json }) => json);
  return first === undefined ? ['[]'] : ['[', first, ...others.map((json) => `,${json}`), ']'];
}

/**
 * Returns a function that counts the entries of a project; it throws if they are more than a manifest may have.
 * @param verb of the project, in the problem
 */
export function countEntries({ name }: Project, verb: 'holds' | 'would hold' = 'holds'): (entry: Entry) => void {
  const tooMuch = (limit: string) =>
    limitReached(
      `The project "${name}" ${verb} more than ${limit}, the most that a manifest may have; delete some documents, or use another project.`,
    );
  let [count, bytes] = [0, 0];
  return ({ json }) => {
    count += 1;
    bytes += Buffer.byteLength(json) + 1;
    if (bytes > MAX_BYTES) throw tooMuch('16 MiB');
    if (count > MAX_ENTRIES) throw tooMuch(`${MAX_ENTRIES} resources`);
  };
}

/** Reads all resources of a kind, by their names. */
async function readAll<Row extends { readonly id: string; readonly name: string }>(
  store: Store,
  { id }: Project,
  resources: {
    listIds: ResourceRows<never, never>['listIds'];
    readRows: (db: Store['reads'], ids: readonly string[]) => Promise<Map<string, Row>>;
  },
): Promise<Map<string, Row>> {
  const all = new Map<string, Row>();
  const pause = pausing();
  for (const part of chunksBySize(await resources.listIds(store, id, {}))) {
    const rows = await resources.readRows(
      store.reads,
      part.map((entry) => entry.id),
    );
    for (const row of rows.values()) all.set(row.name, row);
    await pause();
  }
  return all;
}

function skillFields({ name, type, params }: SkillRow): Fields['skill'] {
  return { name, type, params: JSON.parse(params) };
}

function agentFields(row: AgentRow, used: readonly string[]): Fields['agent'] {
  const { name, model_name, provider, prompt_template, model, data, settings } = row;
  return {
    name,
    model_name,
    provider,
    prompt_template,
    skills: [...used],
    ...(model !== null && { model: JSON.parse(model) }),
    ...(data !== null && { data: JSON.parse(data) }),
    settings: JSON.parse(settings),
  };
}

function chatbotFields(row: ChatbotRow): Fields['chatbot'] {
  const { name, agent_name, model_name, database_name, settings } = row;
  return { name, agent_name, model_name, database_name, settings: JSON.parse(settings) };
}

/** The agents whose uses of skills are counted at once, and the share of `chunksBySize` that a use has, in bytes. */
const AGENTS_AT_ONCE = 32;
const USE_BYTES = 128;

/** Returns the names of the skills of agents, in order, by the ids of the agents. */
async function findUsedSkills(
  { reads }: Store,
  rows: readonly AgentRow[],
  skillRows: ReadonlyMap<string, SkillRow>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = new Map(Array.from(skillRows.values(), ({ id, name }) => [id, name]));
  const used = new Map<string, string[]>();
  const pause = pausing();
  for (let begin = 0; begin < rows.length; begin += AGENTS_AT_ONCE) {
    const ids = rows.slice(begin, begin + AGENTS_AT_ONCE).map(({ id }) => id);
    const counts = await reads
      .selectFrom('agent_skills')
      .select(({ fn }) => ['agent_id', fn.countAll<number | string>().as('uses')])
      .where('agent_id', 'in', padToPowerOfTwo(ids))
      .groupBy('agent_id')
      .execute();
    await pause();
    const sized = counts.map(({ agent_id: id, uses }) => ({ id, bytes: Number(uses) * USE_BYTES }));
    for (const part of chunksBySize(sized)) {
      const agentIds = padToPowerOfTwo(part.map(({ id }) => id));
      const uses = await reads
        .selectFrom('agent_skills')
        .select(['agent_id', 'skill_id'])
        .where('agent_id', 'in', agentIds)
        .orderBy('agent_id')
        .orderBy('position')
        .execute();
      for (const { agent_id, skill_id } of uses) {
        const [name, own] = [names.get(skill_id), used.get(agent_id) ?? []];
        if (name !== undefined) own.push(name);
        used.set(agent_id, own);
      }
      await pause();
    }
  }
  return used;
}

/**
 * Reads the documents of a project that a manifest can hold, with their texts: those of a skill whose type has changed to
 * one without documents are hidden, since no manifest could create them.
 */
async function* readDocuments(store: Store, { id }: Project): AsyncGenerator<Fields['document']> {
  const documents = await store.reads
    .selectFrom('documents')
    .innerJoin('skills', 'skills.id', 'documents.skill_id')
    .select(['documents.id', 'skills.name as skill', 'documents.name'])
    .select(['documents.media_type', 'documents.bytes'])
    .where('skills.project_id', '=', id)
    .where('skills.type', 'in', DOCUMENT_TYPES)
    .where('documents.bytes', '<=', MAX_TEXT_BYTES)
    .limit(MAX_ENTRIES + 1)
    .execute();
  for (const part of chunksBySize(documents)) {
    const texts = await readTexts(
      store,
      part.map((document) => document.id),
    );
    for (const { id, skill, name, media_type } of part) {
      const text = texts.get(id);
      if (text !== undefined) yield { skill, name, media_type, text };
    }
  }
}

async function* readModels(store: Store, { id }: Project): AsyncGenerator<Model> {
  let after: string | undefined;
  do {
    const models = await listModels(store, id, { limit: MODELS_AT_ONCE, after });
    yield* models;
    after = models.length === MODELS_AT_ONCE ? models.at(-1)?.id : undefined;
  } while (after !== undefined);
}

/** Returns what its newest version says of a model; undefined if its table was sent. */
async function modelFields(store: Store, model: Model): Promise<Fields['model'] | undefined> {
  const { name, target, source, promotion, adapt } = model;
  if (source === null) return undefined;
  const { choices: chosen, marks = {}, validation } = await findTableOptions(store, model);
  const columns = CHOOSING.map(([parameter, choice]) => {
    const names = chosen.filter(([, as]) => as === choice).map(([column]) => column);
    return [parameter, names] as const;
  });
  const choices = Object.fromEntries(columns);
  const read = { ...choices, ...writeMarks(marks), ...writeValidation(validation) };
  const common = { name, target, source, ...read, promotion, adapt };
  if (model.task !== 'forecast') return { ...common, task: model.task, effort: model.effort };
  const { order_by, group_by, horizon, window, known, holidays, aggregate } = model;
  const series = { order_by, group_by, horizon, known, holidays };
  return { ...common, ...series, ...(window !== null && { window }), ...(aggregate && { aggregate }) };
}
