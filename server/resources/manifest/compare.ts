import { asRecord, isObject, type JsonRecord } from '../../../contract/json-record.js';
import { escapeToken } from '../../../contract/pointer.js';
import type { components } from '../../../generated/openapi.js';
import { pausing } from '../../common/pausing.js';
import type { Project } from '../../projects/projects.js';
import { DOCUMENT_TYPES } from '../documents/documents.js';
import { compareTexts, type Entry, makeEntry, type SentEntry, sortEntries, writeTraining } from './entries.js';
import { countEntries, type ProjectState } from './project-state.js';

type Action = components['schemas']['ManifestChange']['action'];

/** A change of a project: what it is to become, or what is to be deleted. */
export type Change =
  | { readonly action: 'delete'; readonly entry: Entry; readonly fields: readonly string[] }
  | {
      readonly action: Exclude<Action, 'delete'>;
      readonly entry: SentEntry;
      /** The pointers from the resource to what differs. */
      readonly fields: readonly string[];
    };

/** Returns whether a change begins the training of a model. */
export function trains({ action, entry }: Change): boolean {
  return entry.kind === 'model' && (action === 'create' || action === 'train');
}

/** The most fields that a change lists, as the contract says. */
const MAX_FIELDS = 5000;

/**
 * Returns what must change for a project to be as a manifest says, in the order of a manifest. Yields to other
 * requests meanwhile.
 * @param prune true if what the manifest does not name is to be deleted
 */
export async function compareProject(
  state: ProjectState,
  wanted: ReadonlyMap<string, SentEntry>,
  prune: boolean,
): Promise<Change[]> {
  const changes: Change[] = [];
  const pause = pausing();
  for (const sent of wanted.values()) {
    await pause();
    const stored = state.entries.get(sent.key);
    const entry = stored ? adoptTask(sent, stored) : sent;
    if (stored?.json === entry.json) continue;
    const fields = stored ? listDifferences(stored, entry) : [];
    changes.push({ action: findAction(state, entry, stored), entry, fields });
  }
  if (prune) {
    for (const [key, entry] of state.entries) {
      if (!wanted.has(key)) changes.push({ action: 'delete', entry, fields: [] });
    }
  }
  return changes.sort((one, other) => compareTexts(one.entry.key, other.entry.key));
}

/**
 * Refuses changes after which the project would hold more than a manifest may: it could be exported no more.
 * @throws {ProblemError}
 */
export async function refuseExcess(project: Project, state: ProjectState, changes: readonly Change[]): Promise<void> {
  const count = countEntries(project, 'would hold');
  const pause = pausing();
  for (const entry of listEntriesAfter(state, changes)) {
    count(entry);
    await pause();
  }
}

/** Returns the entries that a project has after changes, in the order of a manifest. */
export function listEntriesAfter({ entries }: ProjectState, changes: readonly Change[]): readonly Entry[] {
  const changed = new Set(changes.map(({ entry }) => entry.key));
  const kept = [...entries.values()].filter(({ key }) => !changed.has(key));
  const put = changes.flatMap(({ action, entry }) => (action === 'delete' ? [] : [entry]));
  const after = [...kept, ...put];
  const types = new Map(after.flatMap(({ kind, fields }) => (kind === 'skill' ? [[fields.name, fields.type]] : [])));
  // As in the state of a project, documents are hidden while their skill has another type.
  return sortEntries(
    after.filter(({ kind, fields }) => kind !== 'document' || DOCUMENT_TYPES.includes(types.get(fields.skill) ?? '')),
  );
}

/** A model that names no task has the one that was found in its table. */
function adoptTask(sent: SentEntry, stored: Entry): SentEntry {
  if (sent.kind !== 'model' || stored.kind !== 'model') return sent;
  const { task, order_by } = sent.fields;
  const found = stored.fields.task;
  if (task !== undefined || order_by !== undefined || found === undefined) return sent;
  return { ...makeEntry('model', { ...sent.fields, task: found }), at: sent.at };
}

function findAction({ models }: ProjectState, entry: Entry, stored: Entry | undefined) {
  if (entry.kind !== 'model') return stored ? 'update' : 'create';
  // One whose table was sent is there, and is not in the manifest of the project.
  if (stored?.kind !== 'model') return models.has(entry.fields.name) ? 'train' : 'create';
  return writeTraining(entry.fields) === writeTraining(stored.fields) ? 'update' : 'train';
}

function listDifferences(stored: Entry, entry: Entry): string[] {
  return compareMembers(asRecord(stored.fields), asRecord(entry.fields), '', 2).slice(0, MAX_FIELDS);
}

/**
 * Returns the places in which two objects differ, such as `/params/limit`.
 * @param levels how deep they are looked into
 */
function compareMembers(before: JsonRecord, after: JsonRecord, place: string, levels: number): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    const [one, other] = [before[name], after[name]];
    const at = `${place}/${escapeToken(name)}`;
    // Two objects that are equal are not the same one.
    if (one === other) return [];
    if (isObject(one) && JSON.stringify(one) === JSON.stringify(other)) return [];
    const isDeeper = levels > 1 && hasNames(one) && hasNames(other);
    return isDeeper ? compareMembers(one, other, at, levels - 1) : [at];
  });
}

/** Arrays are compared as a whole. */
function hasNames(value: unknown): value is JsonRecord {
  return isObject(value) && !Array.isArray(value);
}
