import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { fastify as Fastify, FastifyInstance, FastifyOptions } from 'fastify';
import { type Contract, readContract } from '../../../server/contract/document.js';
import { valueAt } from '../../../server/contract/json-pointer.js';
import { asRecord, type JsonRecord } from '../../../server/contract/json-record.js';
import { requireFrom } from '../../../tools/on-demand/installed.js';
import { CONTRACT_FILE } from '../contract-file.js';

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

/** A route of the contract, with JSON schemas for all that a request and its answer hold. */
export interface RouteSchemas {
  readonly method: string;
  /** With a colon before each parameter. */
  readonly url: string;
  readonly schema: {
    readonly params: JsonRecord;
    readonly querystring: JsonRecord;
    readonly headers: JsonRecord;
    readonly body?: unknown;
    readonly response: JsonRecord;
  };
}

/** Reads the contract, and gives the route of an operation; no schema refers to another any more. */
export async function contractSchemas(): Promise<(operationId: string) => RouteSchemas> {
  const contract = readContract(CONTRACT_FILE);
  return (operationId) => routeOf(contract, operationId);
}

function routeOf({ document, operations }: Contract, operationId: string): RouteSchemas {
  const operation = operations.find(({ id }) => id === operationId);
  if (!operation) throw new Error(`There is no operation ${operationId}`);
  const { method, path } = operation;
  const item = asRecord(inlined(document, document.paths[path]));
  const definition = asRecord(item[method]);
  const parameters = [...listOf(item['parameters']), ...listOf(definition['parameters'])];
  const body = jsonSchemaOf(definition['requestBody']);
  const response = Object.entries(asRecord(definition['responses']))
    .map(([status, answer]) => [status, jsonSchemaOf(answer)] as const)
    .filter(([status, schema]) => status.startsWith('2') && schema !== undefined);
  return {
    method: method.toUpperCase(),
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

/** A part of a document with what its references lead to in their place. */
function inlined(document: unknown, part: unknown): unknown {
  if (Array.isArray(part)) return part.map((one) => inlined(document, one));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref } = asRecord(part);
  if (typeof $ref === 'string') return inlined(document, valueAt(document, $ref.slice(1)));
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, inlined(document, value)]),
  );
}
