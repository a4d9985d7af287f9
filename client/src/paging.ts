import { type Answer, ProblemError } from './problem-error.js';

/** What a request for a page has in its query. */
export interface PageQuery {
  limit: number;
  cursor?: string;
}

/** Asks for a page of a list: `(page) => roster.GET('/projects', { params: { query: page } })`. */
export type ListCall<Item> = (page: PageQuery) => Promise<Answer<Item[]>>;

/** How to go through a list. */
export interface PagingOptions {
  /** How many resources a page has at most, from 1 to 1000: 100, if not given. */
  limit?: number;
}

/**
 * Goes through a list page by page. The next page is asked for when it is wanted, and not at all after a `break`.
 *
 * @throws ProblemError where the service answers a problem
 * @throws Error where a page leads to one that was there already, which would have no end
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
 * Goes through the resources of a list, asking for a page of them at a time.
 *
 * @throws what `pages` throws
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
 * The cursor in the address of the next page (`Link`, RFC 8288). Only that: the address itself is the one
 * that the service knows of itself, which behind a proxy is not the client's.
 */
function nextCursor({ headers }: Response): string | undefined {
  for (const [, address = '', parameters = ''] of headers.get('Link')?.matchAll(LINKS) ?? []) {
    if (!IS_NEXT.test(parameters)) continue;
    const { searchParams } = new URL(address, 'http://roster.invalid');
    return searchParams.get('cursor') ?? undefined;
  }
  return undefined;
}
