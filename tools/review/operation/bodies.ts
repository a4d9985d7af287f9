import type { JsonRecord } from '../../../server/contract/json-record.js';
import type { Finding } from '../finding.js';
import type { Pair } from '../schema/comparison.js';
import { compareContent } from './content.js';
import type { Operation } from './operations.js';
import type { Scope } from './scope.js';

/** Compares the bodies of requests. */
export function compareBodies(operation: Scope, { before, after }: Pair<Operation>): Finding[] {
  const scope = operation.within('body');
  const { contracts } = scope;
  const bodies = {
    before: contracts.before.resolve(before.definition['requestBody']),
    after: contracts.after.resolve(after.definition['requestBody']),
  };
  const [old, now] = [bodies.before, bodies.after].map(words);
  if (!old && !now) return [];
  if (!old) {
    const rule = isRequired(bodies.after) ? 'required-body-added' : 'body-added';
    return [scope.finding(rule, { after: bodies.after, is: now ?? '' })];
  }
  if (!now) return [scope.finding('body-removed', { before: bodies.before, was: old })];
  const necessity = isRequired(bodies.after) ? 'required-now' : 'optional-now';
  return [
    ...(old === now ? [] : [scope.finding(necessity, { ...bodies, was: old, is: now })]),
    ...compareSize(scope, bodies),
    ...compareContent(scope, bodies),
  ];
}

/** Compares the maximum sizes of bodies. */
function compareSize(scope: Scope, bodies: Pair<JsonRecord>): Finding[] {
  const [old, now] = [bodies.before, bodies.after].map((body) => body[SIZE]);
  if (old === now) return [];
  const details = { ...bodies, was: sizeWords(old), is: sizeWords(now) };
  const rule = bytes(now) < bytes(old) ? 'bound-tightened' : 'bound-loosened';
  return [scope.finding(rule, details, now === undefined ? '' : SIZE)];
}

const SIZE = 'x-roster-max-body';

function bytes(size: unknown): number {
  return typeof size === 'number' ? size : Number.POSITIVE_INFINITY;
}

function sizeWords(size: unknown): string {
  return size === undefined ? '' : `at most ${size} bytes`;
}

function isRequired(body: JsonRecord): boolean {
  return body['required'] === true;
}

function words(body: JsonRecord): string {
  if (body['content'] === undefined) return '';
  return isRequired(body) ? 'required' : 'optional';
}
