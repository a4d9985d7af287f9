import fc from 'fast-check';
import { MEDIA_TYPES } from 'roster-client';
import { FILE_FORMATS } from '../../testkit/data/table-files.js';
import type { Place } from '../../testkit/openapi/document.js';
import { isValid } from '../../testkit/openapi/schema.js';
import { type Body, type Case, FIRST_VERSION, jsonBody, PLACEHOLDERS, rawBody, type Sent } from './case.js';
import { createsAtItsAddress, kindsWithin } from './kinds.js';
import { isChange, listPathParameters, type Parameter, type Target } from './operations.js';
import { KEPT } from './values/edge-values.js';
import { changedFiles, csvTables, jsonTables, lines, TARGET, tableFiles } from './values/tables.js';
import { makeValues } from './values/values.js';

/** Generates valid requests to an operation, for existing and missing resources. */
export function makeValidCases(target: Target): fc.Arbitrary<Case> {
  const parameters = target.parameters.map((parameter) => makeParameter(target, parameter));
  return fc
    .record({
      parameters: fc.tuple(...parameters),
      body: makeBodies(target),
      // Addresses that begin with /api redirect under the prefix.
      prefix: target.path.startsWith('/api/') ? fc.constant('') : fc.constantFrom('', '', '', '/api'),
      suffix: fc.constantFrom('', '', '', '/'),
      accept: fc.nat({ max: 5 }),
      requestId: fc.option(fc.stringMatching(/^[A-Za-z0-9_.:-]{1,40}$/), { nil: undefined, freq: 4 }),
    })
    .map(({ parameters, body, prefix, suffix, accept, requestId }) => ({
      operationId: target.id,
      method: target.method,
      prefix,
      suffix,
      parameters: parameters.flat().map((sent) => ofTable(sent, body)),
      headers: {
        ...acceptable(target, body)[accept],
        ...(requestId === undefined ? {} : { 'X-Request-Id': requestId }),
      },
      body,
      key: 'own' as const,
    }));
}

/**
 * Returns headers that accept the answer. If the operation has several media types, the answer to rows has
 * theirs.
 */
function acceptable({ produces }: Target, body: Body | undefined): Record<string, string>[] {
  const own = produces.find((mediaType) => mediaType === body?.mediaType);
  const type = own ?? produces[0] ?? '*/*';
  const accepts = ['*/*', type, `${type};q=0.5, text/html;q=0.1`, '*/*;q=0.1'];
  return [{}, {}, ...accepts.map((Accept) => ({ Accept }))];
}

/** The parameters that fit a usable table: a column that it has, a task that its numbers allow, and its own form. */
const OF_TABLE = new Map<string, unknown>([
  ['target', TARGET],
  ['task', 'regression'],
  ['header', true],
  ['delimiter', 'comma'],
]);

function ofTable(sent: Sent, body: Body | undefined): Sent {
  return body?.isUsable && OF_TABLE.has(sent.name) ? { ...sent, value: OF_TABLE.get(sent.name) } : sent;
}

function makeParameter(target: Target, parameter: Parameter): fc.Arbitrary<Sent[]> {
  const { name, in: where, required, schema } = parameter;
  const values = where === 'path' ? makeNames(target, parameter) : makeValues(schema).filter(isSendable);
  const sent = values.map((value) => [{ name, in: where, value }]);
  return required ? sent : fc.oneof({ weight: 3, arbitrary: fc.constant<Sent[]>([]) }, { weight: 1, arbitrary: sent });
}

/** Returns whether a value is transmitted unchanged in an address or a header. */
export function isSendable(value: unknown): boolean {
  const text = String(value);
  return !/\p{Surrogate}/u.test(text) && text.trim() === text;
}

/** An identifier, which some names may not resemble. */
export const SOME_ID = '019a2f3d-0b10-7d4a-8c2e-5a7b9c1d3e01';

/** Generates names, mostly of existing resources. */
function makeNames(target: Target, { name, schema }: Parameter): fc.Arbitrary<string> {
  const names = listPathParameters(target);
  const isProject = names.indexOf(name) === 0 && kindsWithin(target)[0] !== undefined;
  const isResource = name === names.at(-1) && target.path.endsWith(`{${name}}`);
  const absent = makeValues(schema).map(String).filter(isSendable);
  const hasKind = kindsWithin(target)[names.indexOf(name)] !== undefined;
  const there = () => {
    // A version is a number; a message is found by an identifier that the service chose.
    if (!hasKind) return isValid(schema, Number(FIRST_VERSION)) ? fc.constant(FIRST_VERSION) : absent;
    // A key is found by an identifier of another form, which nobody knows before.
    if (!isValid(schema, KEPT) && !isValid(schema, SOME_ID)) return absent;
    if (isResource && isChange(target)) return fc.constant(PLACEHOLDERS.spare);
    if (isProject) return fc.constant(PLACEHOLDERS.project);
    const id = isValid(schema, SOME_ID) ? PLACEHOLDERS.keptId : KEPT;
    return fc.constantFrom(...[KEPT, KEPT, KEPT, KEPT], id);
  };
  return fc.oneof(
    { weight: 8, arbitrary: there() },
    { weight: createsAtItsAddress(target) && isResource ? 8 : 1, arbitrary: absent },
  );
}

function makeBodies(target: Target): fc.Arbitrary<Body | undefined> {
  if (target.bodies.length === 0) return fc.constant(undefined);
  return fc.oneof(...target.bodies.map(([mediaType, schema]) => makeBody(target, mediaType, schema)));
}

function makeBody(target: Target, mediaType: string, schema: Place): fc.Arbitrary<Body> {
  const isTable = ['trainModel', 'previewTable', 'addActuals'].includes(target.id);
  if (mediaType === 'text/plain' || mediaType === 'text/markdown') {
    return makeValues(schema).map((text) => rawBody(mediaType, String(text)));
  }
  const format = FILE_FORMATS.find((one) => MEDIA_TYPES[one] === mediaType);
  if (format === undefined) throw new Error(`${target.id}: no bodies of ${mediaType} are generated`);
  if (format === 'json') {
    const values = makeValues(schema).map((value) => jsonBody(value, !isTable));
    return isTable
      ? fc.oneof(
          jsonTables.map((rows) => jsonBody(rows)),
          values,
        )
      : values;
  }
  if (format === 'ndjson' && !isTable) return lines.map((text) => rawBody(mediaType, text));
  const files = isTable ? [tableFiles(format), changedFiles(format)] : [tableFiles(format)];
  const tables = format === 'csv' ? csvTables : fc.oneof(...files);
  return tables.map(({ bytes, isUsable }) => rawBody(mediaType, bytes, isUsable));
}
