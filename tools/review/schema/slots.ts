import type { JsonRecord } from '../../../server/contract/json-record.js';
import { type Contract, elements, member, members, texts } from '../contract/contract.js';
import type { Party } from '../rules.js';
import { regularExpression } from './fits.js';
import { type Conjunction, type Shape, shapeOf } from './shape.js';
import { says } from './statements.js';

/** The declaration of a field with a given name. */
export interface Slot {
  /** `there` if the schema names the field; `open` if it does not, but allows other fields; else `closed`. */
  readonly state: 'there' | 'open' | 'closed';
  /** Whether the field exists, but not for this party. */
  readonly hidden: boolean;
  /** The schemas of its values; empty if it has none. */
  readonly schemas: Conjunction;
  /** The part that names the field, or that closes the object to it. */
  readonly part: JsonRecord | undefined;
  readonly required: boolean;
}

/**
 * Returns the declaration of a field. `readOnly` fields do not exist for senders, `writeOnly` ones not for
 * readers (OpenAPI 3.1, JSON Schema Validation 9.4).
 */
export function slotOf(contract: Contract, shape: Shape, name: string, party: Party): Slot {
  const schemas: unknown[] = [];
  let naming: JsonRecord | undefined;
  for (const part of shape.parts) {
    const property = member(part['properties'], name);
    if (property !== undefined) naming = naming ?? part;
    const own = [
      ...(property === undefined ? [] : [property]),
      ...members(part['patternProperties'])
        .filter(([pattern]) => regularExpression(pattern)?.test(name))
        .map(([, schema]) => schema),
    ];
    schemas.push(...(own.length > 0 ? own : stated(part, 'additionalProperties')));
  }
  if (!knownNames(contract, shape).has(name)) schemas.push(...unevaluatedOf(shape));
  const inner = shapeOf(contract, schemas);
  const hidden = says(inner, party === 'sender' ? 'readOnly' : 'writeOnly', true);
  return {
    state: hidden || inner.impossible ? 'closed' : naming ? 'there' : 'open',
    hidden,
    schemas,
    part: naming ?? (inner.impossible ? closingPart(shape) : undefined),
    required: !hidden && shape.parts.some((part) => texts(part['required']).includes(name)),
  };
}

/** Returns the declaration of the fields that the shape does not name. */
export function otherFields(shape: Shape): {
  schemas: Conjunction;
  closed: boolean;
  part?: JsonRecord;
} {
  const schemas = [
    ...shape.parts.flatMap((part) => stated(part, 'additionalProperties')),
    ...unevaluatedOf(shape),
  ];
  const closing = closingPart(shape);
  return { schemas, closed: closing !== undefined, ...(closing && { part: closing }) };
}

/** Returns the names of the fields that the shape's own parts declare or require. */
export function namesOf({ parts }: Shape): string[] {
  return [
    ...new Set(
      parts.flatMap((part) => [
        ...members(part['properties']).map(([name]) => name),
        ...texts(part['required']),
      ]),
    ),
  ];
}

function closingPart({ parts }: Shape): JsonRecord | undefined {
  return parts.find(
    (part) => part['additionalProperties'] === false || part['unevaluatedProperties'] === false,
  );
}

function unevaluatedOf({ parts }: Shape): unknown[] {
  return parts.flatMap((part) => stated(part, 'unevaluatedProperties'));
}

function stated(part: JsonRecord, keyword: string): unknown[] {
  return part[keyword] === undefined ? [] : [part[keyword]];
}

/**
 * Returns the names that the shape and its branches declare, to which `unevaluatedProperties` does not apply
 * (JSON Schema Core, 11.3).
 */
function knownNames(contract: Contract, shape: Shape, seen = new Set<JsonRecord>()): Set<string> {
  const names = new Set<string>();
  for (const part of shape.parts) {
    if (seen.has(part)) continue;
    seen.add(part);
    for (const [name] of members(part['properties'])) names.add(name);
    const branches = [
      ...elements(part['oneOf']),
      ...elements(part['anyOf']),
      ...[part['if'], part['then'], part['else']],
      ...members(part['dependentSchemas']).map(([, schema]) => schema),
    ];
    for (const branch of branches) {
      for (const name of knownNames(contract, shapeOf(contract, [branch]), seen)) names.add(name);
    }
  }
  return names;
}
