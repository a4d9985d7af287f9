import { problem } from '../problems/problem.js';
import type { JsonChunks } from '../store/rows.js';
import { entityTag, type Tagged, withEtag } from './reply/send.js';

/** The response to a GET of a resource: the resource, or 304 if the caller already has it. Another resource is 412. */
export type ConditionalReply<T> =
  | ({ readonly status: 200 } & Tagged<T>)
  | { readonly status: 304; readonly headers: Tagged<T>['headers'] };

export async function conditionalGet<T>(chunks: JsonChunks, conditions: Conditions): Promise<ConditionalReply<T>> {
  const { body, headers } = await withEtag<T>(chunks);
  return isKnown(conditions, headers.ETag) ? { status: 304, headers } : { status: 200, body, headers };
}

/**
 * Returns whether the caller of a read has the resource already (RFC 9110, section 13.2.2).
 * @throws {ProblemError} if it is none that `If-Match` names
 */
export function isKnown(conditions: Conditions, tag: string): boolean {
  const { 'If-Match': wanted, 'If-None-Match': known } = conditions;
  if (wanted !== undefined && !namesTag(wanted, tag, strongly)) throw isAnother();
  return known !== undefined && namesTag(known, tag, weakly);
}

function isAnother() {
  return problem(
    '/problems/precondition-failed',
    'The resource is no longer the one that If-Match names; read it again, and decide anew.',
  );
}

/** The headers that make a request conditional. */
export interface Conditions {
  'If-Match'?: string;
  'If-None-Match'?: string;
}

/** Returns whether a write has conditions. Only then must the resource be read for {@link checkPreconditions}. */
export function isConditional(conditions: Conditions): boolean {
  return conditions['If-Match'] !== undefined || conditions['If-None-Match'] !== undefined;
}

/**
 * Refuses a write whose conditions do not hold (RFC 9110, section 13.2.2).
 * @param current the current resource; undefined if the write would create it
 * @throws {ProblemError}
 */
export async function checkPreconditions(conditions: Conditions, current: JsonChunks | undefined): Promise<void> {
  const { 'If-Match': wanted, 'If-None-Match': unwanted } = conditions;
  const tag = current && (await entityTag(current));
  if (wanted !== undefined && !(tag && namesTag(wanted, tag, strongly))) throw isAnother();
  if (unwanted !== undefined && tag && namesTag(unwanted, tag, weakly)) {
    throw problem(
      '/problems/precondition-failed',
      'The resource that If-None-Match rules out already exists; read it, and decide anew.',
    );
  }
}

type Comparison = (named: string, tag: string) => boolean;

/** Compares tags as in RFC 9110, section 8.8.3.2: in the strong comparison, a weak tag never matches. */
const strongly: Comparison = (named, tag) => named === tag;
export const weakly: Comparison = (named, tag) => named.replace(/^W\//, '') === tag;

/** Returns whether a field such as `If-Match` names the tag, or any tag with `*`. */
export function namesTag(field: string, tag: string, same: Comparison): boolean {
  return field === '*' || (field.match(/(W\/)?"[^"]*"/g) ?? []).some((named) => same(named, tag));
}
