import { createHash, hash } from 'node:crypto';
import { JsonText } from '../pipeline/handlers.js';
import { problem } from '../problems/problem.js';
import { pausing } from '../store/index.js';

/** A resource that is written already, in pieces that may be large together. */
export type InPieces<T> = JsonText<T, readonly string[]>;

/** A single resource as an answer shows it: written once, for the body and for its tag. */
export interface Tagged<T> {
  readonly body: JsonText<T>;
  readonly headers: { readonly ETag: string };
}

/** Gives a resource its strong entity tag (RFC 9110, section 8.8.3): a digest of what is sent. */
function tagged<T extends object>(resource: T): Tagged<T> {
  return taggedText(JSON.stringify(resource));
}

/** The same for a resource that is written already. */
function taggedText<T>(text: string): Tagged<T> {
  return { body: new JsonText<T>([text]), headers: { ETag: entityTag(text) } };
}

/** The same for a resource in pieces. Others are served while the tag is computed. */
export async function taggedPieces<T>(body: InPieces<T>): Promise<Tagged<T>> {
  return { body, headers: { ETag: await entityTagOf(body) } };
}

/** The answer to a GET of a single resource: the resource, or that the caller has it already. */
export function shown<T extends object>(resource: T, conditions: { 'If-None-Match'?: string }) {
  return unlessKnown(tagged(resource), conditions);
}

/** The same for a resource in pieces. */
export async function shownPieces<T>(
  resource: InPieces<T>,
  conditions: { 'If-None-Match'?: string },
) {
  return unlessKnown(await taggedPieces(resource), conditions);
}

function unlessKnown<T>({ body, headers }: Tagged<T>, conditions: { 'If-None-Match'?: string }) {
  const known = conditions['If-None-Match'];
  return known !== undefined && names(known, headers.ETag, weakly)
    ? { status: 304 as const, headers }
    : { status: 200 as const, body, headers };
}

/**
 * Refuses a write whose conditions do not hold (RFC 9110, section 13.2.2).
 * @param current reads the resource as it is now, where there is a condition to hold it against;
 *   undefined, if the write would create it
 */
export async function heedConditions(
  conditions: { 'If-Match'?: string; 'If-None-Match'?: string },
  current: () => Promise<object | InPieces<unknown> | undefined>,
): Promise<void> {
  const { 'If-Match': wanted, 'If-None-Match': unwanted } = conditions;
  if (wanted === undefined && unwanted === undefined) return;
  const resource = await current();
  const tag =
    resource instanceof JsonText
      ? await entityTagOf(resource)
      : resource && entityTag(JSON.stringify(resource));
  if (wanted !== undefined && !(tag && names(wanted, tag, strongly))) {
    throw problem(
      '/problems/precondition-failed',
      'The resource is no longer the one that If-Match names; read it again, and decide anew.',
    );
  }
  if (unwanted !== undefined && tag && names(unwanted, tag, weakly)) {
    throw problem(
      '/problems/precondition-failed',
      'The resource that If-None-Match rules out is there already; read it, and decide anew.',
    );
  }
}

function entityTag(text: string): string {
  return tagOfDigest(hash('sha256', text, 'base64url'));
}

/** Computes the same tag as for the whole text. */
async function entityTagOf({ pieces }: InPieces<unknown>): Promise<string> {
  const [first = '', ...more] = pieces;
  if (more.length === 0) return entityTag(first);
  const pause = pausing();
  const digest = createHash('sha256');
  for (const piece of pieces) {
    digest.update(piece);
    await pause();
  }
  return tagOfDigest(digest.digest('base64url'));
}

function tagOfDigest(digest: string): string {
  // 132 bits are as good as all 256: nobody gains anything from a collision with a resource of their own.
  return `"${digest.slice(0, 22)}"`;
}

type Comparison = (named: string, tag: string) => boolean;

/** RFC 9110, section 8.8.3.2: a weak tag is never the same strongly. */
const strongly: Comparison = (named, tag) => named === tag;
const weakly: Comparison = (named, tag) => named.replace(/^W\//, '') === tag;

/** Whether a field such as `If-Match` names the tag, or any tag with `*`. */
function names(field: string, tag: string, same: Comparison): boolean {
  return field === '*' || (field.match(/(W\/)?"[^"]*"/g) ?? []).some((named) => same(named, tag));
}
