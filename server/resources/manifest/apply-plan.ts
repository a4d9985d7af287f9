import type { Caller } from '../../auth/caller.js';
import { findProject, inLongProjectTransaction } from '../../projects/projects.js';
import { findLastEvent } from '../../store/audit.js';
import type { Store } from '../../store/index.js';
import { type Plan, planChanges, type Wanted } from './plan.js';
import { type Prepared, writePlan } from './write-plan.js';

/** The project of a caller, and the manifest to apply to it. */
interface Target {
  readonly caller: Caller;
  /** The name of the project. */
  readonly name: string;
  readonly wanted: Wanted;
}

/** The result of an apply. */
interface Applied {
  readonly plan: Plan;
  /** The ids of the deleted versions of models. */
  readonly deleted: readonly string[];
}

/**
 * Compares a project with a manifest on a snapshot, without a lock.
 * @throws {ProblemError} as `planChanges`, or if there is no such project
 */
export function planOnSnapshot(store: Store, target: Target): Promise<Plan> {
  return store.snapshot(target.caller.owner, (snapshot) => plan(snapshot, target));
}

async function plan(moment: Store, { caller, name, wanted }: Target): Promise<Plan> {
  return planChanges(moment, await findProject(moment, caller, name), wanted);
}

/**
 * Applies a manifest to a project in one transaction, which holds the locks of a write while it writes changed rows. If
 * the project has changed since it was compared, it is compared again while other writes of its owner wait, and finally
 * under the lock.
 * @param prepare does what takes longer than a transaction may, before it
 * @throws {ProblemError} if a change is refused, or was not prepared for the current state of the project
 */
export async function applyOnSnapshot(
  store: Store,
  target: Target,
  prepare: (plan: Plan) => Promise<Prepared>,
): Promise<Applied> {
  const { caller, name } = target;
  let current = await planOnSnapshot(store, target);
  const prepared = await prepare(current);
  const planAgain = async (moment: Store) => {
    current = await plan(moment, target);
  };
  const write = (isRetry: boolean) =>
    inLongProjectTransaction(
      store,
      caller,
      name,
      async (tx, project) => {
        const lastEvent = await findLastEvent(tx.reads, caller.owner);
        const isCurrent = project.id === current.project.id && lastEvent === current.lastEvent;
        if (!isCurrent && !isRetry) throw new ProjectChanged();
        // By another process, or on PostgreSQL in another project of the owner.
        if (!isCurrent) await planAgain(tx);
        return writePlan(tx, current, prepared);
      },
      isRetry ? planAgain : undefined,
    );
  const deleted = await write(false).catch((error) => {
    if (error instanceof ProjectChanged) return write(true);
    throw error;
  });
  return { plan: current, deleted };
}

/** A project was changed after it was compared with a manifest. */
class ProjectChanged extends Error {}
