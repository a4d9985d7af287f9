import type { Caller } from '../auth/caller.js';
import { invalidRequest, type ProblemError, problem, unavailable } from '../problems/problem.js';
import {
  isUnavailable,
  LimitReachedError,
  NameTakenError,
  type Project,
  type Store,
  StoreBusyError,
  TooLargeError,
} from '../store/index.js';

/** Finds the project of an address among the caller's. */
export async function projectNamed(
  store: Store,
  { owner }: Caller,
  name: string,
): Promise<Project> {
  return existing(await store.projects.find(owner, name), name);
}

/**
 * Writes to a project of the caller's, in one transaction that holds the project: all of it happens or
 * nothing, and nobody else writes to the project meanwhile.
 */
export function inProject<T>(
  store: Store,
  caller: Caller,
  name: string,
  write: (store: Store, project: Project) => Promise<T>,
): Promise<T> {
  return store.transaction((store) => holding(store, caller, name, write), {
    owner: caller.owner,
    project: name,
  });
}

/** Writes to a project within a transaction that has begun, which holds the project from here on. */
export async function holding<T>(
  store: Store,
  { owner }: Caller,
  name: string,
  write: (store: Store, project: Project) => Promise<T>,
): Promise<T> {
  return write(store, existing(await store.projects.hold(owner, name), name));
}

function existing(project: Project | undefined, name: string): Project {
  if (project) return project;
  throw problem('/problems/project-not-found', `There is no project with the name "${name}".`);
}

/** What a write is about, for the words of its problems. */
interface Written {
  readonly kind: 'skill' | 'agent' | 'chatbot';
  readonly project: Project;
  /** The name that is written, if one is. */
  readonly name: string | undefined;
  /** The fields as they were sent. */
  readonly sent: object;
}

/** Runs a write, and says what it clashed with in words for the caller. */
export async function written<T>(what: Written, write: () => Promise<T>): Promise<T> {
  const { kind, project, name, sent } = what;
  try {
    return await write();
  } catch (error) {
    if (error instanceof NameTakenError) {
      const article = kind === 'agent' ? 'an' : 'a';
      throw nameTaken(`${article} ${kind} named "${name}" in the project "${project.name}"`);
    }
    if (error instanceof LimitReachedError) throw projectFull(project, error);
    if (error instanceof TooLargeError) {
      throw invalidRequest([
        {
          pointer: `/body/${kind}/${sentField(sent, error.field)}`,
          message: `would make the ${kind} hold more than ${error.bound}; send less, or remove some first`,
        },
      ]);
    }
    throw error;
  }
}

/** A problem of the name of a resource, which `what` describes. */
function nameTaken(what: string) {
  return problem(
    '/problems/name-taken',
    `There is already ${what}; choose another name, or update that one.`,
  );
}

/** The problem of a project that has no room for a write, or whose owner has none. */
export function projectFull({ name }: Project, limit: LimitReachedError) {
  return limit.kind === 'stored'
    ? ownerFull(limit)
    : problem('/problems/limit-reached', `The project "${name}" ${whatIsFull(limit)}`);
}

/** The problem of an owner for whom no more is stored. */
function ownerFull({ held, most }: LimitReachedError) {
  return problem(
    '/problems/limit-reached',
    `Your projects hold ${sizeText(held)} of params, settings, prompts, models and training tables, and may hold ${sizeText(most)}; send less, delete models or other resources, or wait for trainings to end.`,
  );
}

/** The problem of an owner for whom no more answers are kept. */
export function answersFull({ held, most }: LimitReachedError) {
  return problem(
    '/problems/limit-reached',
    `The answers to your creations with an Idempotency-Key hold ${sizeText(held)}, and may hold ${sizeText(most)}; create it without a key, or wait: each answer is dropped after 24 hours. Nothing was created.`,
  );
}

/** Such as "10,737,418,240 bytes", the unit of the settings. */
function sizeText(bytes: number): string {
  return `${bytes.toLocaleString('en')} bytes`;
}

const MEBIBYTE = 1024 * 1024;

function whatIsFull({ kind, most }: LimitReachedError): string {
  switch (kind) {
    case 'bytes':
      return `would hold more than ${most / MEBIBYTE} MiB of params, settings and prompts; send less, delete some, or use another project.`;
    case 'uses':
      return `would have agents that use its skills more than ${most.toLocaleString('en')} times; take some off them, or use another project.`;
    default:
      return `holds ${most} ${kind} already, the most that it may; delete some, or use another project.`;
  }
}

/** The problem of a store that cannot do its work now, if that is what was thrown. */
export function storeProblem(thrown: unknown): ProblemError | undefined {
  if (thrown instanceof StoreBusyError) return unavailable(thrown.message);
  if (!isUnavailable(thrown)) return undefined;
  const detail = 'The store cannot take the request now; try again in a moment.';
  return unavailable(detail, 1, { cause: thrown });
}

/** The word by which the caller sent a field that has an older one, or that is changed by another. */
function sentField(sent: object, field: TooLargeError['field']): string {
  if (Object.hasOwn(sent, field)) return field;
  return field === 'skills' ? 'skills_to_add' : 'params';
}

type WithoutNull<T> = { [K in keyof T]: Exclude<T[K], null> };

/** The fields of a write that were sent: one that is null counts as not sent. */
export function sent<T extends object>(fields: T): WithoutNull<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== null);
  // Only the nulls are gone, which TypeScript cannot see through the entries.
  return Object.fromEntries(kept) as WithoutNull<T>;
}
