import { pausing } from '../../common/pausing.js';
import { deleteModel, lockModel, setServing } from '../../models/change-models.js';
import { addVersion, enterQueue } from '../../models/training/begin-training.js';
import { type StoredTable, takeTable } from '../../models/training/table-rows.js';
import { listFaults, ProblemError, problem, unavailable } from '../../problems/problem.js';
import type { Project } from '../../projects/projects.js';
import type { Store } from '../../store/index.js';
import { countAtEnd } from '../../store/quota.js';
import { agents, createAgent, updateAgent } from '../agents.js';
import { chatbots, createChatbot, updateChatbot } from '../chatbots.js';
import {
  DOCUMENT_TYPES,
  putDocument,
  removeDocument,
  type StoredText,
} from '../documents/documents.js';
import { checkSkill, createSkill, type ServiceNames, skills, updateSkill } from '../skills.js';
import type { Change } from './compare.js';
import { type EntryOf, type Kind, makeKey, type SentEntry } from './entries.js';
import type { ProjectState } from './project-state.js';

/** A text that is stored for a document of the skill with an id. */
export interface PreparedText extends StoredText {
  readonly skillId: string;
}

/** The texts and tables that were stored before the transaction, by the keys of entries. */
export interface Prepared {
  readonly texts: ReadonlyMap<string, PreparedText>;
  readonly tables: ReadonlyMap<string, StoredTable>;
  /** The ids of the skills that are to be created with documents, by name. */
  readonly skillIds: ReadonlyMap<string, string>;
}

/** Where changes are made: in a transaction that has locked the project. */
interface Scope {
  readonly tx: Store;
  readonly project: Project;
  readonly state: ProjectState;
  readonly names: ServiceNames;
  /** Undefined in a dry run, where documents have no texts and trainings no tables. */
  readonly prepared: Prepared | undefined;
}

/**
 * Makes changes, in an order in which each finds what it refers to, and yields to other requests meanwhile.
 * @returns the ids of the deleted versions of models
 * @throws {ProblemError} with the place of the entry that cannot be
 */
export async function applyChanges(changes: readonly Change[], scope: Scope): Promise<string[]> {
  const { tx, project } = scope;
  const pause = pausing();
  const deleted = await countAtEnd(tx.reads, tx.limits, async () => {
    // Before rows that a training that ends locks after its model.
    for (const { entry } of changes) {
      if (entry.kind === 'model') await lockModel(tx, project.id, entry.fields.name);
    }
    const versions = await deleteEntries(changes, scope, pause);
    for (const kind of ORDER) {
      for (const { action, entry } of changes) {
        if (action === 'delete' || entry.kind !== kind) continue;
        await putEntry(entry, action, scope);
        await pause();
      }
    }
    return versions;
  });
  // Last of all: see there.
  if (changes.some(({ action, entry }) => entry.kind === 'model' && STARTS.has(action))) {
    await enterQueue(tx, project.id);
  }
  return deleted;
}

/** Skills refer to models, agents and documents to skills, and chatbots to agents. */
const ORDER: readonly Kind[] = ['model', 'skill', 'document', 'agent', 'chatbot'];

/** The changes of a model that begin a training. */
const STARTS: ReadonlySet<Change['action']> = new Set(['create', 'train']);

/** @throws {ProblemError} with the place of the entry */
async function putEntry(entry: SentEntry, action: Change['action'], scope: Scope): Promise<void> {
  try {
    switch (entry.kind) {
      case 'model':
        return await putModel(entry, action, scope);
      case 'skill':
        return await putSkill(entry, scope);
      case 'document':
        return await putText(entry, scope);
      case 'agent':
        return await putAgent(entry, scope);
      case 'chatbot':
        return await putChatbot(entry, scope);
    }
  } catch (error) {
    throw error instanceof ProblemError ? placeProblem(error, entry.at) : error;
  }
}

async function deleteEntries(
  changes: readonly Change[],
  { tx, project, state }: Scope,
  pause: () => Promise<void>,
): Promise<string[]> {
  const versions: string[] = [];
  // From the last kind to the first: a skill takes its documents along.
  for (const { action, entry } of changes.toReversed()) {
    if (action !== 'delete') continue;
    const { kind, fields } = entry;
    if (kind === 'model') {
      versions.push(...((await deleteModel(tx, project.id, fields.name)) ?? []));
    } else if (kind === 'chatbot') {
      const row = state.chatbots.get(fields.name);
      if (row) await chatbots.remove(tx, row);
    } else if (kind === 'agent') {
      const row = state.agents.get(fields.name);
      if (row) await agents.remove(tx, row);
    } else if (kind === 'document') {
      const skill = state.skills.get(fields.skill);
      if (skill) await removeDocument(tx, skill.id, fields.name);
    } else {
      const row = state.skills.get(fields.name);
      if (row) await skills.remove(tx, row);
    }
    await pause();
  }
  return versions;
}

