import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type {
  LogController as Controller,
  fastify as Fastify,
  FastifyInstance,
  FastifyOptions,
  FastifyPlugin,
  FastifyReply,
  FastifyRequest,
} from 'fastify';
import { pino } from 'pino';
import { Histogram, register } from 'prom-client';
import { asRecord, type JsonRecord } from '../../../contract/json-record.js';
import { readConfig } from '../../../server/config.js';
import { PreparedStatement } from '../../../server/store/database/dialect.js';
import { document, operations } from '../../../testkit/openapi/document.js';
import { root } from '../../../testkit/root.js';
import { requireFrom } from '../../../tools/on-demand/installed.js';
import { openDatabase, openStore, prepareSkill, sayThatItListens } from './serve.js';
import { type Answer, type BodyOf, Work } from './work.js';

const load = requireFrom('bench');
const fastify: typeof Fastify = load('fastify');

interface InProject {
  readonly project_name: string;
}

interface OfSkill extends InProject {
  readonly skill_name: string;
}

/** With the contract's schemas, compiled for what it is sent and for what it answers. */
async function workingApp(): Promise<FastifyInstance> {
  const work = new Work(await openStore());
  const app = fastifyApp();
  app.route<{ Params: OfSkill }>({
    ...findRoute('getSkill'),
    handler: async ({ params }, reply) => send(reply, await work.getSkill(params.project_name, params.skill_name)),
  });
  app.route<{ Params: InProject; Querystring: { limit?: number } }>({
    ...findRoute('listSkills'),
    handler: async ({ params, query }, reply) => send(reply, await work.listSkills(params.project_name, query.limit)),
  });
  app.route<{ Params: InProject; Body: BodyOf<'createSkill'> }>({
    ...findRoute('createSkill'),
    handler: async ({ params, body }, reply) => send(reply, await work.createSkill(params.project_name, body)),
  });
  app.route<{ Params: InProject & { agent_name: string }; Body: BodyOf<'updateAgent'> }>({
    ...findRoute('updateAgent'),
    handler: async ({ params, body }, reply) =>
      send(reply, await work.updateAgent(params.project_name, params.agent_name, body)),
  });
  return app;
}

function send(reply: FastifyReply, { status, body, location }: Answer): FastifyReply {
  if (location) reply.header('Location', location);
  return reply.status(status).send(body);
}

/** The time that a key is known to the equipped Fastify without the database, in milliseconds. */
const CACHED_MS = 1000;

/**
 * `getSkill` as a careful team would build it on Fastify, with its own plugins: keys, a rate limit for each key,
 * headers against attacks, entity tags, a log of requests, metrics, and the contract's schemas for requests and answers.
 */
async function equippedApp(): Promise<FastifyInstance> {
  const etag: FastifyPlugin = load('@fastify/etag');
  const helmet: FastifyPlugin = load('@fastify/helmet');
  const rateLimit: FastifyPlugin = load('@fastify/rate-limit');
  const { LogController }: { readonly LogController: typeof Controller } = load('fastify');

  // Lines are buffered, as those of the service are. The bench directs the output to a file.
  const lines = pino.destination({ sync: true, minLength: 12_288, periodicFlush: 100 });
  process.on('exit', () => lines.flushSync());
  const log = pino({ level: logLevel }, lines);

  /** Writes one line a request, as the service does: Fastify itself writes two. */
  class LineARequest extends LogController {
    override incomingRequest(): void {}

    override requestCompleted(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
      const { id, method, url } = request;
      const { statusCode, elapsedTime } = reply;
      const line = { req: { id, method, url }, res: { statusCode }, responseTime: elapsedTime };
      if (error) log.error({ ...line, err: error }, 'request failed');
      else log.info(line, 'request completed');
    }
  }

  const app = fastifyApp({ loggerInstance: log, logController: new LineARequest() });

  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'The time from the headers of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
  });
  app.addHook('onResponse', async (request, reply) => {
    const labels = { method: request.method, route: request.routeOptions.url, status: reply.statusCode };
    durations.observe(labels, reply.elapsedTime / 1000);
    return undefined;
  });

  const database = openDatabase();
  const findSkill = prepareSkill(database);
  const findKey = new PreparedStatement<{ readonly owner: string }>(
    database,
    `
    select owner from api_keys
    where id = ? and hash = ? and revoked_at is null and (expires_at is null or expires_at > ?)
  `,
  );

  const owners = new Map<string, { readonly owner: string; readonly until: number }>();

  /** Returns whose key a request shows; undefined for a wrong one. Only the key's hash is kept and looked up. */
  function findOwner({ headers: { authorization = '' } }: FastifyRequest): string | undefined {
    const [, id = '', secret = ''] = authorization.split('_');
    const hash = createHash('sha256').update(secret).digest('hex');
    const cached = owners.get(hash);
    if (cached && cached.until > performance.now()) return cached.owner;
    const [key] = findKey.all([id, hash, new Date().toISOString()]);
    if (key) owners.set(hash, { owner: key.owner, until: performance.now() + CACHED_MS });
    else owners.delete(hash);
    return key?.owner;
  }

  app.decorateRequest('owner', '');
  app.addHook('onRequest', async (request, reply) => {
    const owner = findOwner(request);
    if (owner === undefined) return reply.status(401).send({ message: 'The key is wrong' });
    request.owner = owner;
    return undefined;
  });
  await app.register(rateLimit, {
    max: Number(process.env['RATE_LIMIT']),
    timeWindow: 60_000,
    keyGenerator: ({ headers }: FastifyRequest) => headers.authorization,
  });
  await app.register(helmet, {});
  await app.register(etag, {});

  app.route<{ Params: OfSkill }>({
    ...findRoute('getSkill'),
    handler: async ({ params, owner }, reply) => {
      const skill = findSkill(owner, params.project_name, params.skill_name);
      if (skill) return reply.send(skill);
      return reply.status(404).send({ message: `There is no "${params.skill_name}"` });
    },
  });
  app.route({
    method: 'GET',
    url: '/metrics',
    schema: {},
    handler: async (_request, reply) => reply.send(await register.metrics()),
  });
  return app;
}

