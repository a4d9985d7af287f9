import { METHOD_NOT_ALLOWED, UNKNOWN_ADDRESS, VALUES } from '../../../generated/examples.js';
import type { OperationId } from './choices.js';
import { type FoundExample, findExample, responseAt } from './find-example.js';
import { type Address, listMethods } from './find-operation.js';

/**
 * Returns the response to a request, in the media type that it accepts, or 406 if it accepts none.
 * @throws TypeError if the contract has no example in the accepted media type
 */
export function exampleResponse(request: Request, id: OperationId, found: FoundExample): Response {
  const types = mediaTypesFor(request, found);
  if (types.length === 0) return toResponse(request, found);
  const accept = found.status < 400 ? request.headers.get('Accept') : null;
  const withExample = types.filter((type) => hasExample(found, type));
  const type = acceptedType(accept, withExample);
  if (type !== undefined) return toResponse(request, found, type);
  const withoutExample = acceptedType(accept, types);
  if (withoutExample === undefined) return exampleResponse(request, id, findExample(id, 406));
  const name = found.name === undefined ? 'example' : `example "${found.name}"`;
  throw new TypeError(`${id} has no ${name} in ${withoutExample}. It has one in ${withExample.join(', ')}.`);
}

/** Returns the media types of a response: that of the request's body comes first, where there is one. */
function mediaTypesFor({ headers }: Request, { response }: FoundExample): string[] {
  const types = Object.keys(response.content);
  const sent = headers.get('Content-Type')?.split(';')[0];
  return [...types.filter((type) => type === sent), ...types.filter((type) => type !== sent)];
}

/** Returns the response to an address that the contract does not have. */
export function unknownAddress(request: Request): Response {
  return firstExample(request, 404, UNKNOWN_ADDRESS);
}

/** Returns the response to a method that an address does not have. */
export function methodNotAllowed(request: Request, address: Address): Response {
  const response = firstExample(request, 405, METHOD_NOT_ALLOWED);
  response.headers.set('Allow', listMethods(address));
  return response;
}

function firstExample(request: Request, status: number, place: number): Response {
  return toResponse(request, { status, response: responseAt(place) }, 'application/problem+json');
}

function hasExample({ name, body, response }: FoundExample, type: string): boolean {
  const examples = response.content[type] ?? {};
  if (body !== undefined) return true;
  return name === undefined ? Object.keys(examples).length > 0 : Object.hasOwn(examples, name);
}

function toResponse(request: Request, found: FoundExample, type?: string): Response {
  const { status, response } = found;
  const { Link: next, ...declared } = response.headers;
  const headers = new Headers(Object.entries(declared).filter(([, value]) => value !== ''));
  if (type === undefined) return new Response(null, { status, headers });
  headers.set('Content-Type', type);
  let content = findContent(found, type);
  if (next !== undefined && Array.isArray(content)) {
    const { items, link } = cutPage(content, new URL(request.url));
    content = items;
    if (link !== undefined) headers.set('Link', link);
  }
  const text = isJson(type) ? JSON.stringify(content) : String(content);
  const body = request.method === 'HEAD' ? null : text;
  return new Response(body, { status, headers });
}

function findContent({ name, body, response }: FoundExample, type: string): unknown {
  if (body !== undefined) return body;
  const examples = response.content[type] ?? {};
  const place = name === undefined ? Object.values(examples)[0] : examples[name];
  return VALUES[place ?? -1];
}

const isJson = (type: string) => type === 'application/json' || type.endsWith('+json');

interface MediaRange {
  readonly pattern: string;
  readonly quality: number;
}

/**
 * Returns the media type that a header `Accept` prefers (RFC 9110, section 12.5.1). Between two equal preferences, the
 * one that it names first; without a header, the first one.
 */
function acceptedType(accept: string | null, types: readonly string[]): string | undefined {
  const ranges = (accept || '*/*').split(',').map(mediaRange);
  const ranked = types.flatMap((type) => {
    const range = rangeFor(type, ranges);
    return range && range.quality > 0 ? [{ type, range }] : [];
  });
  // Sorting is stable: types of the same range keep their order.
  ranked.sort(
    (a, b) =>
      b.range.quality - a.range.quality ||
      specificity(b.range) - specificity(a.range) ||
      ranges.indexOf(a.range) - ranges.indexOf(b.range),
  );
  return ranked[0]?.type;
}

function mediaRange(text: string): MediaRange {
  const [pattern = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => /^q\s*=/.test(parameter))?.split('=')[1];
  return { pattern, quality: quality === undefined ? 1 : Number(quality) || 0 };
}

/** Returns the most specific range that has the type. */
function rangeFor(type: string, ranges: readonly MediaRange[]): MediaRange | undefined {
  const patterns = [type, `${type.split('/')[0]}/*`, '*/*'];
  for (const wanted of patterns) {
    const range = ranges.find(({ pattern }) => pattern === wanted);
    if (range) return range;
  }
  return undefined;
}

function specificity({ pattern }: MediaRange): number {
  if (pattern === '*/*') return 0;
  return pattern.endsWith('/*') ? 1 : 2;
}

/** A page of a list, and the value of its header `Link` if another one follows. */
interface Page {
  readonly items: readonly unknown[];
  readonly link?: string;
}

/** Returns the page that the parameters `limit` and `cursor` of an address ask for: all, if there is no limit. */
function cutPage(list: readonly unknown[], url: URL): Page {
  const start = parseCursor(url.searchParams.get('cursor') ?? '');
  const end = start + (Number(url.searchParams.get('limit')) || list.length);
  const items = list.slice(start, end);
  if (end >= list.length) return { items };
  const query = new URLSearchParams(url.searchParams);
  query.set('cursor', writeCursor(end));
  return { items, link: `<${url.pathname}?${query}>; rel="next"` };
}

/** Returns a cursor as the contract has it: 22 characters of base64url, of which the last one is `A`. */
function writeCursor(offset: number): string {
  return `${String(offset).padStart(21, '0')}A`;
}

function parseCursor(cursor: string): number {
  return Number.parseInt(cursor, 10) || 0;
}
