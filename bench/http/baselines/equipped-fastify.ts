import { createHash } from 'node:crypto';
import type {
  LogController as Controller,
  FastifyPlugin,
  FastifyReply,
  FastifyRequest,
} from 'fastify';
import { pino } from 'pino';
import { Histogram, register } from 'prom-client';
import { readConfig } from '../../../server/config.js';
import { PreparedStatement } from '../../../server/store/database/dialect.js';
import { requireFrom } from '../../../tools/on-demand/installed.js';
import { fastifyApp, routeOf } from './fastify-app.js';

import { openDatabase, prepareSkill, sayThatItListens } from './serve.js';

/**
 * `getSkill` as a careful team would build it on Fastify, with its own plugins: keys, a rate limit for each key,
 * headers against attacks, entity tags, a log of requests, metrics, and the contract's schemas for requests and answers.
 */
const { host, port, logLevel } = readConfig(process.env);
const load = requireFrom('bench');
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
  const labels = {
    method: request.method,
    route: request.routeOptions.url,
    status: reply.statusCode,
  };
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

/** The time that a key is known without the database, in milliseconds. */
const CACHED_MS = 1000;
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

interface SkillPath {
  readonly project_name: string;
  readonly skill_name: string;
}

app.route<{ Params: SkillPath }>({
  ...routeOf('getSkill'),
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

await app.listen({ host, port });
sayThatItListens(app.server.address());
