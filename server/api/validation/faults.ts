import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Request } from 'express';
import type { Contract, Operation } from '../../../contract/document.js';
import { asRecord, type JsonRecord } from '../../../contract/json-record.js';
import { escapeToken } from '../../../contract/pointer.js';
import { absenceRule, describePattern, patternRule } from '../../../contract/rule-messages.js';
import { isText, JSON_TYPE, mediaType } from '../../edge/request.js';
import { type FieldError, UNKNOWN_PARAMETER } from '../../problems/problem.js';
import { cutName } from '../../problems/shown-text.js';
import type { Excerpt } from './excerpt.js';
import { createAjv, parameterSchema, withComponents } from './schemas.js';
import { type FormFaults, findFormFaults, findShapeFault } from './shape-faults.js';

interface Fault {
  /** The place in the request (RFC 6901), in the terms of the contract: `/header/If-Match`. */
  readonly pointer: string;
  readonly keyword: string;
  /** The parameters of the rule, by Ajv's names, such as `limit`. */
  readonly params: JsonRecord;
  /** Ajv's sentence, for the rules that have no other. */
  readonly message: string;
}

/** A fault as express-openapi-validator reports it: without the parameters of the rule. */
interface ReportedFault {
  readonly path: string;
  readonly message: string;
  /** Missing if the name or the encoding of a query parameter is at fault. */
  readonly errorCode?: string;
}

/**
 * Returns a function that explains why a request to an operation is refused: each fault with its place, and with
 * the words of the contract, or else ours.
 */
export function explainFaults(
  contract: Contract,
  operation: Operation,
): (req: Request, excerpt: Excerpt, reported: readonly ReportedFault[]) => FieldError[] {
  const find = findFaults(contract, operation);
  const known = operation.parameters.filter((parameter) => parameter['in'] === 'query');
  const names = new Set(known.map(({ name }) => name));
  return (req, excerpt, reported) => {
    const readQueryFault = ({ path, message }: ReportedFault): Fault => {
      const name = path.slice('/query/'.length);
      const fault = { pointer: `/query/${escapeToken(name)}`, keyword: '', params: {} };
      if (!names.has(name)) {
        return { ...fault, message: UNKNOWN_PARAMETER };
      }
      return { ...fault, message: excerpt.query[name] === '' ? 'must not be empty' : message };
    };
    const ofQuery = reported.filter(({ errorCode }) => errorCode === undefined);
    const faults = ofQuery.length > 0 ? ofQuery.map(readQueryFault) : find(req, excerpt);
    return faults.length > 0
      ? describeFaults(contract, operation, faults, req.body)
      : reported.map(({ path, message }) => ({ pointer: path, message }));
  };
}

/** Returns a function that finds every violated rule, in the order of express-openapi-validator. */
function findFaults({ document, alternatives }: Contract, operation: Operation) {
  const { consumes, defersBody, headers, parameters, bodySchema } = operation;
  const options = { allErrors: true, useDefaults: true, strictNumbers: true } as const;
  const checkParameters = createAjv({ ...options, coerceTypes: 'array' }).compile(
    withComponents(document, {
      query: parameterSchema(parameters, 'query'),
      headers: parameterSchema(parameters, 'header'),
      params: parameterSchema(parameters, 'path'),
    }),
  );
  const isChecked = bodySchema !== undefined && !defersBody && !consumes.some(isText);
  const isRequired = alternatives(bodySchema)[0]?.['required'] !== undefined;
  const checkBody =
    isChecked &&
    createAjv(options).compile({
      ...withComponents(document, { body: bodySchema }),
      required: isRequired ? ['body'] : [],
    });
  const headerNames = new Map(headers);
  return (req: Request, { body, query }: Excerpt): Fault[] => {
    const { params = {} } = req.res?.locals ?? {};
    const sent = { query: { ...query }, headers: { ...req.headers }, params: { ...params } };
    const faults = [
      ...runCheck(checkParameters, sent),
      ...(checkBody && mediaType(req) === JSON_TYPE ? runCheck(checkBody, { body }) : []),
    ];
    return faults.map((fault) => ({ ...fault, pointer: nameInContract(headerNames, fault.pointer) }));
  };
}

function runCheck(check: ValidateFunction, value: unknown): Fault[] {
  return check(value) ? [] : (check.errors ?? []).map(readFault);
}

function readFault({ instancePath, keyword, params, message = '' }: ErrorObject): Fault {
  const { missingProperty, additionalProperty, unevaluatedProperty } = asRecord(params);
  const name = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  // To escape a million characters takes long, and the answer shows the first ones.
  const pointer = name === undefined ? instancePath : `${instancePath}/${escapeToken(cutName(String(name)))}`;
  return { pointer, keyword, params: asRecord(params), message };
}

/** Node lower-cases the names of headers; the contract has their spelling. */
function nameInContract(headerNames: ReadonlyMap<string, string>, path: string): string {
  const [, header] = /^\/headers\/(.*)$/.exec(path) ?? [];
  if (header === undefined) return path.replace(/^\/params/, '/path');
  return `/header/${headerNames.get(header) ?? header}`;
}