async function putModel(
  entry: EntryOf<'model'>,
  action: Change['action'],
  { tx, project, state, prepared }: Scope,
): Promise<void> {
  const { name, source, target, promotion = 'always', adapt = false } = entry.fields;
  let modelId = state.models.get(name)?.id;
  if (STARTS.has(action)) {
    const table = prepared ? prepared.tables.get(entry.key) : { target, ...NO_TABLE };
    if (!table) throw changedMeanwhile();
    const added = await addVersion(tx, project.id, name, table, source);
    if ('tableId' in table) await takeTable(tx.reads, table.tableId, added.versionId);
    modelId = added.modelId;
  }
  if (modelId !== undefined) await setServing(tx.reads, modelId, { promotion, adapt });
}

/** The facts of a version in a dry run, where nobody sees it. */
const NO_TABLE: Pick<StoredTable, 'task' | 'rowCount'> = { task: 'regression', rowCount: 0 };

async function putSkill({ fields }: EntryOf<'skill'>, scope: Scope): Promise<void> {
  const { tx, project, state, names, prepared } = scope;
  const { name, params = {} } = fields;
  const row = state.skills.get(name);
  const skill = row
    ? await updateSkill(tx, row, { ...fields, params: replaceMembers(row.params, params) })
    : await createSkill(tx, project.id, fields, prepared?.skillIds.get(name));
  await checkSkill(tx, project, skill, names);
}

async function putText(entry: EntryOf<'document'>, { tx, state, prepared }: Scope): Promise<void> {
  if (!prepared) return;
  const { skill, name, media_type } = entry.fields;
  const id = state.skills.get(skill)?.id ?? prepared.skillIds.get(skill);
  const text = prepared.texts.get(entry.key);
  // The terms of the stored text are those of the skill that has gone.
  if (id === undefined || id !== text?.skillId) throw changedMeanwhile();
  await putDocument(tx, { id, name: skill }, name, media_type, text);
}

async function putAgent({ fields }: EntryOf<'agent'>, scope: Scope): Promise<void> {
  const { tx, project, state } = scope;
  const row = state.agents.get(fields.name);
  if (!row) await createAgent(tx, project.id, fields);
  else {
    const { model_name = null, provider = null, prompt_template = null } = fields;
    const { model = null, data = null, skills: used = [], settings = {} } = fields;
    const whole = { ...fields, model_name, provider, prompt_template, model, data, skills: used };
    await updateAgent(tx, row, { ...whole, settings: replaceMembers(row.settings, settings) });
  }
}

async function putChatbot({ fields }: EntryOf<'chatbot'>, scope: Scope): Promise<void> {
  const { tx, project, state } = scope;
  const row = state.chatbots.get(fields.name);
  if (!row) await createChatbot(tx, project.id, fields);
  else {
    const { agent_name = null, model_name = null, database_name = null, settings = {} } = fields;
    const whole = { ...fields, agent_name, model_name, database_name };
    await updateChatbot(tx, row, { ...whole, settings: replaceMembers(row.settings, settings) });
  }
}

/** Returns members that replace those of stored JSON when they are merged into them: null removes one. */
function replaceMembers(
  stored: string,
  members: Readonly<Record<string, unknown>> | null,
): Record<string, unknown> {
  const names = Object.keys(JSON.parse(stored));
  return Object.fromEntries([
    ...names.map((name) => [name, null]),
    ...Object.entries(members ?? {}),
  ]);
}

function changedMeanwhile(): ProblemError {
  return unavailable('The project was changed meanwhile; send the manifest again.');
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
 * Refuses a document whose skill is not there, or keeps none. Runs before its text is stored, which is work.
 * @throws {ProblemError} with the place of the document
 */
export function checkDocumentSkill(
  { fields, at }: EntryOf<'document'> & SentEntry,
  wanted: ReadonlyMap<string, SentEntry>,
  state: ProjectState,
  prune: boolean,
): void {
  const pointer = `${at}/document/skill`;
  const key = makeKey('skill', { name: fields.skill });
  const skill = wanted.get(key) ?? (prune ? undefined : state.entries.get(key));
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
