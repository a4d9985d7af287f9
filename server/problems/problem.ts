import type { Contract } from '../../contract/document.js';
import { asRecord } from '../../contract/json-record.js';
import type { components } from '../../generated/openapi.js';
import { MAX_ADDRESS_LENGTH, showText } from './shown-text.js';

type Schemas = components['schemas'];
type Common = Schemas['Problem'];

/** Any problem of the contract: the union of the schemas with a fixed `type`. */
export type ProblemDocument = {
  [K in keyof Schemas]: Schemas[K] extends { type: `/problems/${string}` } ? Schemas[K] : never;
}[keyof Schemas];
export type ProblemType = ProblemDocument['type'];

/** The members that a problem has in addition to those of every problem, such as `errors`. */
type Members<T extends ProblemType> = Omit<Extract<ProblemDocument, { type: T }>, keyof Common>;

/** A faulty field: a JSON pointer into the request, and how to fix it. */
export type FieldError = Schemas['FieldErrors'][number];

/** A problem to send to the caller. Throw the result of `problem()`; one error handler renders it. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';

  constructor(
    readonly type: ProblemType,
    readonly detail: string,
    readonly members: object,
    readonly headers: Readonly<Record<string, string>>,
    options?: ErrorOptions,
  ) {
    // Without a stack trace: a refusal is not a fault of the code, and capturing the stack is a large part of its cost.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(detail, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * Creates a problem to throw.
 * @param type the problem in the contract
 * @param detail the fault in this request and how to fix it, in a sentence for the caller
 * @param members the members specific to this problem, typed by the contract
 * @param headers headers of the response, such as `Retry-After`
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

/** The most faulty fields that a problem lists. */
export const MAX_ERRORS = 100;

/** Returns the problem of a request that does not meet the contract at the given places. */
export function invalidRequest(errors: readonly FieldError[]) {
  return problem('/problems/invalid-request', describeFaults(errors), { errors: errors.slice(0, MAX_ERRORS) });
}

/** The message of a query parameter that an operation does not have. */
export const UNKNOWN_PARAMETER = 'is not a parameter of this operation; leave it out';

/** The most characters of a fault in a detail; names that callers make up have any length. */
const MAX_FAULT_LENGTH = 500;

/** Says the first of some faults, of which there is one at least, and how many follow. */
export function describeFaults(errors: readonly FieldError[]): string {
  const [first] = errors;
  const fault = showText(`${first?.pointer} ${first?.message}`, MAX_FAULT_LENGTH);
  const shown = fault.endsWith('…') ? fault : `${fault}.`;
  // The search for faults ends beyond the maximum.
  if (errors.length > MAX_ERRORS) return `${shown} More than ${MAX_ERRORS - 1} faults follow.`;
  if (errors.length === 1) return shown;
  return `${shown} ${errors.length - 1} more ${errors.length === 2 ? 'fault is' : 'faults are'} listed.`;
}

/**
 * Returns the problem of a request that the service cannot take now.
 * @param seconds the time after which a retry is worthwhile
 */
export function unavailable(detail: string, seconds = 1, options?: ErrorOptions): ProblemError {
  const headers = { 'Retry-After': String(seconds) };
  return problem('/problems/service-unavailable', detail, {}, headers, options);
}

export function malformedBody(reason: string) {
  return problem('/problems/malformed-body', `${reason} Correct the text, or check that the client sends all of it.`);
}

export function bodyTooLarge(limit: number) {
  return problem(
    '/problems/body-too-large',
    `The body has more than ${limit} bytes, the most that this operation takes; send less at a time.`,
  );
}

export type ProblemRendering = ReturnType<typeof render>;

/**
 * Renders a problem as the document that the contract describes (RFC 9457).
 * @param at the target and the id of the request in which it occurred
 */
export function render(
  contract: Contract,
  error: ProblemError,
  at: { readonly instance: string; readonly requestId: string },
) {
  const kind = contract.problems.get(error.type);
  if (!kind) throw new Error(`The contract has no problem ${error.type}`);
  return {
    type: kind.type,
    title: kind.title,
    status: kind.status,
    detail: shortenText(error.detail),
    instance: uriReference(showText(at.instance, MAX_ADDRESS_LENGTH)),
    request_id: at.requestId,
    ...asRecord(shortenTexts(error.members)),
  };
}

/** Returns the faulty fields that a document lists; none if its kind has none. */
export function listFaults(document: object): readonly FieldError[] {
  const { errors } = asRecord(document);
  return Array.isArray(errors) ? errors : [];
}

/** The most characters of a text in a problem, which may quote up to a megabyte of the request. */
const MAX_TEXT_LENGTH = 1000;

/** Returns a value without keys and long texts, which it quotes from a request. */
export function shortenTexts(value: unknown): unknown {
  if (typeof value === 'string') return shortenText(value);
  if (Array.isArray(value)) return value.slice(0, MAX_ERRORS).map(shortenTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, shortenTexts(child)]));
}

export function shortenText(sent: string): string {
  return showText(sent, MAX_TEXT_LENGTH);
}

/** Escapes an address: Node passes on characters that RFC 3986 does not allow in a URI. */
function uriReference(address: string): string {
  return address
    .replace(/[^A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]/g, encodeURIComponent)
    .replace(/%(?![0-9A-Fa-f]{2})/g, '%25');
}
