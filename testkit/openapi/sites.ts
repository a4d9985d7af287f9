import { asRecord } from '../../contract/json-record.js';
import { escapeToken } from '../../contract/pointer.js';
import { Place } from './document.js';
import { findType, isValid, listTypes, simplest } from './schema.js';

/** A part of a value, and its schema. */
export interface Site {
  readonly schema: Place;
  readonly value: unknown;
  readonly pointer: string;
  /** Returns the whole value with another value in this place. */
  readonly put: (value: unknown) => unknown;
}

/** Returns every part of a valid value that has a schema. */
export function listSites(schema: Place, value: unknown): Site[] {
  return listParts(wholeOf(schema, value));
}

function listParts(site: Site): Site[] {
  const { schema, value } = site;
  const branch = schema.entries('oneOf').find(([, candidate]) => isValid(candidate, value))?.[1];
  if (branch !== undefined) return [site, ...listParts({ ...site, schema: branch }).slice(1)];
  if (Array.isArray(value)) {
    const items = schema.find('items');
    // A fault in one element stands for the same fault in any other.
    if (items === undefined || value.length === 0) return [site];
    return [site, ...listParts(lastItem(site, items, value))];
  }
  const fields = asRecord(value);
  const present = schema.entries('properties').filter(([name]) => Object.hasOwn(fields, name));
  return [site, ...present.flatMap(([name, field]) => listParts(fieldOf(site, name, field)))];
}

/** The depth up to which parts that a value could have are listed: schemas may contain themselves. */
const MAX_DEPTH = 12;

/**
 * Returns every part that a value has or could have: a missing field gets its simplest value, each branch of a choice
 * counts, and so does every part of a value whose schema allows anything.
 */
export function listPossibleSites(schema: Place, value: unknown): Site[] {
  return listPossibleParts(wholeOf(schema, value), 0);
}

function listPossibleParts(site: Site, depth: number): Site[] {
  if (depth > MAX_DEPTH) return [];
  const { schema, value } = site;
  const further = (part: Site) => listPossibleParts(part, depth + 1);
  const branches = [...schema.entries('oneOf'), ...schema.entries('anyOf')].map(([, one]) => one);
  if (branches.some((branch) => branch.find('type') ?? branch.find('oneOf'))) {
    const fit = branches.map((branch) => (isValid(branch, value) ? value : simplest(branch)));
    return branches.flatMap((branch, at) => further({ ...site, schema: branch, value: fit[at] }));
  }
  const type = findType(value);
  if (type === 'array' || (type !== 'object' && listTypes(schema)[0] === 'array')) {
    const items = schema.find('items') ?? ANYTHING;
    const present = Array.isArray(value) && value.length > 0 ? value : [simplest(items)];
    return [site, ...further(lastItem(site, items, present))];
  }
  const declared = new Map(schema.entries('properties'));
  const more = schema.find('additionalProperties') ?? ANYTHING;
  const names = new Set([...Object.keys(asRecord(value)), ...declared.keys()]);
  return [site, ...[...names].flatMap((name) => further(fieldOf(site, name, declared.get(name) ?? more)))];
}

const ANYTHING = Place.root({});

function wholeOf(schema: Place, value: unknown): Site {
  return { schema, value, pointer: '', put: (other) => other };
}

function lastItem(site: Site, schema: Place, values: readonly unknown[]): Site {
  const last = values.length - 1;
  return {
    schema,
    value: values[last],
    pointer: `${site.pointer}/${last}`,
    put: (other) => site.put([...values.slice(0, last), other]),
  };
}

function fieldOf(site: Site, name: string, schema: Place): Site {
  const fields = asRecord(site.value);
  return {
    schema,
    value: Object.hasOwn(fields, name) ? fields[name] : simplest(schema),
    pointer: `${site.pointer}/${escapeToken(name)}`,
    put: (other) => site.put(withField(fields, name, other)),
  };
}

/** Returns an object with another value of a field, which may be named `__proto__`. */
export function withField(fields: object, name: string, value: unknown): object {
  return Object.fromEntries([...Object.entries(without(fields, name)), [name, value]]);
}

/** Returns an object without a field. */
export function without(fields: object, name: string): object {
  return Object.fromEntries(Object.entries(fields).filter(([other]) => other !== name));
}
