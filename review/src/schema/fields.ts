import { asArray, type JsonRecord } from '../../../contract/json-record.js';
import { escapeToken } from '../../../contract/pointer.js';
import { type Contract, member, members, texts } from '../contract.js';
import { breaks, type Difference, difference, type Pair } from '../finding.js';
import { ruleOfRemoval } from '../lifecycle.js';
import type { Party, Rule } from '../rules.js';
import {
  type Comparison,
  type Conjunction,
  componentName,
  findShape,
  hasKeyword,
  regularExpression,
  type Shape,
  typeWords,
} from './shape.js';

/** Compares the fields of objects: the named ones, and all others. */
export function compareFields(comparison: Comparison, shapes: Pair<Shape>): Difference[] {
  const { before, after } = shapes;
  if (!before.types.has('object') || !after.types.has('object')) return [];
  const names = new Set([...listNames(before), ...listNames(after)]);
  return [
    ...[...names].flatMap((name) => compareField(comparison, shapes, name)),
    ...comparePatterns(comparison, shapes),
    ...compareOthers(comparison, shapes),
  ];
}

function compareField(comparison: Comparison, shapes: Pair<Shape>, name: string): Difference[] {
  const { contracts, party } = comparison;
  const before = findSlot(contracts.before, shapes.before, name, party);
  const after = findSlot(contracts.after, shapes.after, name, party);
  const path = /^[\w$-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  const values = () => comparison.inner(path, { before: before.schemas, after: after.schemas });
  const [was, is] = [before, after].map(({ state }) => state === 'there');
  if (was === is) {
    const parts = { before: before.part ?? shapes.before.parts[0], after: after.part ?? shapes.after.parts[0] };
    const words = { was: necessity(before), is: necessity(after) };
    const rule = after.required ? 'required-now' : 'optional-now';
    return [
      ...(words.was === words.is ? [] : [difference(contracts, rule, { path, ...parts, ...words })]),
      ...(was ? values() : []),
    ];
  }
  const accepted = acceptsOtherValues(party, { before, after })
    ? values().filter(({ rule }) => breaks({ rule, party }))
    : [];
  const keyword = `properties/${escapeToken(name)}`;
  if (is) {
    const details = { before: before.part, after: after.part, is: fieldWords(contracts.after, after) };
    const rule = ruleOfAdded(party, { before, after });
    return [difference(contracts, rule, { path, ...details }, keyword), ...accepted];
  }
  const hiding = party === 'sender' ? 'read-only' : 'write-only';
  const words = { was: fieldWords(contracts.before, before), is: after.hidden ? hiding : '' };
  const removed = ruleOfRemoved(party, { before, after });
  const rule = after.hidden
    ? removed
    : ruleOfRemoval(contracts, removed, ...findShape(contracts.before, before.schemas).parts);
  return [difference(contracts, rule, { path, before: before.part, ...words }, keyword), ...accepted];
}

function ruleOfAdded(party: Party, { before, after }: Pair<Slot>): Rule {
  if (after.required) return 'required-field-added';
  return party === 'sender' && before.state === 'open' ? 'field-recognized' : 'field-added';
}

function ruleOfRemoved(party: Party, { before, after }: Pair<Slot>): Rule {
  if (party === 'sender' && after.state === 'open') return 'field-ignored';
  return before.required ? 'required-field-removed' : 'field-removed';
}

/**
 * Returns whether a field that only one version names could be sent by the other. Before the contract named it,
 * senders may have sent it with other values; and the other way round.
 */
function acceptsOtherValues(party: Party, { before, after }: Pair<Slot>): boolean {
  if (party !== 'sender' || before.state === 'closed' || after.state === 'closed') return false;
  // If other fields have no schema, there is no reason to send them.
  return (before.state === 'open' ? before : after).schemas.length > 0;
}

function necessity({ required }: Slot): string {
  return required ? 'required' : 'optional';
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
  const own = shape.parts.flatMap((part) => {
    const schema = member(part['patternProperties'], pattern);
    return schema === undefined ? [] : [schema];
  });
  return own.length > 0 ? own : otherFields(shape).schemas;
}

function compareOthers(comparison: Comparison, shapes: Pair<Shape>): Difference[] {
  const [before, after] = [otherFields(shapes.before), otherFields(shapes.after)];
  if (before.closing && after.closing) return [];
  if (!before.closing && !after.closing) {
    return comparison.inner('.*', { before: before.schemas, after: after.schemas });
  }
  const rule = after.closing ? 'closed-to-other-fields' : 'opened-to-other-fields';
  const details = { before: before.closing ?? shapes.before.parts[0], after: after.closing ?? shapes.after.parts[0] };
  return [difference(comparison.contracts, rule, details)];
}

/** Formats a field in a few words: `optional string (Name)`. */
function fieldWords(contract: Contract, slot: Slot): string {
  const name = componentName(slot.schemas);
  const types = typeWords(findShape(contract, slot.schemas).types);
  return `${necessity(slot)} ${types}${name ? ` (${name})` : ''}`;
}

/** The declaration of a field with a given name. */
interface Slot {
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
function findSlot(contract: Contract, shape: Shape, name: string, party: Party): Slot {
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
  const unevaluated = listUnevaluated(shape);
  if (unevaluated.length > 0 && !knownNames(contract, shape).has(name)) schemas.push(...unevaluated);
  const inner = findShape(contract, schemas);
  const hidden = hasKeyword(inner, party === 'sender' ? 'readOnly' : 'writeOnly', true);
  return {
    state: hidden || inner.impossible ? 'closed' : naming ? 'there' : 'open',
    hidden,
    schemas,
    part: naming ?? (inner.impossible ? closingPart(shape) : undefined),
    required: !hidden && shape.parts.some((part) => texts(part['required']).includes(name)),
  };
}

/** Returns the declaration of the fields that the shape does not name. */
function otherFields(shape: Shape): { schemas: Conjunction; closing: JsonRecord | undefined } {
  const schemas = [...shape.parts.flatMap((part) => stated(part, 'additionalProperties')), ...listUnevaluated(shape)];
  return { schemas, closing: closingPart(shape) };
}

/** Returns the names of the fields that the shape's own parts declare or require. */
export function listNames({ parts }: Shape): string[] {
  return [
    ...new Set(
      parts.flatMap((part) => [...members(part['properties']).map(([name]) => name), ...texts(part['required'])]),
    ),
  ];
}

function closingPart({ parts }: Shape): JsonRecord | undefined {
  return parts.find((part) => part['additionalProperties'] === false || part['unevaluatedProperties'] === false);
}

function listUnevaluated({ parts }: Shape): unknown[] {
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
      ...asArray(part['oneOf']),
      ...asArray(part['anyOf']),
      ...[part['if'], part['then'], part['else']],
      ...members(part['dependentSchemas']).map(([, schema]) => schema),
    ];
    for (const branch of branches) {
      for (const name of knownNames(contract, findShape(contract, [branch]), seen)) names.add(name);
    }
  }
  return names;
}
