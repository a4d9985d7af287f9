import type { Pause } from 'roster-prediction/predicting';
import { pausing } from '../../common/pausing.js';
import { deleteModel, lockModel, setServing } from '../../models/change-models.js';
import { addVersion, enterQueue } from '../../models/training/begin-training.js';
import { parseEffort } from '../../models/training/goal.js';
import { type StoredTable, takeTable } from '../../models/training/table-rows.js';
import { type ProblemError, unavailable } from '../../problems/problem.js';
import type { Store } from '../../store/index.js';
import { deleteRows, rowWriter } from '../../store/many-rows.js';
import { adjustCounters, countAtEnd } from '../../store/quota.js';
import { agents } from '../agents.js';
import { chatbots, detachConversations } from '../chatbots.js';
import { putDocument, removeDocument, type StoredText } from '../documents/documents.js';
import { skills } from '../skills.js';
import { type Change, trains } from './compare.js';
import type { Entry, EntryOf, Kind, SentEntry } from './entries.js';
import type { Plan } from './plan.js';

/** A text that is stored for a document of the skill with an id. */
export interface PreparedText extends StoredText {
  readonly skillId: string;
}

/** The texts and tables that were stored before the transaction, by the keys of entries. */
export interface Prepared {
  readonly texts: ReadonlyMap<string, PreparedText>;
  readonly tables: ReadonlyMap<string, StoredTable>;
}

/**
 * Writes a plan, in an order in which each row finds what it refers to, and yields to other requests meanwhile. Runs
 * within a transaction that has locked the project, which is still as the plan found it.
 * @returns the ids of the deleted versions of models
 * @throws {ProblemError} if others have used up a limit meanwhile, or something was not prepared
 */
export async function writePlan(tx: Store, plan: Plan, prepared: Prepared): Promise<string[]> {
  const { project, changes } = plan;
  const pause = pausing();
  const deleted = await countAtEnd(tx.reads, tx.limits, async () => {
    // Locked first, because a training that ends locks its model before other rows.
    for (const { entry } of changes) {
      if (entry.kind === 'model') await lockModel(tx, project.id, entry.fields.name);
      await pause();
    }
    const versions = await removeEntries(tx, plan, pause);
    for (const change of changes) {
      if (change.action === 'delete' || change.entry.kind !== 'model') continue;
      await putModel(tx, plan, change.entry, trains(change), prepared);
      await pause();
    }
    await putRows(tx, plan, prepared, pause);
    await adjustCounters(tx.reads, project.id, plan.growth, tx.limits);
    return versions;
  });
  // The lock of the queue is always taken last.
  if (changes.some(trains)) await enterQueue(tx, project.id);
  return deleted;
}

/** Deletes from the last kind to the first, because documents are deleted with their skill. */
async function removeEntries(tx: Store, plan: Plan, pause: Pause): Promise<string[]> {
  const { project, state, changes } = plan;
  const db = tx.reads;
  const versions: string[] = [];
  for (const { fields } of listRemoved(changes, 'model')) {
    versions.push(...((await deleteModel(tx, project.id, fields.name)) ?? []));
    await pause();
  }
  const removed = listRemoved(changes, 'chatbot').flatMap(({ fields }) => {
    return state.chatbots.get(fields.name) ?? [];
  });
  for (const row of removed) {
    await detachConversations(tx, row);
    await pause();
  }
  const byId = (table: 'chatbots' | 'agents' | 'skills', ids: readonly string[]) =>
    deleteRows(db, { table, key: ['id'] }, 'id', ids, pause);
  await byId(
    'chatbots',
    removed.map(({ id }) => id),
  );
  const agentIds = listIds(listRemoved(changes, 'agent'), state.agents);
  const replaced = plan.uses.map(({ agentId }) => agentId);
  const uses = { table: 'agent_skills', key: ['agent_id', 'skill_id'] } as const;
  await deleteRows(db, uses, 'agent_id', [...agentIds, ...replaced], pause);
  await byId('agents', agentIds);
  for (const { fields } of listRemoved(changes, 'document')) {
    const skill = state.skills.get(fields.skill);
    if (skill) await removeDocument(tx, skill.id, fields.name);
    await pause();
  }
  const skillIds = listIds(listRemoved(changes, 'skill'), state.skills);
  await deleteRows(db, { table: 'documents', key: ['id'] }, 'skill_id', skillIds, pause);
  await byId('skills', skillIds);
  return versions;
}

