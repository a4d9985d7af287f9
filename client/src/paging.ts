import { type Answer, ProblemError } from './problem-error.js';

/** The query of a page. Without a `cursor` it is the first one. */
export interface PageQuery {
  limit: number;
  cursor?: string;
}

/**
 * Requests one page of a list: `(page) => roster.GET('/projects', { params: { query: page } })`.
 */
export type ListCall<Item> = (page: PageQuery) => Promise<Answer<Item[]>>;

/** One page of a list, and the query of the next. */
export interface Page<Item> {
  readonly items: Item[];
  /** The query of the next page; undefined after the last one. */
  readonly next: PageQuery | undefined;
}

/** Options of the functions that read a list page by page. */
export interface PagingOptions {
  /** The most resources per page, from 1 to 1000. Default: 100. */
  limit?: number;
}

/**
 * Reads one page of a list, for callers that keep the place themselves, such as an infinite query.
 *
 * @param query `{ limit }` for the first page, then `next` of the page before
 * @throws ProblemError if the service answers with a problem
 */
export async function readPage<Item>(list: ListCall<Item>, query: PageQuery): Promise<Page<Item>> {
  const { data, error, response } = await list(query);
  if (error !== undefined) throw new ProblemError(error, response);
  const cursor = nextCursor(response);
  return { items: data ?? [], next: cursor === undefined ? undefined : { limit: query.limit, cursor } };
}

/**
 * Reads a list page by page. Each page is requested only when needed, so a `break` ends the
 * requests.
 *
 * @throws ProblemError if the service answers with a problem
 * @throws Error if a page links to an earlier page, which would never end
 */
export async function* pages<Item>(
  list: ListCall<Item>,
  { limit = 100 }: PagingOptions = {},
): AsyncGenerator<Item[], void, undefined> {
  const seen = new Set<string | undefined>();
  for (let query: PageQuery | undefined = { limit }; query; ) {
    const page: Page<Item> = await readPage(list, query);
    yield page.items;
    query = page.next;
    if (query && seen.has(query.cursor)) {
      throw new Error(
        `The list does not end: the cursor "${query.cursor}" came a second time. Does the call pass on the page that it is given?`,
      );
    }
    seen.add(query?.cursor);
  }
}

/**
 * Reads the resources of a list, one page at a time.
 *
 * @throws the errors of `pages`
 */
export async function* items<Item>(
  list: ListCall<Item>,
  options?: PagingOptions,
): AsyncGenerator<Item, void, undefined> {
  for await (const page of pages(list, options)) yield* page;
}

const LINKS = /<([^<>]*)>([^<]*)/g;
const RELATIONS = /^\s*rel\s*=\s*"?([^",]*)/i;

/**
 * Returns the cursor in the address of the next page (`Link`, RFC 8288). The rest of the address is
 * not used: behind a proxy, the service may know itself by another address than the client does.
 */
function nextCursor({ headers }: Response): string | undefined {
  for (const [, address = '', parameters = ''] of headers.get('Link')?.matchAll(LINKS) ?? []) {
    if (!isNext(parameters)) continue;
    const { searchParams } = new URL(address, 'http://roster.invalid');
    return searchParams.get('cursor') ?? undefined;
  }
  return undefined;
}

/** Returns whether the parameters of a link name the relation `next`, which may be one of several. */
function isNext(parameters: string): boolean {
  return parameters
    .split(';')
    .slice(1)
    .some((parameter) => {
      const [, relations = ''] = RELATIONS.exec(parameter) ?? [];
      return relations.trim().toLowerCase().split(/\s+/).includes('next');
    });
}
