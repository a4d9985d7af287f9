import { invalidRequest, type ProblemError, problem } from '../contract/problems.js';
import {
  isUnavailable,
  NameTakenError,
  type Project,
  type Store,
  TooLargeError,
} from '../store/index.js';

/** Finds the project of an address. */
export async function projectNamed(store: Store, name: string): Promise<Project> {
  const project = await store.projects.find('local', name);
  if (project) return project;
  throw projectNotFound(name);
}

function projectNotFound(name: string) {
  return problem('/problems/project-not-found', `There is no project with the name "${name}".`);
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
export async function written<T>(
  store: Store,
  what: Written,
  write: (store: Store) => Promise<T>,
): Promise<T> {
  try {
    return await inProject(store, what.project.name, write);
  } catch (error) {
    const { kind, project, name } = what;
    if (error instanceof NameTakenError) {
      const article = kind === 'agent' ? 'an' : 'a';
      throw nameTaken(`${article} ${kind} named "${name}" in the project "${project.name}"`);
    }
    if (error instanceof TooLargeError) {
      throw invalidRequest([
        {
          pointer: `/body/${kind}/${sentField(what.sent, error.field)}`,
          message: `would make the ${kind} hold more than ${error.bound}; send less, or remove some first`,
        },
      ]);
    }
    throw error;
  }
}

/** A problem of the name of a resource, which `what` describes. */
export function nameTaken(what: string) {
  return problem(
    '/problems/name-taken',
    `There is already ${what}; choose another name, or update that one.`,
  );
}

/** The problem of a store that cannot do its work now, if that is what was thrown. */
export function storeProblem(thrown: unknown): ProblemError | undefined {
  if (!isUnavailable(thrown)) return undefined;
  return problem(
    '/problems/service-unavailable',
    'The store cannot take the request now; try again in a moment.',
    {},
    { 'Retry-After': '1' },
    { cause: thrown },
  );
}

/** Runs a write to a project, which is held meanwhile. */
export function inProject<T>(
  store: Store,
  name: string,
  write: (store: Store) => Promise<T>,
): Promise<T> {
  return store.transaction(async (store) => {
    if (!(await store.projects.hold('local', name))) throw projectNotFound(name);
    return write(store);
  });
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
