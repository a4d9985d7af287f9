import { JsonText } from '../contract/handlers.js';
import { invalidRequest, problem } from '../contract/problems.js';
import {
  NameTakenError,
  type Page,
  type Project,
  ProjectGoneError,
  type Store,
  TooLargeError,
} from '../store/index.js';

/** Finds the project of an address. */
export async function projectNamed(store: Store, name: string): Promise<Project> {
  const project = await store.projects.find(name);
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
export async function written<T>(what: Written, write: () => Promise<T>): Promise<T> {
  try {
    return await inProject(what.project.name, write);
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

/** Runs a write to a project that may be deleted meanwhile. */
export async function inProject<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw error instanceof ProjectGoneError ? projectNotFound(name) : error;
  }
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

interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

/** A page of a list, and the header that leads to the next one. */
export interface ListPage<T> {
  readonly body: JsonText<T[]>;
  readonly headers: { Link?: string };
}

/**
 * Reads the page of a list that the query asks for.
 * @param address the address of the list, as the caller used it
 * @param read reads a part of the list from the store
 */
export async function listPage<T extends { readonly id: string }>(
  address: string,
  query: PageQuery & Readonly<Record<string, unknown>>,
  read: (page: Page) => Promise<T[]>,
): Promise<ListPage<T>> {
  const { limit, cursor } = query;
  const after = cursor === undefined ? undefined : idOf(cursor);
  if (limit === undefined) return { body: jsonArray(await read({ after })), headers: {} };

  const rows = await read({ limit: limit + 1, after });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const body = jsonArray(shown);
  if (rows.length <= limit || !last) return { body, headers: {} };
  const next = searchParams({ ...query, cursor: cursorOf(last.id) });
  return { body, headers: { Link: `<${address}?${next}>; rel="next"` } };
}

const PIECE = 64 * 1024;

/** A list may be longer than one string can be. */
function jsonArray<T>(items: readonly T[]): JsonText<T[]> {
  function* pieces() {
    let piece = '[';
    for (const [index, item] of items.entries()) {
      piece += (index === 0 ? '' : ',') + JSON.stringify(item);
      if (piece.length < PIECE) continue;
      yield piece;
      piece = '';
    }
    yield `${piece}]`;
  }
  return new JsonText(pieces());
}

function searchParams(query: Readonly<Record<string, unknown>>): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) params.append(name, String(one));
  }
  return params;
}

/** A cursor is the last id of the page before, in fewer characters. */
function cursorOf(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
}

function idOf(cursor: string): string {
  return Buffer.from(cursor, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
