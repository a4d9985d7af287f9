import { JsonText } from '../contract/handlers.js';
import type { Page } from '../store/index.js';

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
