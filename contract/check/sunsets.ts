import * as v from 'valibot';
import { deprecatedFields, sunsetShape } from '../deprecations.js';
import { asArray, asRecord, type JsonRecord } from '../json-record.js';
import { type FaultyPart, listParts, type Part } from '../parts.js';
import { resolve, valueAt, writePointer } from '../pointer.js';

/**
 * Finds what says until when something works (`x-roster-sunset`) in another form or without being deprecated, and what
 * is deprecated and the server would not notice in a request. That it is said is a rule of `.spectral.yaml`.
 * @param parts of a document whose references are sound
 */
export function sunsetFaults(document: unknown, parts: readonly Part[]): FaultyPart[] {
  const operations = parts.filter(({ kind }) => kind === 'operation');
  return [...parts.flatMap(shapeFaults), ...operations.flatMap((part) => requestFaults(document, part, parts))];
}

/** Servers have no `deprecated`; they are of kind `other`. */
function shapeFaults({ kind, pointer, value }: Part): FaultyPart[] {
  if (!Object.hasOwn(value, 'x-roster-sunset')) return [];
  const at = `${pointer}/x-roster-sunset`;
  if (value['deprecated'] !== true && kind !== 'other') {
    const message = 'x-roster-sunset says until when something deprecated works; add deprecated: true';
    return [{ pointer: at, message }];
  }
  return (v.safeParse(sunsetShape, value['x-roster-sunset']).issues ?? []).map((issue) => {
    const steps = (issue.path ?? []).map(({ key }) => String(key));
    const message = `${['x-roster-sunset', ...steps].join(' › ')}: ${issue.message}`;
    return { pointer: at + writePointer(steps), message };
  });
}

function requestFaults(document: unknown, operation: Part, parts: readonly Part[]): FaultyPart[] {
  const item = operation.pointer.slice(0, operation.pointer.lastIndexOf('/'));
  const noticed = noticedIn(document, operation);
  const places = [`${item}/parameters/`, `${operation.pointer}/parameters/`, `${operation.pointer}/requestBody`];
  const roots = parts.filter(({ pointer }) => places.some((place) => pointer.startsWith(place)));
  return listParts(document, { roots, followsReferences: true })
    .filter(({ value }) => value['deprecated'] === true && !noticed.has(value))
    .map(({ pointer }) => ({ pointer: `${pointer}/deprecated`, message: UNNOTICED }));
}

const UNNOTICED =
  'the server does not notice this in a request; deprecate the operation, a query parameter, a header, or a field of an object in a JSON body that is read at once';

/** Returns the parts that the server notices when a request has them. */
function noticedIn(document: unknown, { value, pointer }: Part): Set<JsonRecord> {
  const item = asRecord(valueAt(document, pointer.slice(0, pointer.lastIndexOf('/'))));
  const parameters = [item['parameters'], value['parameters']]
    .flatMap(asArray)
    .map((parameter) => resolve(document, parameter))
    .filter((parameter) => parameter['in'] === 'query' || parameter['in'] === 'header');
  const body = resolve(document, value['requestBody']);
  const isReadLater = body['x-roster-deferred-body'] === true || body['x-roster-raw-json'] === true;
  const schema = asRecord(asRecord(body['content'])['application/json'])['schema'];
  const fields = isReadLater ? [] : deprecatedFields(document, schema);
  return new Set([...parameters, ...fields.map((field) => field.schema)]);
}
