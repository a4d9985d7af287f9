/** A page of a list, and the value of its header `Link` if another one follows. */
interface Page {
  readonly items: readonly unknown[];
  readonly link?: string;
}

/** Returns the page that the parameters `limit` and `cursor` of an address ask for: all, if there is no limit. */
export function pageOf(list: readonly unknown[], url: URL): Page {
  const start = offsetOf(url.searchParams.get('cursor') ?? '');
  const end = start + (Number(url.searchParams.get('limit')) || list.length);
  const items = list.slice(start, end);
  if (end >= list.length) return { items };
  const query = new URLSearchParams(url.searchParams);
  query.set('cursor', cursorOf(end));
  return { items, link: `<${url.pathname}?${query}>; rel="next"` };
}

/** Returns a cursor as the contract has it: 22 characters of base64url, of which the last one is `A`. */
function cursorOf(offset: number): string {
  return `${String(offset).padStart(21, '0')}A`;
}

function offsetOf(cursor: string): number {
  return Number.parseInt(cursor, 10) || 0;
}