/** Puts faults into words, without those that follow from others. */
function describeFaults(
  contract: Contract,
  { bodySchema }: Operation,
  faults: readonly Fault[],
  body: unknown,
): FieldError[] {
  const byPointer = new Map<string, string[]>();
  const forms = findFormFaults(contract, bodySchema, body);
  for (const fault of withoutConsequences(faults)) {
    if (isOfUnusedForm(forms, fault)) continue;
    const message = describe(contract, fault);
    const messages = byPointer.get(fault.pointer) ?? [];
    if (!messages.includes(message)) byPointer.set(fault.pointer, [...messages, message]);
  }
  const errors = [
    ...forms.flatMap((form) => form.errors),
    ...[...byPointer].map(([pointer, messages]) => ({ pointer, message: join(messages) })),
  ];
  const shape = findShapeFault(contract, bodySchema, body);
  const others = errors.filter(({ pointer }) => !shape?.explains(pointer));
  return shape && others.length < errors.length ? [shape.error, ...others] : errors;
}

/** Returns whether a fault is about a form of elements that the caller does not use. */
function isOfUnusedForm(forms: readonly FormFaults[], { pointer, keyword, params }: Fault): boolean {
  // No form has a field without a name.
  if (params['additionalProperty'] === '') return false;
  return forms.some(({ explains }) => explains(pointer, keyword));
}

const CONSEQUENCES = ['if', 'oneOf', 'anyOf', 'allOf'];
const LENGTHS = ['minLength', 'maxLength'];

/**
 * Drops faults that follow from others: that no branch of a choice matches, that a value does not have the type of the
 * other branch, the format of a value of another type, and the length of a text that a pattern already limits.
 */
function withoutConsequences(faults: readonly Fault[]): readonly Fault[] {
  const choices = listPointers(faults.filter(({ keyword }) => keyword === 'oneOf'));
  const causes = faults.filter(({ keyword }) => !CONSEQUENCES.includes(keyword));
  const typed = listPointers(causes.filter(({ keyword }) => keyword === 'type'));
  const bounded = listPointers(causes.filter(limitsLength));
  const within = causes.filter(
    ({ pointer, keyword }) =>
      !(choices.has(pointer) && keyword === 'type') &&
      !(typed.has(pointer) && keyword === 'format') &&
      !(bounded.has(pointer) && LENGTHS.includes(keyword)),
  );
  return [within, causes, faults].find(({ length }) => length > 0) ?? [];
}

function listPointers(faults: readonly Fault[]): ReadonlySet<string> {
  return new Set(faults.map(({ pointer }) => pointer));
}

/** A pattern without `*` and `+` limits the length, and its message describes it. */
function limitsLength({ keyword, params }: Fault): boolean {
  return keyword === 'pattern' && !/[*+]/.test(String(params['pattern']));
}

/** Joins the messages about one place. Type names become alternatives: "an array or an object". */
function join(messages: readonly string[]): string {
  const types = messages.filter((message) => TYPE.test(message));
  const others = messages.filter((message) => !TYPE.test(message));
  const [first, ...rest] = types;
  if (first === undefined) return others.join('; ');
  return [[first, ...rest.map((message) => message.replace(TYPE, ''))].join(' or '), ...others].join('; ');
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

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID',
  int32: 'must be a whole number of at most 32 bits',
  int64: 'must be a whole number of at most 64 bits',
};

/** The things that a limit counts, in the plural. */
const COUNTED: Readonly<Record<string, string>> = { Length: 'characters', Items: 'items', Properties: 'properties' };

/** Describes a fault for the caller; messages in the contract take precedence. */
function describe({ messages }: Contract, { pointer, keyword, params, message }: Fault): string {
  const { limit } = params;
  switch (keyword) {
    case 'required':
      return 'is required; add it';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not a known field; leave it out';
    case 'type': {
      const types = [params['type']].flat().map(String);
      const field = pointer.slice(pointer.lastIndexOf('/') + 1);
      const ofContract = types.join() === 'null' ? messages.get(absenceRule(field)) : undefined;
      return ofContract ?? `must be ${types.map((type) => TYPE_NAMES[type] ?? type).join(' or ')}`;
    }
    case 'pattern': {
      const pattern = String(params['pattern']);
      return messages.get(patternRule(pattern)) ?? describePattern(pattern) ?? message;
    }
    case 'format':
      return FORMATS[String(params['format'])] ?? message;
    case 'enum':
      return `must be one of ${[params['allowedValues']].flat().map(String).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return `must have at least ${describeCount(limit, keyword)}`;
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return `must have at most ${describeCount(limit, keyword)}`;
    default:
      return message;
  }
}

function describeCount(limit: unknown, keyword: string): string {
  const counted = COUNTED[keyword.slice('min'.length)] ?? '';
  return `${limit} ${limit === 1 ? counted.replace(/ies$/, 'y').replace(/s$/, '') : counted}`;
}
