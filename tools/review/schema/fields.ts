import { escapeToken } from '../../../server/contract/json-pointer.js';
import type { JsonRecord } from '../../../server/contract/json-record.js';
import { type Contract, elements, member, members, texts } from '../contract.js';
import { breaks, type Difference } from '../finding.js';
import type { Party } from '../rules.js';
import { type Comparison, difference, type Pair } from './comparison.js';
import {
  type Conjunction,
  componentName,
  regularExpression,
  type Shape,
  says,
  shapeOf,
  typeWords,
} from './shape.js';

/** Compares the fields of objects: the named ones, and all others. */
export function compareFields(comparison: Comparison, shapes: Pair<Shape>): Difference[] {
  const { before, after } = shapes;
  if (!before.types.has('object') || !after.types.has('object')) return [];
  const names = new Set([...namesOf(before), ...namesOf(after)]);
  return [
    ...[...names].flatMap((name) => compareField(comparison, shapes, name)),
    ...comparePatterns(comparison, shapes),
    ...compareOthers(comparison, shapes),
  ];
}

function compareField(comparison: Comparison, shapes: Pair<Shape>, name: string): Difference[] {
  const { contracts, party } = comparison;
  const before = slotOf(contracts.before, shapes.before, name, party);
  const after = slotOf(contracts.after, shapes.after, name, party);
  const path = fieldPath(name);
  const slots = { before, after };
  if (before.state === 'there' && after.state !== 'there') {
    return [
      fieldRemoved(comparison, slots, name),
      ...compareAcceptedValues(comparison, slots, path),
    ];
  }
  if (before.state !== 'there' && after.state === 'there') {
    return [fieldAdded(comparison, slots, name), ...compareAcceptedValues(comparison, slots, path)];
  }
  const inner = { before: before.schemas, after: after.schemas };
  return [
    ...compareRequired(comparison, shapes, slots, path),
    ...(before.state === 'there' ? comparison.inner(path, inner) : []),
  ];
}

function compareRequired(
  comparison: Comparison,
  shapes: Pair<Shape>,
  { before, after }: Pair<Slot>,
  path: string,
): Difference[] {
  if (before.required === after.required) return [];
  const details = {
    path,
    before: before.part ?? shapes.before.parts[0],
    after: after.part ?? shapes.after.parts[0],
    was: before.required ? 'required' : 'optional',
    is: after.required ? 'required' : 'optional',
  };
  return [difference(comparison, after.required ? 'required-now' : 'optional-now', details)];
}

function fieldAdded(
  comparison: Comparison,
  { before, after }: Pair<Slot>,
  name: string,
): Difference {
  const addedRule =
    comparison.party === 'sender' && before.state === 'open' ? 'field-recognized' : 'field-added';
  const is = fieldWords(comparison.contracts.after, after);
  const details = { path: fieldPath(name), before: before.part, after: after.part, is };
  return difference(
    comparison,
    after.required ? 'required-field-added' : addedRule,
    details,
    pointerTo(name),
  );
}

function fieldRemoved(
  comparison: Comparison,
  { before, after }: Pair<Slot>,
  name: string,
): Difference {
  const was = fieldWords(comparison.contracts.before, before);
  const is = after.hidden ? (comparison.party === 'sender' ? 'read-only' : 'write-only') : '';
  const details = { path: fieldPath(name), before: before.part, was, is };
  if (comparison.party === 'sender' && after.state === 'open') {
    return difference(comparison, 'field-ignored', details, pointerTo(name));
  }
  const rule = before.required ? 'required-field-removed' : 'field-removed';
  return difference(comparison, rule, details, pointerTo(name));
}

function pointerTo(name: string): string {
  return `properties/${escapeToken(name)}`;
}

/**
 * Compares the accepted values of a field that only one version names. Before the contract named it, senders
 * may have sent it with other values; and the other way round.
 */
function compareAcceptedValues(
  comparison: Comparison,
  { before, after }: Pair<Slot>,
  path: string,
): Difference[] {
  if (comparison.party !== 'sender' || before.state === 'closed' || after.state === 'closed')
    return [];
  // If other fields have no schema, there is no reason to send them.
  if ((before.state === 'open' ? before : after).schemas.length === 0) return [];
  return comparison
    .inner(path, { before: before.schemas, after: after.schemas })
    .filter(({ rule }) => breaks({ rule, party: comparison.party }));
}

function comparePatterns(comparison: Comparison, shapes: Pair<Shape>): Difference[] {
  const patterns = new Set(
    [shapes.before, shapes.after].flatMap(({ parts }) =>
      parts.flatMap((part) => members(part['patternProperties']).map(([pattern]) => pattern)),
    ),
  );
  return [...patterns].flatMap((pattern) =>
    comparison.inner(`./${pattern}/`, {
      before: ofPattern(shapes.before, pattern),
      after: ofPattern(shapes.after, pattern),
    }),
  );
}

function ofPattern(shape: Shape, pattern: string): readonly unknown[] {
  const own = shape.parts.flatMap((part) =>
    members(part['patternProperties'])
      .filter(([one]) => one === pattern)
      .map(([, schema]) => schema),
  );
  return own.length > 0 ? own : otherFields(shape).schemas;
}

function compareOthers(comparison: Comparison, shapes: Pair<Shape>): Difference[] {
  const [before, after] = [otherFields(shapes.before), otherFields(shapes.after)];
  if (before.closed && after.closed) return [];
  if (!before.closed && !after.closed) {
    return comparison.inner('.*', { before: before.schemas, after: after.schemas });
  }
  const rule = after.closed ? 'closed-to-other-fields' : 'opened-to-other-fields';
  const details = {
    before: before.part ?? shapes.before.parts[0],
    after: after.part ?? shapes.after.parts[0],
  };
  return [difference(comparison, rule, details)];
}

/** Formats a field in a few words: `optional string (Name)`. */
function fieldWords(contract: Contract, { schemas, required }: Slot): string {
  const name = componentName(schemas);
  const types = typeWords(shapeOf(contract, schemas).types);
  return `${required ? 'required' : 'optional'} ${types}${name ? ` (${name})` : ''}`;
}

/** Returns the path of a field below another: `.name`, or `["a name with spaces"]`. */
function fieldPath(name: string): string {
  return /^[\w$-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** The declaration of a field with a given name. */
export interface Slot {
  /** `there` if the schema names the field; `open` if it does not, but allows other fields; else `closed`. */
  readonly state: 'there' | 'open' | 'closed';
  /** True if the field exists, but not for this party. */
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
function slotOf(contract: Contract, shape: Shape, name: string, party: Party): Slot {
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
function otherFields(shape: Shape): {
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
