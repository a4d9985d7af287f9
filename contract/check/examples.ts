import type { Ajv2020 } from 'ajv/dist/2020.js';
import { EventStreamError, eventData } from '../event-data.js';
import { asRecord } from '../json-record.js';
import type { FaultyPart, Part } from '../parts.js';
import { escapeToken, followReferences, valueAt } from '../pointer.js';
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
export function exampleFaults(ajv: Ajv2020, document: object, parts: readonly Part[]): FaultyPart[] {
  ajv.addSchema(document, 'contract');
  const shown = parts.flatMap((part) => (part.kind === 'schema' ? shownBySchema(part) : shownBeside(document, part)));
  return shown.flatMap(({ schema, value: pointer }) => {
    const end = followReferences(document, schema);
    const value = valueAt(document, pointer);
    const faults = [
      ...broken(ajv, end, value, pointer),
      ...TEXTS.flatMap((kind) => brokenParts(ajv, document, end, value, { pointer, ...kind })),
    ];
    return faults.map(({ message, ...place }) => ({
      ...place,
      message: `the ${readName(pointer)} breaks its schema: ${message}`,
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
    (name) => `${followReferences(document, `${pointer}/examples/${escapeToken(name)}`)}/value`,
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

/** A text whose parts have their own schema, which a keyword beside that of the text says. */
interface TextOfParts {
  readonly keyword: string;
  readonly what: string;
  readonly split: (text: string) => readonly string[];
}

const TEXTS: readonly TextOfParts[] = [
  { keyword: 'x-roster-line', what: 'line', split: (text) => text.replace(/\n$/, '').split('\n') },
  { keyword: 'x-roster-event', what: 'event', split: eventData },
];

/** Holds each part of a text against the schema of such parts, if there is one. */
function brokenParts(
  ajv: Ajv2020,
  document: object,
  schemaOfText: string,
  text: unknown,
  { pointer, keyword, what, split }: TextOfParts & { readonly pointer: string },
): FaultyPart[] {
  const schema = `${schemaOfText}/${keyword}`;
  if (typeof text !== 'string' || valueAt(document, schema) === undefined) return [];
  const brokenPart = (part: string): string[] => {
    try {
      const rules = broken(ajv, followReferences(document, schema), JSON.parse(part), '');
      return rules.map((rule) => `${rule.pointer} ${rule.message}`.trimStart());
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      return ['is not JSON'];
    }
  };
  try {
    return split(text).flatMap((part, index) =>
      brokenPart(part).map((fault) => ({ pointer, message: `${what} ${index + 1}: ${fault}` })),
    );
  } catch (cause) {
    if (!(cause instanceof EventStreamError)) throw cause;
    return [{ pointer, message: `is not an event stream: ${cause.message}` }];
  }
}

function readName(pointer: string): string {
  return pointer.endsWith('/default') ? 'default' : 'example';
}