function listRemoved<K extends Kind>(changes: readonly Change[], kind: K): EntryOf<K>[] {
  const isOfKind = (entry: Entry): entry is Extract<Entry, EntryOf<K>> => entry.kind === kind;
  return changes.flatMap(({ action, entry }) => {
    return action === 'delete' && isOfKind(entry) ? [entry] : [];
  });
}

function listIds(
  removed: readonly { readonly fields: { readonly name: string } }[],
  stored: ReadonlyMap<string, { readonly id: string }>,
): string[] {
  return removed.flatMap(({ fields }) => stored.get(fields.name)?.id ?? []);
}

async function putModel(
  tx: Store,
  { project, state }: Plan,
  { key, fields }: EntryOf<'model'>,
  isTrained: boolean,
  { tables }: Prepared,
): Promise<void> {
  const { name, promotion = 'always', adapt = false } = fields;
  let modelId = state.models.get(name)?.id;
  if (isTrained) {
    const table = tables.get(key);
    if (!table) throw changedMeanwhile();
    const added = await addVersion(tx, project.id, name, table, { source: fields.source, effort: parseEffort(fields) });
    await takeTable(tx.reads, table.tableId, added.versionId);
    modelId = added.modelId;
  }
  if (modelId !== undefined) await setServing(tx.reads, modelId, { promotion, adapt });
}

const COMMON = ['id', 'project_id', 'name', 'created_at', 'updated_at'] as const;
const SKILL = ['type', 'params', 'updated_at'] as const;
const AGENT = [
  ...(['model_name', 'provider', 'prompt_template', 'model', 'data'] as const),
  ...(['settings', 'updated_at'] as const),
];
const CHATBOT = ['agent_id', 'model_name', 'database_name', 'settings', 'updated_at'] as const;

const unique = <T>(columns: readonly T[]) => [...new Set(columns)];

const putSkills = rowWriter('skills', unique([...COMMON, ...SKILL]), SKILL);
const putAgents = rowWriter('agents', unique([...COMMON, ...AGENT]), AGENT);
const putChatbots = rowWriter('chatbots', unique([...COMMON, ...CHATBOT]), CHATBOT);
const addUses = rowWriter('agent_skills', ['agent_id', 'skill_id', 'position']);

/** The bytes of a row beside its long texts, and those of a use. */
const ROW_BYTES = 500;
const USE_BYTES = 100;

/** Writes the rows of skills, their documents, and what uses them. */
async function putRows(tx: Store, plan: Plan, prepared: Prepared, pause: Pause): Promise<void> {
  const db = tx.reads;
  await putSkills(db, sizeRows(skills, plan.skills), pause);
  for (const { action, entry } of plan.changes) {
    if (action === 'delete' || entry.kind !== 'document') continue;
    await putText(tx, plan, entry, prepared);
    await pause();
  }
  await putAgents(db, sizeRows(agents, plan.agents), pause);
  await addUses(db, listUses(plan), pause);
  await putChatbots(db, sizeRows(chatbots, plan.chatbots), pause);
}

function* sizeRows<R extends Readonly<Record<string, unknown>>>(
  resources: { countBytes: (row: R) => number },
  rows: readonly R[],
) {
  for (const row of rows) yield { row, bytes: ROW_BYTES + resources.countBytes(row) };
}

function* listUses({ uses }: Plan) {
  for (const { agentId: agent_id, skillIds } of uses) {
    for (const [position, skill_id] of skillIds.entries()) {
      yield { row: { agent_id, skill_id, position }, bytes: USE_BYTES };
    }
  }
}

async function putText(
  tx: Store,
  { skillIds }: Plan,
  { key, fields }: EntryOf<'document'> & SentEntry,
  { texts }: Prepared,
): Promise<void> {
  const { skill: name, media_type } = fields;
  const id = skillIds.get(name);
  const text = texts.get(key);
  // The stored text has the terms of a skill that was deleted.
  if (id === undefined || id !== text?.skillId) throw changedMeanwhile();
  await putDocument(tx, { id, name }, fields.name, media_type, text);
}

function changedMeanwhile(): ProblemError {
  return unavailable('The project was changed meanwhile; send the manifest again.');
}
