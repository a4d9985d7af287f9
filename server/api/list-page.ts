import { pausing } from '../common/pausing.js';
import type { ListEntry, Page } from '../store/page.js';
import { JsonText } from './handlers.js';

interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

/** A page of a list, and the header that links to the next page. */
export interface ListPage<T> {
  readonly body: JsonText<T[]>;
  readonly headers: { Link?: string };
}

/**
 * Reads the page of a list that the query asks for.
 * @param address the address of the list, as the caller used it
 * @param read reads a part of the list from the store
 * @param show gives what is shown of an entry
 */
export async function listPage<T extends { readonly id: string }, R>(
  address: string,
  query: PageQuery & Readonly<Record<string, unknown>>,
  read: (page: Page) => Promise<T[]>,
  show: (entry: T) => R,
): Promise<ListPage<R>> {
  const { limit, cursor } = query;
  const after = cursor === undefined ? undefined : idOf(cursor);
  if (limit === undefined) return { body: await wholeList(read, show, after), headers: {} };
  const rows = await read({ limit: limit + 1, after });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const body = new JsonText<R[]>(jsonArray(shown.map(show)));
  if (rows.length <= limit || !last) return { body, headers: {} };
  const next = searchParams({ ...query, cursor: cursorOf(last.id) });
  return { body, headers: { Link: `<${address}?${next}>; rel="next"` } };
}

/** A list whose resources the store writes as JSON. */
interface WrittenList {
  /** Returns the entries of the list, in its order. */
  readonly entries: (page: Page) => Promise<ListEntry[]>;
  /** Returns the JSON of resources, each in pieces; skips those that no longer exist. */
  readonly written: (entries: readonly ListEntry[]) => AsyncIterable<readonly string[]>;
}

/**
 * Writes the requested page of a list while reading it, and yields to other requests in between.
 * @param address the address of the list, as the caller used it
 */
export async function writtenPage<T>(
  address: string,
  query: PageQuery & Readonly<Record<string, unknown>>,
  list: WrittenList,
): Promise<ListPage<T>> {
  const { limit, cursor } = query;
  const after = cursor === undefined ? undefined : idOf(cursor);
  if (limit === undefined) {
    const first = await list.entries({ limit: MAX_ENTRIES, after });
    return { body: new JsonText<T[]>(piecesOf(list, entriesOf(list, first))), headers: {} };
  }
  const first = await list.entries({ limit: limit + 1, after });
  const shown = first.slice(0, limit);
  const last = shown.at(-1);
  const body = new JsonText<T[]>(piecesOf(list, [shown]));
  if (first.length <= limit || !last) return { body, headers: {} };
  const next = searchParams({ ...query, cursor: cursorOf(last.id) });
  return { body, headers: { Link: `<${address}?${next}>; rel="next"` } };
}

/** The number of entries of a list that are read at once. */
const MAX_ENTRIES = 1000;

/** Yields all entries of a list in parts, beginning with the part that is already read. */
async function* entriesOf(
  { entries }: WrittenList,
  first: readonly ListEntry[],
): AsyncGenerator<readonly ListEntry[]> {
  let part = first;
  yield part;
  while (part.length === MAX_ENTRIES) {
    part = await entries({ limit: MAX_ENTRIES, after: part.at(-1)?.id });
    yield part;
  }
}

async function* piecesOf(
  { written }: WrittenList,
  parts: Iterable<readonly ListEntry[]> | AsyncIterable<readonly ListEntry[]>,
): AsyncGenerator<string> {
  const pause = pausing();
  let opening = '[';
  for await (const part of parts) {
    for await (const pieces of written(part)) {
      yield opening;
      yield* pieces;
      opening = ',';
      await pause();
    }
  }
  yield opening === '[' ? '[]' : ']';
}

/** The number of resources of a list that are in memory at once; fewer if they are large. */
const FIRST_PART = 8;
const MAX_PART = 128;
const LARGE = 64 * 1024;

/**
 * Returns a list that is read while it is written. Reads the first part at once, so that its
 * failure can still be reported.
 */
async function wholeList<T extends { readonly id: string }, R>(
  read: (page: Page) => Promise<T[]>,
  show: (entry: T) => R,
  after: string | undefined,
): Promise<JsonText<R[]>> {
  const first = await read({ limit: FIRST_PART, after });
  async function* pieces() {
    let part = first;
    let limit = FIRST_PART;
    let opening = '[';
    while (part.length > 0) {
      let written = 0;
      for (const item of part) {
        const text = JSON.stringify(show(item));
        written += text.length;
        yield opening + text;
        opening = ',';
      }
      if (part.length < limit) break;
      limit = written > LARGE ? Math.ceil(limit / 4) : Math.min(limit * 4, MAX_PART);
      part = await read({ limit, after: part.at(-1)?.id });
    }
    yield opening === '[' ? '[]' : ']';
  }
  return new JsonText<R[]>(pieces());
}

function* jsonArray<T>(items: readonly T[]): Generator<string> {
  let opening = '[';
  for (const item of items) {
    yield opening + JSON.stringify(item);
    opening = ',';
  }
  yield opening === '[' ? '[]' : ']';
}

function searchParams(query: Readonly<Record<string, unknown>>): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) params.append(name, String(one));
  }
  return params;
}

/** Returns a cursor: the last id of the page, in a shorter encoding. */
function cursorOf(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
}

function idOf(cursor: string): string {
  return Buffer.from(cursor, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
