import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js';
import * as v from 'valibot';
import { documentShape, isProblem } from '../document-schema.js';
import { asRecord } from '../json-record.js';
import type { FaultyPart, Part } from '../parts.js';
import { escapeToken, writePointer } from '../pointer.js';
import { findRuleMessages } from '../rule-messages.js';

/** Finds what of the schemas is not JSON Schema 2020-12, such as a type or a format that does not exist. */
export function schemaFaults(ajv: Ajv2020, parts: readonly Part[]): FaultyPart[] {
  const schemas = parts.filter(({ kind }) => kind === 'schema');
  const faults = schemas.flatMap(({ pointer, value }) => {
    if (ajv.validateSchema(value) === true) return [];
    return brokenRules(ajv.errors ?? [], pointer).map(({ message, ...place }) => ({
      ...place,
      message: `this is not JSON Schema: ${message}`,
    }));
  });
  return [
    ...faults,
    ...schemas.flatMap((part) => [...unknownFormat(ajv, part), ...malformedPatterns(part), ...unknownRequired(part)]),
  ];
}

/** Reports unknown formats, because the validator ignores them. */
function unknownFormat(ajv: Ajv2020, { pointer, value }: Part): FaultyPart[] {
  const { format } = value;
  if (typeof format !== 'string' || Object.hasOwn(ajv.formats, format)) return [];
  return [{ pointer: `${pointer}/format`, message: `the format ${format} is not known` }];
}

/** A schema that stands alone requires only fields that it names: another name is misspelt. */
function unknownRequired({ pointer, value }: Part): FaultyPart[] {
  const { properties, required } = value;
  const isAlone = !/\/(allOf|anyOf|oneOf|not|if|then|else|dependentSchemas)(\/|$)/.test(pointer);
  if (!isAlone || properties === undefined || !Array.isArray(required)) return [];
  if (['allOf', 'anyOf', 'oneOf'].some((keyword) => Object.hasOwn(value, keyword))) return [];
  return required
    .map((name, index) => ({ name: String(name), pointer: `${pointer}/required/${index}` }))
    .filter(({ name }) => !Object.hasOwn(asRecord(properties), name))
    .map((one) => ({
      pointer: one.pointer,
      message: `there is no property ${one.name}, which is required`,
      remedy: 'add it, or remove it from `required`',
    }));
}

/** In the schema of schemas, `format: regex` is a remark: the validator would fail at the first use. */
function malformedPatterns({ pointer, value }: Part): FaultyPart[] {
  const patterns = Object.keys(asRecord(value['patternProperties'])).map((pattern) => ({
    pattern,
    at: `patternProperties/${escapeToken(pattern)}`,
  }));
  if (typeof value['pattern'] === 'string') {
    patterns.push({ pattern: value['pattern'], at: 'pattern' });
  }
  return patterns.flatMap(({ pattern, at }) => {
    try {
      new RegExp(pattern, 'u');
      return [];
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return [{ pointer: `${pointer}/${at}`, message: `this is not JSON Schema: ${message}` }];
    }
  });
}

/** Errors of these keywords only repeat that another keyword is broken. */
const CONSEQUENCES = new Set(['if', 'oneOf', 'anyOf', 'allOf']);

/**
 * Returns the keywords that a value breaks, one for each place. For a choice whose branches are all broken, the
 * branches of another type than the value are left out, unless no other branch remains.
 * @param pointer the pointer to the value
 */
export function brokenRules(errors: readonly ErrorObject[], pointer: string): FaultyPart[] {
  const choices = new Set(
    errors.filter(({ keyword }) => /^(oneOf|anyOf)$/.test(keyword)).map((error) => error.instancePath),
  );
  const causes = errors.filter(({ keyword }) => !CONSEQUENCES.has(keyword));
  const within = causes.filter(({ keyword, instancePath }) => !(keyword === 'type' && choices.has(instancePath)));
  const words = new Map<string, Set<string>>();
  for (const error of within.length > 0 ? within : causes.length > 0 ? causes : errors) {
    const place = pointer + error.instancePath + unknownMember(error);
    words.set(place, (words.get(place) ?? new Set()).add(writeWords(error)));
  }
  return [...words].map(([place, messages]) => ({ pointer: place, message: [...messages].join('; ') }));
}

function unknownMember({ params }: ErrorObject): string {
  const name: unknown = params['additionalProperty'] ?? params['unevaluatedProperty'];
  return typeof name === 'string' ? `/${escapeToken(name)}` : '';
}

function writeWords({ keyword, message = keyword, params }: ErrorObject): string {
  switch (keyword) {
    case 'enum':
      return `must be one of ${JSON.stringify(params['allowedValues'])}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'must not be there';
    default:
      return message;
  }
}

/** The shape that a problem's schema must have. */
const problemShape = v.looseObject({
  description: v.string(),
  properties: v.looseObject({
    type: v.looseObject({ const: v.pipe(v.string(), v.startsWith('/problems/')) }),
    title: v.looseObject({ const: v.string() }),
    status: v.looseObject({ const: v.pipe(v.number(), v.safeInteger(), v.minValue(400), v.maxValue(599)) }),
  }),
});

/** Finds what of a document is not of the shape that the server needs. */
export function shapeFaults(document: unknown): FaultyPart[] {
  const schemas = Object.entries(asRecord(asRecord(asRecord(document)['components'])['schemas']));
  return [
    ...findFaults(documentShape, document, ''),
    ...schemas
      .filter(([, schema]) => isProblem(asRecord(schema)))
      .flatMap(([name, schema]) => findFaults(problemShape, schema, `/components/schemas/${escapeToken(name)}`)),
  ];
}

function findFaults(shape: v.GenericSchema, value: unknown, at: string): FaultyPart[] {
  const { issues = [] } = v.safeParse(shape, value);
  return issues.map(({ path = [], received, message }) => {
    const steps = path.map(({ key }) => String(key));
    return {
      pointer: at + writePointer(steps),
      message: `${steps.join(' › ') || 'the document'}: ${received === 'undefined' ? 'is missing' : message}`,
    };
  });
}

/** Returns the rules that have two messages (`x-roster-message`): a breach of one could get either. */
export function messageFaults(document: unknown): FaultyPart[] {
  const messages = new Map<string, string>();
  const faults: FaultyPart[] = [];
  for (const { rule, message, pointer } of findRuleMessages(document)) {
    const first = messages.get(rule) ?? message;
    messages.set(rule, first);
    if (first === message) continue;
    faults.push({
      pointer: `${pointer}/x-roster-message`,
      message: `one rule is worded in two ways; the other is: ${first}`,
    });
  }
  return faults;
}
