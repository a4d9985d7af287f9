import type { components } from '../../../generated/openapi.js';
import type { Handlers } from '../../api/handlers.js';
import {
  checkPreconditions,
  conditionalGet,
  isConditional,
  withEtag,
} from '../../api/preconditions.js';
import type { TrainingServices } from '../../models/training/train.js';
import { findProject, inProject, inProjectForLong } from '../../projects/projects.js';
import { listServiceNames, type NamedServices } from '../skills.js';
import { applyChanges, checkDocumentSkill } from './apply-changes.js';
import { type Change, compareProject, refuseExcess } from './compare.js';
import { type Entry, readEntries } from './entries.js';
import { Preparation } from './preparation.js';
import { type ProjectState, readProject, writeManifest } from './project-state.js';

type Schemas = components['schemas'];
type Manifest = Schemas['Manifest'];
type ManifestChanges = Schemas['ManifestChanges'];

export function manifestOperations(
  services: TrainingServices & NamedServices,
): Pick<Handlers, 'getManifest' | 'applyManifest'> {
  const { store, trainings } = services;
  return {
    getManifest: async ({ caller, params, headers, reply }) => {
      const state = await inProject(store, caller, params.project_name, (tx, project) => {
        tx.skipEvent();
        return readProject(tx, project);
      });
      return reply(await conditionalGet<Manifest>(writeManifest(state), headers));
    },

    applyManifest: async ({ caller, params, query, headers, body, signal, reply }) => {
      const { dry_run = false, prune = false } = query;
      const { owner } = caller;
      const names = listServiceNames(services, owner);
      const known = await findProject(store, caller, params.project_name);
      const wanted = await readEntries(body);
      const compare = (state: ProjectState) => {
        for (const entry of wanted.values()) {
          if (entry.kind === 'document') checkDocumentSkill(entry, wanted, state, prune);
        }
        return compareProject(state, wanted, prune);
      };
      const preparation = new Preparation(services, owner, known);
      try {
        if (!dry_run && [...wanted.values()].some(needsPreparation)) {
          const state = await readProject(store, known);
          await preparation.prepare(await compare(state), state, signal);
        }
        const done = await inProjectForLong(
          store,
          caller,
          params.project_name,
          async (tx, project) => {
            const state = await readProject(tx, project);
            if (isConditional(headers)) await checkPreconditions(headers, writeManifest(state));
            const changes = await compare(state);
            const prepared = dry_run ? undefined : preparation;
            const scope = { tx, project, state, names, prepared };
            const deleted = await applyChanges(changes, scope);
            await refuseExcess(project, state, changes);
            const answer = {
              dry_run,
              changes: changes.map(showChange),
              unchanged: wanted.size - changes.filter(({ action }) => action !== 'delete').length,
            };
            if (dry_run) throw new DryRun(answer, state);
            const isChanged = changes.length > 0;
            return { answer, deleted, state: isChanged ? await readProject(tx, project) : state };
          },
        );
        trainings.cancel(done.deleted);
        trainings.wake();
        return reply(await replyChanges(done));
      } catch (error) {
        await preparation.discard();
        if (error instanceof DryRun) return reply(await replyChanges(error));
        throw error;
      }
    },
  };
}

function needsPreparation({ kind }: Entry): boolean {
  return kind === 'document' || kind === 'model';
}

/** Ends the transaction of a dry run, so that nothing of it is kept. */
class DryRun extends Error {
  constructor(
    readonly answer: ManifestChanges,
    readonly state: ProjectState,
  ) {
    super('A dry run changes nothing');
  }
}

/** @param done the changes, and the project as it is now */
async function replyChanges(done: {
  readonly answer: ManifestChanges;
  readonly state: ProjectState;
}) {
  const { headers } = await withEtag<Manifest>(writeManifest(done.state));
  return { status: 200 as const, body: done.answer, headers };
}

function showChange({ action, entry, fields }: Change): ManifestChanges['changes'][number] {
  const skill = entry.kind === 'document' ? entry.fields.skill : null;
  return { action, kind: entry.kind, name: entry.fields.name, skill, fields: [...fields] };
}
