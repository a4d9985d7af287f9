import type { components } from '../../../generated/openapi.js';
import type { Handlers } from '../../api/handlers.js';
import { conditionalGet } from '../../api/preconditions.js';
import { JsonText, withEtag } from '../../api/reply/send.js';
import type { TrainingServices } from '../../models/training/train.js';
import { findProject } from '../../projects/projects.js';
import { listServiceNames, type NamedServices } from '../skills.js';
import { applyOnSnapshot, planOnSnapshot } from './apply-plan.js';
import { type Change, listEntriesAfter, trains } from './compare.js';
import { type Entry, makeEntry, readEntries } from './entries.js';
import type { Plan } from './plan.js';
import { Preparation } from './preparation.js';
import { readProject, writeManifest } from './project-state.js';
import type { Prepared } from './write-plan.js';

type Schemas = components['schemas'];
type Manifest = Schemas['Manifest'];
type ManifestChanges = Schemas['ManifestChanges'];

export function manifestOperations(
  services: TrainingServices & NamedServices,
): Pick<Handlers, 'getManifest' | 'applyManifest'> {
  const { store, trainings } = services;
  return {
    getManifest: async ({ caller, params, headers, reply }) => {
      const { entries } = await store.snapshot(caller.owner, async (snapshot) =>
        readProject(snapshot, await findProject(snapshot, caller, params.project_name)),
      );
      return reply(await conditionalGet<Manifest>(writeManifest(entries.values()), headers));
    },

    applyManifest: async ({ caller, params, query, headers, body, signal, reply }) => {
      const { dry_run = false, prune = false } = query;
      const { owner } = caller;
      const { project_name: name } = params;
      await findProject(store, caller, name);
      const entries = await readEntries(body);
      const names = listServiceNames(services, owner);
      const wanted = { owner, entries, prune, conditions: headers, names, skillIds: new Map() };
      const target = { caller, name, wanted };
      const answer = (changes: readonly Change[], after: Iterable<Entry>) =>
        replyChanges({ dry_run, changes, sent: entries.size, after });
      if (dry_run) {
        const { changes, state } = await planOnSnapshot(store, target);
        return reply(await answer(changes, state.entries.values()));
      }
      const preparation = new Preparation(services, owner);
      const prepare = async (plan: Plan) => {
        await preparation.prepare(plan, signal);
        return preparation;
      };
      try {
        const { plan, deleted } = await applyOnSnapshot(store, target, prepare);
        trainings.cancel(deleted);
        trainings.wake();
        return reply(await answer(plan.changes, listApplied(plan, preparation)));
      } catch (error) {
        await preparation.discard();
        throw error;
      }
    },
  };
}

/** Returns the entries of a project to which a plan was applied: its models have the tasks of their tables. */
function listApplied({ state, changes }: Plan, { tables }: Prepared): readonly Entry[] {
  const applied = changes.map((change): Change => {
    const { action, entry } = change;
    const task = trains(change) ? tables.get(entry.key)?.task : undefined;
    if (action === 'delete' || entry.kind !== 'model') return change;
    if (task === undefined || task === 'forecast') return change;
    return { ...change, entry: { ...makeEntry('model', { ...entry.fields, task }), at: entry.at } };
  });
  return listEntriesAfter(state, applied);
}

/** @param done the changes, the number of entries that were sent, and those that the project has now */
async function replyChanges({
  dry_run,
  changes,
  sent,
  after,
}: {
  readonly dry_run: boolean;
  readonly changes: readonly Change[];
  readonly sent: number;
  readonly after: Iterable<Entry>;
}) {
  const { headers } = await withEtag<Manifest>(writeManifest(after));
  const unchanged = sent - changes.filter(({ action }) => action !== 'delete').length;
  const body = new JsonText<ManifestChanges>(writeChanges({ dry_run, unchanged }, changes));
  return { status: 200 as const, body, headers };
}

/** Yields the JSON of changes, each of which may have thousands of fields. */
function* writeChanges(
  { dry_run, unchanged }: Omit<ManifestChanges, 'changes'>,
  changes: readonly Change[],
): Generator<string> {
  yield `{"dry_run":${dry_run},"changes":[`;
  for (const [at, change] of changes.entries()) {
    yield (at === 0 ? '' : ',') + JSON.stringify(showChange(change));
  }
  yield `],"unchanged":${unchanged}}`;
}

function showChange({ action, entry, fields }: Change): ManifestChanges['changes'][number] {
  const skill = entry.kind === 'document' ? entry.fields.skill : null;
  return { action, kind: entry.kind, name: entry.fields.name, skill, fields: [...fields] };
}
