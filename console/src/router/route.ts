import { useEffect, useState } from 'preact/hooks';

/**
 * The view that the address selects: `#/projects/default/models?find=price` has the segments
 * `projects`, `default`, `models`. Views are in the fragment, because the paths are those of the
 * API, and a fragment works under any BASE_PATH.
 */
export interface Route {
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/** Returns the address of a view. */
export function href(segments: readonly string[], query: Record<string, string> = {}): string {
  const path = segments.map(encodeURIComponent).join('/');
  const search = new URLSearchParams(query).toString();
  return `#/${path}${search && `?${search}`}`;
}

/** Opens a view. */
export function navigate(segments: readonly string[]): void {
  location.hash = href(segments);
}

/** Opens a view in place of the current one, which "back" then does not lead to. */
export function replaceView(segments: readonly string[]): void {
  location.replace(href(segments));
}

/** Replaces the query of a view without a new entry in the history, unless another view has been opened meanwhile. */
export function replaceQuery(segments: readonly string[], query: Record<string, string>): void {
  const isOpen = href(parseRoute(location.hash).segments) === href(segments);
  if (isOpen) history.replaceState(null, '', href(segments, query));
}

/** Returns the current route, and renders again when it changes. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => followAddress(() => setHash(location.hash)), []);
  return parseRoute(hash);
}

/**
 * Calls `follow` when the address changes, and once at the beginning: the address may have changed since the first
 * render.
 * @returns a function that ends it
 */
export function followAddress(follow: () => void): () => void {
  follow();
  addEventListener('hashchange', follow);
  return () => removeEventListener('hashchange', follow);
}

/** Reads the fragment of an address. */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?');
  return { segments: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(search) };
}

/** Decodes a segment. An address that someone typed may have a `%` that is not an escape. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
