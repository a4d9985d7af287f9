import * as v from 'valibot';
import { deprecatedFields, sunsetShape } from '../../../server/contract/deprecations.js';
import { escapeToken, valueAt } from '../../../server/contract/json-pointer.js';
import { asRecord, type JsonRecord } from '../../../server/contract/json-record.js';
import type { FaultyPart, Part } from './parts.js';
import { followReference, resolved } from './references.js';

/**
 * Finds what says until when something works (`x-roster-sunset`) in another form or without being deprecated, and what
 * is deprecated and the server would not notice in a request. That it is said is a rule of `.spectral.yaml`.
 * @param parts of a document whose references are sound
 */
export function sunsetFaults(document: unknown, parts: readonly Part[]): FaultyPart[] {
  const isPart = new Set(parts.map(({ pointer }) => pointer));
  return [
    ...parts.flatMap(shapeFaults),
    ...parts.flatMap((part) => (part.kind === 'operation' ? requestFaults(document, part, isPart) : [])),
  ];
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
    return { pointer: [at, ...steps.map(escapeToken)].join('/'), message };
  });
}

function requestFaults(document: unknown, operation: Part, isPart: ReadonlySet<string>): FaultyPart[] {
  const item = operation.pointer.slice(0, operation.pointer.lastIndexOf('/'));
  const noticed = noticedIn(document, operation);
  const roots = [`${item}/parameters`, `${operation.pointer}/parameters`, `${operation.pointer}/requestBody`];
  return deprecatedBelow(document, roots, isPart)
    .filter((pointer) => !noticed.has(asRecord(valueAt(document, pointer))))
    .map((pointer) => ({ pointer: `${pointer}/deprecated`, message: UNNOTICED }));
}

const UNNOTICED =
  'the server does not notice this in a request; deprecate the operation, a query parameter, a header, or a field of an object in a JSON body that is read at once';

/** Returns the parts that the server notices when a request has them. */
function noticedIn(document: unknown, { value, pointer }: Part): Set<JsonRecord> {
  const item = asRecord(valueAt(document, pointer.slice(0, pointer.lastIndexOf('/'))));
  const parameters = [item['parameters'], value['parameters']]
    .flatMap((list): unknown[] => (Array.isArray(list) ? list : []))
    .map((parameter) => resolved(document, parameter))
    .filter((parameter) => parameter['in'] === 'query' || parameter['in'] === 'header');
  const body = resolved(document, value['requestBody']);
  const isReadLater = body['x-roster-deferred-body'] === true || body['x-roster-raw-json'] === true;
  const schema = asRecord(asRecord(body['content'])['application/json'])['schema'];
  const fields = isReadLater ? [] : deprecatedFields(document, schema);
  return new Set([...parameters, ...fields.map((field) => field.schema)]);
}

/** Returns the pointers to all that is deprecated below some places, also behind references. */
function deprecatedBelow(document: unknown, roots: readonly string[], isPart: ReadonlySet<string>): string[] {
  const seen = new Set<string>();
  const found: string[] = [];
  const visit = (pointer: string): void => {
    const value = valueAt(document, pointer);
    if (typeof value !== 'object' || value === null || seen.has(pointer)) return;
    seen.add(pointer);
    const { $ref, deprecated } = asRecord(value);
    if (isPart.has(pointer)) {
      if (typeof $ref === 'string') visit(followReference(document, $ref.slice(1)));
      if (deprecated === true) found.push(pointer);
    }
    for (const key of Object.keys(value)) visit(`${pointer}/${escapeToken(key)}`);
  };
  for (const root of roots) visit(root);
  return found;
}
