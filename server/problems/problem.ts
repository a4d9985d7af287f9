import type { components } from '../../generated/openapi.js';
import { withoutKeys } from '../auth/without-keys.js';
import type { Contract } from '../contract/document.js';
import { asRecord } from '../contract/json-record.js';

type Schemas = components['schemas'];
type Common = Schemas['Problem'];

/** Any problem of the contract: the union of the schemas whose `type` is fixed. */
export type ProblemDocument = {
  [K in keyof Schemas]: Schemas[K] extends { type: `/problems/${string}` } ? Schemas[K] : never;
}[keyof Schemas];
export type ProblemType = ProblemDocument['type'];

/** The members that a problem has beyond those that every problem has, such as `errors`. */
type Members<T extends ProblemType> = Omit<Extract<ProblemDocument, { type: T }>, keyof Common>;

/** A field at fault: a JSON pointer into the request, and how to fix it. */
export type FieldError = Schemas['FieldErrors'][number];

/** A problem on its way to the caller. Throw what `problem()` makes; it is rendered in one place. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';

  constructor(
    readonly type: ProblemType,
    readonly detail: string,
    readonly members: object,
    readonly headers: Readonly<Record<string, string>>,
    options?: ErrorOptions,
  ) {
    // What was refused is no fault of the code, and nobody looks where in the code it was: noting the way there
    // is a large part of what a refusal costs.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(detail, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * Makes a problem to throw.
 * @param type which problem of the contract it is
 * @param detail what went wrong this time and how to fix it, in a sentence for the caller
 * @param members the members that this problem has of its own, typed by the contract
 * @param headers headers of the answer, such as `Retry-After`
 */
export function problem<T extends ProblemType>(
  type: T,
  detail: string,
  ...[members, headers, options]: Record<string, never> extends Members<T>
    ? [members?: Members<T>, headers?: Record<string, string>, options?: ErrorOptions]
    : [members: Members<T>, headers?: Record<string, string>, options?: ErrorOptions]
): ProblemError {
  return new ProblemError(type, detail, members ?? {}, headers ?? {}, options);
}

/** The most fields at fault that a problem names. */
export const MAX_ERRORS = 100;

/** The request does not fit the contract, at the places that are named. */
export function invalidRequest(errors: readonly FieldError[]) {
  return problem(
    '/problems/invalid-request',
    `The request does not fit the contract at ${placesOf(errors)}.`,
    { errors: errors.slice(0, MAX_ERRORS) },
  );
}

/** Counts the places, up to {@link MAX_ERRORS}: beyond that, not all of them were looked for. */
function placesOf({ length }: readonly FieldError[]): string {
  if (length > MAX_ERRORS)
    return `more than ${MAX_ERRORS} places; the first ${MAX_ERRORS} are listed`;
  return length === 1 ? '1 place' : `${length} places`;
}

/**
 * The service cannot do it now, and the caller may come again.
 * @param seconds when that is worth trying
 */
export function unavailable(detail: string, seconds = 1, options?: ErrorOptions): ProblemError {
  const headers = { 'Retry-After': String(seconds) };
  return problem('/problems/service-unavailable', detail, {}, headers, options);
}

export function malformedBody(reason: string) {
  return problem(
    '/problems/malformed-body',
    `${reason} Correct the text, or check that the client sends all of it.`,
  );
}

export function bodyTooLarge(limit: number) {
  return problem(
    '/problems/body-too-large',
    `The body has more than ${limit} bytes, the most that this operation takes; send less at a time.`,
  );
}

/** Where a problem happened. */
export interface Occurrence {
  readonly instance: string;
  readonly requestId: string;
}

/** Renders a problem as the document that the contract describes (RFC 9457). */
export function render(contract: Contract, error: ProblemError, at: Occurrence) {
  const kind = contract.problems.get(error.type);
  if (!kind) throw new Error(`The contract has no problem ${error.type}`);
  return {
    type: kind.type,
    title: kind.title,
    status: kind.status,
    detail: shortened(error.detail),
    instance: uriReference(withoutKeys(at.instance)),
    request_id: at.requestId,
    ...asRecord(bounded(error.members)),
  };
}

/** What a caller sent may stand in a problem, but not all of a megabyte of it. */
const MAX_TEXT_LENGTH = 1000;

function bounded(value: unknown): unknown {
  if (typeof value === 'string') return shortened(value);
  if (Array.isArray(value)) return value.slice(0, MAX_ERRORS).map(bounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, bounded(child)]));
}

function shortened(sent: string): string {
  const text = withoutKeys(sent);
  return text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH)}…`;
}

/** Node hands over what the caller sent; RFC 3986 does not allow all of it in a URI. */
function uriReference(address: string): string {
  return address
    .replace(/[^A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]/g, encodeURIComponent)
    .replace(/%(?![0-9A-Fa-f]{2})/g, '%25');
}
