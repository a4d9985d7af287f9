import type { Case } from './case.js';
import { pathParametersOf, type Target } from './operations.js';
import { recordOf } from './values/schema.js';
import { simplest } from './values/simplest.js';
import { keptTable, TARGET } from './values/tables.js';

/** The contract says in words of each parameter whether it may be an identifier. */
export function isFoundById(target: Target): boolean {
  const last = pathParametersOf(target).at(-1);
  return target.parameters.some(
    ({ name, description }) => name === last && /\bidentifier\b/.test(description),
  );
}

/** The simplest valid request to an operation, with a value for its body: a text is a table. */
export function simpleCase(target: Target, value: unknown): Case {
  const [first] = target.bodies;
  const isText = typeof value === 'string';
  const body = {
    mediaType: isText ? 'text/csv' : 'application/json',
    bytes: Buffer.from(isText ? value : JSON.stringify(value ?? {})),
    value,
    isUsable: true,
  };
  const query = target.parameters
    .filter(({ in: where, required }) => where === 'query' && required)
    .map(({ name }) => ({ name, in: 'query', value: TARGET }));
  return {
    operationId: target.id,
    method: target.method,
    prefix: '',
    suffix: '',
    parameters: query,
    headers: {},
    body: first === undefined ? undefined : body,
    key: 'own',
  };
}

/** The simplest body that creates something of a name; a table, where one is asked for. */
export function bodyNamed({ bodies }: Target, name: string): unknown {
  if (bodies.some(([mediaType]) => mediaType === 'text/csv')) return keptTable;
  const schema = bodies[0]?.[1];
  if (schema === undefined) return undefined;
  const wrapped = Object.entries(recordOf(simplest(schema)));
  return Object.fromEntries(
    wrapped.map(([wrapper, fields]) => [wrapper, { ...recordOf(fields), name }]),
  );
}
