import { type Answer, ProblemError } from './problem-error.js';

/** The query parameters of a page. */
export interface PageQuery {
  limit: number;
  cursor?: string;
}

/**
 * Requests one page of a list: `(page) => roster.GET('/projects', { params: { query: page } })`.
 */
export type ListCall<Item> = (page: PageQuery) => Promise<Answer<Item[]>>;

/** Options for reading a list. */
export interface PagingOptions {
  /** The most resources per page, from 1 to 1000. Default: 100. */
  limit?: number;
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
  const seen = new Set<string>();
  let page: PageQuery = { limit };
  for (;;) {
    const { data, error, response } = await list(page);
    if (error !== undefined) throw new ProblemError(error, response);
    if (data !== undefined) yield data;
    const cursor = nextCursor(response);
    if (cursor === undefined) return;
    if (seen.has(cursor)) {
      throw new Error(
        `The list does not end: the cursor "${cursor}" came a second time. Does the call pass on the page that it is given?`,
      );
    }
    seen.add(cursor);
    page = { limit, cursor };
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

const LINKS = /<([^>]*)>([^<]*)/g;
const IS_NEXT = /;\s*rel\s*=\s*"?(?:[^";]*\s)?next(?:\s[^";]*)?(?:"|;|,|\s*$)/i;

/**
 * Returns the cursor in the address of the next page (`Link`, RFC 8288). The rest of the address is
 * not used: behind a proxy, the service may know itself by another address than the client does.
 */
function nextCursor({ headers }: Response): string | undefined {
  for (const [, address = '', parameters = ''] of headers.get('Link')?.matchAll(LINKS) ?? []) {
    if (!IS_NEXT.test(parameters)) continue;
    const { searchParams } = new URL(address, 'http://roster.invalid');
    return searchParams.get('cursor') ?? undefined;
  }
  return undefined;
}
