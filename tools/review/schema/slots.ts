import type { JsonRecord } from '../../../server/contract/json-record.js';
import { type Contract, elements, member, members, texts } from '../contract/contract.js';
import type { Party } from '../rules.js';
import { regularExpression } from './fits.js';
import { type Conjunction, type Shape, shapeOf } from './shape.js';
import { says } from './statements.js';

/** What a shape says of the field of one name. */
export interface Slot {
  /** `there` if the schema names the field; `open` if it does not, but takes others; else `closed`. */
  readonly state: 'there' | 'open' | 'closed';
  /** It is there, but not for whoever sends, or reads. */
  readonly hidden: boolean;
  /** What its values must be; empty where nothing is said of them. */
  readonly schemas: Conjunction;
  /** The part that names the field, or that closes the object to it. */
  readonly part: JsonRecord | undefined;
  readonly required: boolean;
}

/**
 * What the shape says of a field. `readOnly` fields are not there for whoever sends, `writeOnly` ones
 * not for whoever reads (OpenAPI 3.1, JSON Schema Validation 9.4).
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

/** What the shape says of the fields that it does not name. */
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

/** The names that the shape's own parts give to fields, or require. */
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

/** `unevaluatedProperties` leaves alone what a branch names, too (JSON Schema Core, 11.3). */
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
