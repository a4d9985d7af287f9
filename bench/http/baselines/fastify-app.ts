import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { fastify as Fastify, FastifyInstance, FastifyOptions } from 'fastify';
import { asRecord, type JsonRecord } from '../../../server/contract/json-record.js';
import { document, operations } from '../../../testkit/openapi/document.js';
import { root } from '../../../testkit/root.js';
import { requireFrom } from '../../../tools/on-demand/installed.js';

const fastify: typeof Fastify = requireFrom('bench')('fastify');

/**
 * Makes a Fastify that validates as it does by itself, except that it knows the dialect of the contract's schemas,
 * and refuses the unknown fields that it would take away.
 */
export function fastifyApp(options?: FastifyOptions): FastifyInstance {
  const app = fastify(options);
  const ajv = new Ajv2020({ strict: false, coerceTypes: 'array', useDefaults: true });
  addFormats.default(ajv);
  app.setValidatorCompiler(({ schema }) => ajv.compile(schema));
  return app;
}

const VERSION = String(asRecord(document['info'])['version']);

/** The built contract in which no schema refers to another. */
const paths = asRecord(
  asRecord(
    JSON.parse(readFileSync(new URL(`dist/contract/${VERSION}.dereferenced.json`, root), 'utf8')),
  )['paths'],
);

/** Returns the route of an operation, with JSON schemas for all that a request and its answer hold. */
export function routeOf(operationId: string) {
  const operation = operations.find(({ id }) => id === operationId);
  if (!operation) throw new Error(`There is no operation ${operationId}`);
  const { method, path } = operation;
  const item = asRecord(paths[path]);
  const definition = asRecord(item[method.toLowerCase()]);
  const parameters = [...listOf(item['parameters']), ...listOf(definition['parameters'])];
  const body = jsonSchemaOf(definition['requestBody']);
  const response = Object.entries(asRecord(definition['responses']))
    .map(([status, answer]) => [status, jsonSchemaOf(answer)] as const)
    .filter(([status, schema]) => status.startsWith('2') && schema !== undefined);
  return {
    method,
    // With a colon before each parameter.
    url: path.replace(/\{(\w+)\}/g, ':$1'),
    schema: {
      params: objectOf(parameters, 'path', false),
      querystring: objectOf(parameters, 'query', false),
      headers: objectOf(parameters, 'header', true),
      ...(body === undefined ? {} : { body }),
      response: Object.fromEntries(response),
    },
  };
}

function jsonSchemaOf(part: unknown): unknown {
  return asRecord(asRecord(asRecord(part)['content'])['application/json'])['schema'];
}

/** The parameters of a place as the members of an object. Node gives the names of headers in lower case. */
function objectOf(parameters: readonly JsonRecord[], place: string, others: boolean): JsonRecord {
  const here = parameters.filter((parameter) => parameter['in'] === place);
  const nameOf = ({ name }: JsonRecord) =>
    place === 'header' ? String(name).toLowerCase() : String(name);
  return {
    type: 'object',
    properties: Object.fromEntries(here.map((one) => [nameOf(one), one['schema']])),
    required: here.filter(({ required }) => required === true).map(nameOf),
    additionalProperties: others,
  };
}

function listOf(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.map(asRecord) : [];
}
