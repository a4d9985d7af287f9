import type { Ajv2020 } from 'ajv/dist/2020.js';
import { escapeToken, valueAt } from '../../../server/contract/json-pointer.js';
import { asRecord } from '../../../server/contract/json-record.js';
import { EventStreamError, eventData } from '../../../testkit/http/event-data.js';
import type { FaultyPart, Part } from './parts.js';
import { endOf } from './references.js';
import { brokenRules } from './schemas.js';

/** Something that shows what a schema allows, by pointers to both. */
interface Shown {
  readonly schema: string;
  readonly value: string;
}

/**
 * Finds each example and default that breaks the schema beside it: of parameters, headers, bodies and of
 * schemas themselves. Where a text is lines of JSON (`x-roster-line`) or events (`x-roster-event`), each is held
 * against theirs.
 * @param parts of a document whose references and schemas are sound
 */
export function exampleFaults(
  ajv: Ajv2020,
  document: object,
  parts: readonly Part[],
): FaultyPart[] {
  ajv.addSchema(document, 'contract');
  const shown = parts.flatMap((part) =>
    part.kind === 'schema' ? shownBySchema(part) : shownBeside(document, part),
  );
  return shown.flatMap(({ schema, value: pointer }) => {
    const end = endOf(document, schema);
    const value = valueAt(document, pointer);
    const faults = [
      ...broken(ajv, end, value, pointer),
      ...brokenParts(ajv, document, `${end}/x-roster-line`, value, {
        ...{ pointer, what: 'line', split: linesIn },
      }),
      ...brokenParts(ajv, document, `${end}/x-roster-event`, value, {
        ...{ pointer, what: 'event', split: eventData },
      }),
    ];
    return faults.map(({ message, ...place }) => ({
      ...place,
      message: `the ${nameOf(pointer)} breaks its schema: ${message}`,
    }));
  });
}

function shownBySchema({ pointer, value }: Part): Shown[] {
  const examples = Array.isArray(value['examples']) ? value['examples'] : [];
  return [
    ...['default', 'example'].filter((keyword) => Object.hasOwn(value, keyword)),
    ...examples.map((_, index) => `examples/${index}`),
  ].map((keyword) => ({ schema: pointer, value: `${pointer}/${keyword}` }));
}

/** A parameter, a header and a media type have their examples beside their schema. */
function shownBeside(document: object, { pointer, value }: Part): Shown[] {
  if (!Object.hasOwn(value, 'schema')) return [];
  const named = Object.keys(asRecord(value['examples'])).map(
    (name) => `${endOf(document, `${pointer}/examples/${escapeToken(name)}`)}/value`,
  );
  return [...(Object.hasOwn(value, 'example') ? [`${pointer}/example`] : []), ...named]
    .filter((place) => valueAt(document, place) !== undefined)
    .map((place) => ({ schema: `${pointer}/schema`, value: place }));
}

function broken(ajv: Ajv2020, schema: string, value: unknown, pointer: string): FaultyPart[] {
  const validate = ajv.getSchema(`contract#${encodeURI(schema)}`);
  if (validate === undefined) throw new Error(`There is no schema at ${schema}`);
  return validate(value) === true ? [] : brokenRules(validate.errors ?? [], pointer);
}

/** Splits the text of an example into its parts. */
type Split = (text: string) => readonly string[];

const linesIn: Split = (text) => text.replace(/\n$/, '').split('\n');

/** Holds each part of a text against the schema of such parts, if there is one. */
function brokenParts(
  ajv: Ajv2020,
  document: object,
  schema: string,
  text: unknown,
  { pointer, what, split }: { pointer: string; what: 'line' | 'event'; split: Split },
): FaultyPart[] {
  if (typeof text !== 'string' || valueAt(document, schema) === undefined) return [];
  try {
    return split(text).flatMap((part, index) =>
      brokenText(ajv, endOf(document, schema), part, { pointer, part: `${what} ${index + 1}` }),
    );
  } catch (cause) {
    if (!(cause instanceof EventStreamError)) throw cause;
    return [{ pointer, message: `is not an event stream: ${cause.message}` }];
  }
}

/** Holds one part of an example against the schema of such parts. */
function brokenText(
  ajv: Ajv2020,
  schema: string,
  text: string,
  { pointer, part }: { readonly pointer: string; readonly part: string },
): FaultyPart[] {
  const fault = (message: string) => ({ pointer, message: `${part}: ${message}` });
  try {
    return broken(ajv, schema, JSON.parse(text), '').map((rule) =>
      fault(`${rule.pointer} ${rule.message}`.trimStart()),
    );
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return [fault('is not JSON')];
  }
}

function nameOf(pointer: string): string {
  return pointer.endsWith('/default') ? 'default' : 'example';
}
