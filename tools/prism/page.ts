import type { IHttpRequest, IHttpResponse } from '@stoplight/prism-http';

/**
 * Returns the page of a list that `limit` and `cursor` ask for, with a `Link` to the next page if there is one. Any
 * other answer is returned as it is. After a cursor of another service comes a last page, with the whole list.
 */
export function pageOf({ url }: IHttpRequest, response: IHttpResponse): IHttpResponse {
  const { Link, ...headers } = response.headers ?? {};
  if (Link === undefined || !Array.isArray(response.body)) return response;
  const { limit = Number.POSITIVE_INFINITY, cursor, ...query } = url.query ?? {};
  const start = cursor === undefined ? 0 : offsetOf(String(cursor));
  if (Number.isNaN(start)) return { ...response, headers };
  const end = start + Number(limit);
  const page = { ...response, headers, body: response.body.slice(start, end) };
  if (end >= response.body.length) return page;
  const next = new URLSearchParams();
  for (const [name, values] of Object.entries({
    ...query,
    limit: `${limit}`,
    cursor: cursorOf(end),
  })) {
    for (const value of [values].flat()) next.append(name, value);
  }
  return { ...page, headers: { ...headers, Link: `<${url.path}?${next}>; rel="next"` } };
}

/** Returns an offset in the form of the contract's cursors: 22 characters, the last of which is A, Q, g or w. */
function cursorOf(offset: number): string {
  return `${String(offset).padStart(21, '0')}A`;
}

/** @returns NaN for a cursor of another service */
function offsetOf(cursor: string): number {
  return Number(cursor.slice(0, -1));
}
