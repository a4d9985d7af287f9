import { pausing } from '../common/pausing.js';
import type { JsonChunks, ListEntry, Page } from '../store/rows.js';
import { JsonText } from './reply/send.js';

export interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

/** A page of a list, and the header that links to the next page. */
export interface ListPage<T> {
  readonly body: JsonText<T[]>;
  readonly headers: { Link?: string };
}

/** A list, whose parts are read and written one after the other. */
interface List<E> {
  readonly read: (page: Page) => Promise<E[]>;
  readonly write: (entries: readonly E[]) => Iterable<JsonChunks> | AsyncIterable<JsonChunks>;
  readonly firstPart: number;
  /** Returns the number that is read after a part of `limit` entries, and how much it wrote. */
  readonly nextPart: (limit: number, written: number) => number;
}

/**
 * Reads the page of a list that the query asks for. Few resources are in memory at once, and fewer if they are large.
 * @param address the address of the list, as the caller used it
 * @param read reads a part of the list from the store
 * @param show gives what is shown of an entry
 */
export function listPage<T extends { readonly id: string }, R>(
  address: string,
  query: PageQuery,
  read: (page: Page) => Promise<T[]>,
  show: (entry: T) => R,
): Promise<ListPage<R>> {
  return readPage(address, query, {
    read,
    write: (entries) => entries.map((entry) => [JSON.stringify(show(entry))]),
    firstPart: 8,
    nextPart: (limit, written) => (written > 64 * 1024 ? Math.ceil(limit / 4) : Math.min(limit * 4, 128)),
  });
}

/**
 * Writes the requested page of a list while reading it, and yields to other requests in between.
 * @param address the address of the list, as the caller used it
 */
export function streamPage<T>(
  address: string,
  query: PageQuery,
  /** `readJson` skips resources that no longer exist. */
  { listIds, readJson }: { listIds: List<ListEntry>['read']; readJson: List<ListEntry>['write'] },
): Promise<ListPage<T>> {
  const list = { read: listIds, write: readJson, firstPart: 1000, nextPart: () => 1000 };
  return readPage(address, query, list);
}

/** Reads the first entries at once, so that a failure can still be reported. */
async function readPage<T, E extends { readonly id: string }>(
  address: string,
  query: PageQuery,
  list: List<E>,
): Promise<ListPage<T>> {
  const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
  if (query.limit === undefined) {
    const first = await list.read({ limit: list.firstPart, after });
    return { body: new JsonText<T[]>(writeList(list, first, list.firstPart)), headers: {} };
  }
  const entries = await list.read({ limit: query.limit + 1, after });
  const page = entries.slice(0, query.limit);
  const last = page.at(-1);
  // A limit that no part reaches: nothing is read after this one.
  const body = new JsonText<T[]>(writeList(list, page, Number.POSITIVE_INFINITY));
  if (entries.length <= query.limit || !last) return { body, headers: {} };
  return { body, headers: { Link: linkAfter(address, query, last.id) } };
}

/**
 * Returns the header that links to the page after an entry. It repeats the other members of the query.
 * @param id a UUID
 */
export function linkAfter(address: string, query: PageQuery, id: string): string {
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, cursor: encodeCursor(id) })) {
    for (const one of [value].flat()) next.append(name, String(one));
  }
  return `<${address}?${next}>; rel="next"`;
}

/**
 * Writes a list while the rest of it is read.
 * @param firstLimit the number of entries that the first part could have
 */
async function* writeList<E extends { readonly id: string }>(
  { read, write, nextPart }: List<E>,
  first: readonly E[],
  firstLimit: number,
): AsyncGenerator<string> {
  const pause = pausing();
  let opening = '[';
  let part = first;
  let limit = firstLimit;
  for (;;) {
    let written = 0;
    for await (const chunks of write(part)) {
      yield opening;
      for (const chunk of chunks) {
        written += chunk.length;
        yield chunk;
      }
      opening = ',';
      await pause();
    }
    if (part.length < limit) break;
    limit = nextPart(limit, written);
    part = await read({ limit, after: part.at(-1)?.id });
  }
  yield opening === '[' ? '[]' : ']';
}

/** Returns a cursor: the last id of the page, in a shorter encoding. */
function encodeCursor(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
}

/** Returns the UUID that a cursor stands for. */
export function decodeCursor(cursor: string): string {
  return Buffer.from(cursor, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