/**
 * Makes a Fastify that validates as it does by itself, except that it knows the dialect of the contract's schemas,
 * and refuses the unknown fields that it would take away.
 */
function fastifyApp(options?: FastifyOptions): FastifyInstance {
  const app = fastify(options);
  const ajv = new Ajv2020({ strict: false, coerceTypes: 'array', useDefaults: true });
  addFormats.default(ajv);
  app.setValidatorCompiler(({ schema }) => ajv.compile(schema));
  return app;
}

const VERSION = String(asRecord(document['info'])['version']);

/** The built contract in which no schema refers to another. */
const paths = asRecord(
  asRecord(JSON.parse(readFileSync(new URL(`dist/openapi/${VERSION}.dereferenced.json`, root), 'utf8')))['paths'],
);

/** Returns the route of an operation, with JSON schemas for all that a request and its answer hold. */
function findRoute(operationId: string) {
  const operation = operations.find(({ id }) => id === operationId);
  if (!operation) throw new Error(`There is no operation ${operationId}`);
  const { method, path } = operation;
  const item = asRecord(paths[path]);
  const definition = asRecord(item[method.toLowerCase()]);
  const parameters = [...toList(item['parameters']), ...toList(definition['parameters'])];
  const body = findJsonSchema(definition['requestBody']);
  const response = Object.entries(asRecord(definition['responses']))
    .map(([status, answer]) => [status, findJsonSchema(answer)] as const)
    .filter(([status, schema]) => status.startsWith('2') && schema !== undefined);
  return {
    method,
    // With a colon before each parameter.
    url: path.replace(/\{(\w+)\}/g, ':$1'),
    schema: {
      params: toObject(parameters, 'path', false),
      querystring: toObject(parameters, 'query', false),
      headers: toObject(parameters, 'header', true),
      ...(body === undefined ? {} : { body }),
      response: Object.fromEntries(response),
    },
  };
}

function findJsonSchema(part: unknown): unknown {
  return asRecord(asRecord(asRecord(part)['content'])['application/json'])['schema'];
}

/** The parameters of a place as the members of an object. Node gives the names of headers in lower case. */
function toObject(parameters: readonly JsonRecord[], place: string, others: boolean): JsonRecord {
  const here = parameters.filter((parameter) => parameter['in'] === place);
  const nameOf = ({ name }: JsonRecord) => (place === 'header' ? String(name).toLowerCase() : String(name));
  return {
    type: 'object',
    properties: Object.fromEntries(here.map((one) => [nameOf(one), one['schema']])),
    required: here.filter(({ required }) => required === true).map(nameOf),
    additionalProperties: others,
  };
}

function toList(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.map(asRecord) : [];
}

/** Fastify; `BASELINE` says which. */
const { host, port, logLevel } = readConfig(process.env);
const app = process.env['BASELINE'] === 'equipped' ? await equippedApp() : await workingApp();
await app.listen({ host, port });
sayThatItListens(app.server.address());
