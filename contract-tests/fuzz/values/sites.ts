import type { Place } from '../../../testkit/openapi/document.js';
import { escapeStep, isValid, recordOf } from './schema.js';

/** A value within a valid one, and what the contract says of it. */
export interface Site {
  schema: Place;
  value: unknown;
  /** The JSON pointer to it. */
  pointer: string;
  /** The whole, with another value here. */
  put: (value: unknown) => unknown;
}

/** Every value within a valid one of which a schema says something. */
export function sitesOf(schema: Place, value: unknown): Site[] {
  return within({ schema, value, pointer: '', put: (other) => other });
}

function within(site: Site): Site[] {
  const { schema, value, pointer, put } = site;
  const branch = schema.entries('oneOf').find(([, candidate]) => isValid(candidate, value))?.[1];
  if (branch !== undefined) return [site, ...within({ ...site, schema: branch }).slice(1)];
  if (Array.isArray(value)) {
    const items = schema.find('items');
    // What is wrong with an element is wrong with any: one of them stands for all.
    if (items === undefined || value.length === 0) return [site];
    const last = value.length - 1;
    const putItem = (other: unknown) => put([...value.slice(0, last), other]);
    return [
      site,
      ...within({
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
        within({
          schema: field,
          value: fields[name],
          pointer: `${pointer}/${escapeStep(name)}`,
          put: (other) => put(withField(fields, name, other)),
        }),
      ),
  ];
}

/** An object with another value of a field, which may be called `__proto__`. */
export function withField(fields: object, name: string, value: unknown): object {
  return Object.fromEntries([
    ...Object.entries(fields).filter(([other]) => other !== name),
    [name, value],
  ]);
}
