import { absenceRule, type Contract, patternRule } from '../../contract/document.js';
import { escapeToken, valueAt } from '../../contract/json-pointer.js';
import { asRecord } from '../../contract/json-record.js';
import { type FieldError, invalidRequest, ProblemError, problem } from '../../problems/problem.js';
import { shapeFault } from '../body/body-errors.js';
import { type FormFaults, formFaults } from './element-forms.js';
import { namelessFields } from './nameless-fields.js';

/**
 * A request that does not meet the contract. It is passed on, not thrown, and so needs no stack
 * trace.
 */
export class ContractViolation {
  constructor(readonly faults: readonly ValidationFault[]) {}
}

/** A fault, as the validator reports it. */
export interface ValidationFault {
  readonly path: string;
  readonly message: string;
  /**
   * For example `maxLength.openapi.validation`; missing if the name of a query parameter is at
   * fault.
   */
  readonly errorCode?: string;
}

/** The parts of a failed request that its problem refers to. */
export interface FailedRequest {
  readonly body: unknown;
  readonly operationId: string | undefined;
  /** The parameters of its path. */
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Returns the problem of an error that was thrown below the contract; undefined if it does not know
 * it.
 */
export type Translate = (thrown: unknown, request: FailedRequest) => ProblemError | undefined;

/**
 * Converts any error of a request into a problem. Returns a problem unchanged, describes a refusal
 * of the validator or of the body parser in the caller's terms, and makes everything else an
 * internal error.
 * @param request the body, if it was read, and the operation, if it is known
 * @param translate returns the problem of an error that was thrown below the contract, if it knows
 *   it
 */
export function asProblem(
  contract: Contract,
  thrown: unknown,
  request: FailedRequest,
  translate: Translate,
): ProblemError {
  if (thrown instanceof ProblemError) return thrown;
  if (thrown instanceof ContractViolation) {
    return invalidRequest(fieldErrors(contract, thrown.faults, request));
  }
  if (thrown instanceof URIError) {
    return invalidRequest([
      { pointer: '/path', message: 'must be percent-encoded UTF-8 (RFC 3986, section 2.1)' },
    ]);
  }
  return translate(thrown, request) ?? internalError(thrown);
}

function internalError(cause: unknown): ProblemError {
  return problem(
    '/problems/internal-error',
    'Something went wrong inside the service. Its log has the cause under this request_id.',
    {},
    {},
    { cause },
  );
}

function fieldErrors(
  contract: Contract,
  faults: readonly ValidationFault[],
  { body, operationId }: FailedRequest,
): FieldError[] {
  const operation = contract.operations.find(({ id }) => id === operationId);
  const byPointer = new Map<string, string[]>();
  let nameless: readonly string[] | undefined;
  const namelessOnce = () => {
    nameless ??= namelessFields(contract, operation?.bodySchema, body);
    return nameless;
  };
  const forms = formFaults(contract, operation?.bodySchema, body);
  for (const fault of withoutConsequences(faults)) {
    if (isOfUnusedForm(forms, fault, body)) continue;
    const message = reword(contract, fault);
    const pointers = fault.path === '' ? namelessOnce() : [pointerOf(fault, body)];
    for (const pointer of pointers) {
      const messages = byPointer.get(pointer) ?? [];
      if (!messages.includes(message)) byPointer.set(pointer, [...messages, message]);
    }
  }
  const errors = [
    ...forms.flatMap((form) => form.errors),
    ...[...byPointer].map(([pointer, messages]) => ({ pointer, message: join(messages) })),
  ];
  const shape = shapeFault(contract, operation?.bodySchema, body);
  const others = errors.filter(({ pointer }) => !shape?.explains(pointer));
  return shape && others.length < errors.length ? [shape.error, ...others] : errors;
}

/**
 * Returns whether a fault is about a form of elements that the caller does not use. A form reports
 * the fields of the others as unknown.
 */
function isOfUnusedForm(
  forms: readonly FormFaults[],
  fault: ValidationFault,
  body: unknown,
): boolean {
  const pointer = pointerOf(fault, body);
  return forms.some(
    ({ explains, isKnown }) =>
      explains(pointer) || (isOfKeyword('additionalProperties')(fault) && isKnown(pointer)),
  );
}

/**
 * Converts a place to the terms of the contract, which spells headers as RFC 9110 does; Node
 * lower-cases them.
 */
function inRequest(path: string): string {
  const [, header] = /^\/headers\/(.*)$/.exec(path) ?? [];
  if (header === undefined) return path.replace(/^\/params/, '/path');
  return `/header/${header.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase())}`;
}

/**
 * Returns the pointer to a fault. The validator appends the unescaped name of an unknown field; a
 * pointer must escape it (RFC 6901).
 */
function pointerOf({ path, errorCode }: ValidationFault, body: unknown): string {
  if (errorCode === undefined) return `/query/${escapeToken(path.slice('/query/'.length))}`;
  if (!errorCode.startsWith('additionalProperties')) return inRequest(path);
  for (const { index: slash } of path.matchAll(/\//g)) {
    const name = path.slice(slash + 1);
    const parent = valueAt({ body }, path.slice(0, slash));
    if (Object.hasOwn(asRecord(parent), name))
      return `${path.slice(0, slash)}/${escapeToken(name)}`;
  }
  return path;
}

/**
 * Drops faults that follow from others: that no branch of a choice matches, that a value does not
 * have the type of the other branch, and the length of a text that a pattern already limits.
 */
function withoutConsequences(faults: readonly ValidationFault[]): readonly ValidationFault[] {
  const choices = new Set(faults.filter(isOfKeyword('oneOf')).map(({ path }) => path));
  const causes = faults.filter(
    (fault) => !CONSEQUENCES.some((keyword) => isOfKeyword(keyword)(fault)),
  );
  const bounded = new Set(causes.filter(saysTheLength).map(({ path }) => path));
  const within = causes.filter(
    (fault) =>
      !(choices.has(fault.path) && isOfKeyword('type')(fault)) &&
      !(bounded.has(fault.path) && LENGTHS.some((keyword) => isOfKeyword(keyword)(fault))),
  );
  return [within, causes, faults].find(({ length }) => length > 0) ?? [];
}

const CONSEQUENCES = ['if', 'oneOf', 'anyOf', 'allOf'];
const LENGTHS = ['minLength', 'maxLength'];

/** A pattern without `*` and `+` limits the length, and its message describes it. */
function saysTheLength(fault: ValidationFault): boolean {
  return isOfKeyword('pattern')(fault) && !/[*+]/.test(patternOf(fault.message));
}

function patternOf(message: string): string {
  return /^must match pattern "(.*)"$/s.exec(message)?.[1] ?? '';
}

function isOfKeyword(keyword: string): (fault: ValidationFault) => boolean {
  return ({ errorCode }) => errorCode?.split('.')[0] === keyword;
}

/** Joins the messages about one place. Type names become alternatives: "an array or an object". */
function join(messages: readonly string[]): string {
  const types = messages.filter((message) => TYPE.test(message));
  const others = messages.filter((message) => !TYPE.test(message));
  const [first, ...rest] = types;
  if (first === undefined) return others.join('; ');
  return [
    [first, ...rest.map((message) => message.replace(TYPE, ''))].join(' or '),
    ...others,
  ].join('; ');
}

const TYPE = /^must be (?=an? |null|true)/;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  object: 'an object',
  array: 'an array',
  boolean: 'true or false',
  null: 'null',
};

/** Rewords the message of a fault for the caller; messages in the contract take precedence. */
function reword(contract: Contract, { path, message, errorCode }: ValidationFault): string {
  const field = path.slice(path.lastIndexOf('/') + 1);
  const [keyword] = (errorCode ?? '').split('.');
  switch (keyword) {
    case '':
      if (message.startsWith('Unknown'))
        return 'is not a parameter of this operation; leave it out';
      return message.startsWith('Empty') ? 'must not be empty' : message;
    case 'required':
      return 'is required; add it';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not a known field; leave it out';
    case 'type': {
      const types = message.replace('must be ', '').split(',');
      const words =
        message === 'must be null' ? contract.messages.get(absenceRule(field)) : undefined;
      return words ?? `must be ${types.map((type) => TYPE_NAMES[type] ?? type).join(' or ')}`;
    }
    case 'pattern':
      return contract.messages.get(patternRule(patternOf(message))) ?? message;
    case 'format':
      return message
        .replace('must match format "uuid"', 'must be a UUID')
        .replace('must match format "int32"', 'must be a whole number of at most 32 bits');
    default:
      return message
        .replace('must NOT have more than', 'must have at most')
        .replace('must NOT have fewer than', 'must have at least')
        .replace('must be >=', 'must be at least')
        .replace('must be <=', 'must be at most')
        .replace(/^(must have at (?:most|least) 1) (\w+)s$/, '$1 $2');
  }
}
