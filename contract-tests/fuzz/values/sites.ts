import { escapeToken } from '../../../server/contract/json-pointer.js';
import { recordOf } from '../../../testkit/json.js';
import type { Place } from '../../../testkit/openapi/document.js';
import { isValid } from './schema.js';

/** A part of a valid value, and its schema. */
export interface Site {
  schema: Place;
  value: unknown;
  pointer: string;
  /** Returns the whole value with another value in this place. */
  put: (value: unknown) => unknown;
}

/** Returns every part of a valid value that has a schema. */
export function sitesOf(schema: Place, value: unknown): Site[] {
  return withContext({ schema, value, pointer: '', put: (other) => other });
}

function withContext(site: Site): Site[] {
  const { schema, value, pointer, put } = site;
  const branch = schema.entries('oneOf').find(([, candidate]) => isValid(candidate, value))?.[1];
  if (branch !== undefined) return [site, ...withContext({ ...site, schema: branch }).slice(1)];
  if (Array.isArray(value)) {
    const items = schema.find('items');
    // A fault in one element stands for the same fault in any other.
    if (items === undefined || value.length === 0) return [site];
    const last = value.length - 1;
    const putItem = (other: unknown) => put([...value.slice(0, last), other]);
    return [
      site,
      ...withContext({
        schema: items,
        value: value[last],
        pointer: `${pointer}/${last}`,
        put: putItem,
      }),
    ];
  }
  const fields = recordOf(value);
  return [
    site,
    ...schema
      .entries('properties')
      .filter(([name]) => Object.hasOwn(fields, name))
      .flatMap(([name, field]) =>
        withContext({
          schema: field,
          value: fields[name],
          pointer: `${pointer}/${escapeToken(name)}`,
          put: (other) => put(withField(fields, name, other)),
        }),
      ),
  ];
}

/** Returns an object with another value of a field, which may be named `__proto__`. */
export function withField(fields: object, name: string, value: unknown): object {
  return Object.fromEntries([
    ...Object.entries(fields).filter(([other]) => other !== name),
    [name, value],
  ]);
}
