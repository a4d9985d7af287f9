import { problem } from '../contract/problems.js';
import { NameTakenError, type Page, type Project, type Store } from '../store/index.js';

/** Finds the project of an address. */
export async function projectNamed(store: Store, name: string): Promise<Project> {
  const project = await store.projects.find(name);
  if (project) return project;
  throw problem('/problems/project-not-found', `There is no project with the name "${name}".`);
}

/** Runs a write, and says that a name is taken in words for the caller. */
export async function nameTaken<T>(what: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof NameTakenError)) throw error;
    throw problem(
      '/problems/name-taken',
      `There is already ${what}; choose another name, or update that one.`,
      {},
      {},
      { cause: error },
    );
  }
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
  readonly body: T[];
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
  if (limit === undefined) return { body: await read({ after }), headers: {} };

  const rows = await read({ limit: limit + 1, after });
  const body = rows.slice(0, limit);
  const last = body.at(-1);
  if (rows.length <= limit || !last) return { body, headers: {} };
  const next = searchParams({ ...query, cursor: cursorOf(last.id) });
  return { body, headers: { Link: `<${address}?${next}>; rel="next"` } };
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
