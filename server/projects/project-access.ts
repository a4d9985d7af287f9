import type { Caller } from '../auth/caller.js';
import { problem } from '../problems/problem.js';
import type { Project, Store } from '../store/index.js';

/**
 * Finds a project of the caller.
 * @throws {ProblemError} if the caller has no project of this name
 */
export async function findProject(store: Store, { owner }: Caller, name: string): Promise<Project> {
  return existing(await store.projects.find(owner, name), name);
}

/**
 * Finds a project of the caller, and locks it against other writes until the end of the
 * transaction.
 * @param tx the store of the transaction
 * @throws {ProblemError} if the caller has no project of this name
 */
export async function lockProject(tx: Store, { owner }: Caller, name: string): Promise<Project> {
  return existing(await tx.projects.lock(owner, name), name);
}

/** Writes to a project of the caller in one transaction, which locks the project. */
export function inProject<T>(
  store: Store,
  caller: Caller,
  name: string,
  write: (tx: Store, project: Project) => Promise<T>,
): Promise<T> {
  const target = { owner: caller.owner, project: name };
  return store.transaction(async (tx) => write(tx, await lockProject(tx, caller, name)), target);
}

function existing(project: Project | undefined, name: string): Project {
  if (project) return project;
  throw problem('/problems/project-not-found', `There is no project with the name "${name}".`);
}
