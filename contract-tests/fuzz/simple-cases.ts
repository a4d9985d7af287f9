import { recordOf } from '../../testkit/json.js';
import { type Case, jsonBody, rawBody, type Sent } from './case.js';
import type { Target } from './operations.js';
import { simplest } from './values/simplest.js';
import { keptTable, TARGET } from './values/tables.js';

/** The media types of bodies that are sent as text. */
const TEXT = /^text\//;

/** Returns whether a resource is found by its identifier too, by the description of its parameter. */
export function isFoundById({ parameters }: Target, parameter: string): boolean {
  return parameters.some(
    ({ name, description }) => name === parameter && /\bidentifier\b/.test(description),
  );
}

/**
 * Returns the simplest valid request to an operation, with the given body and further parameters; a string is a CSV
 * table or a text.
 */
export function simpleCase(target: Target, value: unknown, more: readonly Sent[] = []): Case {
  const textType = target.bodies.map(([mediaType]) => mediaType).find((type) => TEXT.test(type));
  const body =
    typeof value === 'string' && textType !== undefined
      ? rawBody(textType, value)
      : jsonBody(value ?? {});
  const query = target.parameters
    .filter(({ in: where, required }) => where === 'query' && required)
    .map(({ name }) => ({ name, in: 'query', value: TARGET }));
  return {
    operationId: target.id,
    method: target.method,
    prefix: '',
    suffix: '',
    parameters: [...query, ...more],
    headers: {},
    body: target.bodies.length === 0 ? undefined : body,
    key: 'own',
  };
}

/** Returns the simplest body that creates a resource with a name; a table if the operation takes one. */
export function bodyNamed({ bodies }: Target, name: string): unknown {
  if (bodies.some(([mediaType]) => mediaType === 'text/csv')) return keptTable;
  const schema = bodies[0]?.[1];
  if (schema === undefined) return undefined;
  const least = simplest(schema);
  if (typeof least === 'string') return least;
  return Object.fromEntries(
    Object.entries(recordOf(least)).map(([wrapper, fields]) => [
      wrapper,
      { ...recordOf(fields), ...ownFields(wrapper, name) },
    ]),
  );
}

function ownFields(wrapper: string, name: string): object {
  switch (wrapper) {
    case 'conversation':
      return {};
    // Only skills of this type and of retrieval keep documents.
    case 'skill':
      return { name, type: 'knowledge_base' };
    default:
      return { name };
  }
}
