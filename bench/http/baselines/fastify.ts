import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { fastify as Fastify, FastifyReply } from 'fastify';
import { readConfig } from '../../../server/config.js';
import { requireFrom } from '../../../tools/on-demand/installed.js';
import { contractSchemas } from './contract-schemas.js';
import { openStore, sayThatItListens } from './serve.js';
import { type Answer, type BodyOf, Work } from './work.js';

/**
 * Fastify with the contract's schemas, compiled for what it is sent and for what it answers. It validates
 * as it does by itself, except that it knows the schemas' dialect, and refuses the unknown fields that it would
 * take away.
 */
const work = new Work(await openStore());
const schemas = await contractSchemas();
const fastify: typeof Fastify = requireFrom('bench')('fastify');
const app = fastify();
const ajv = new Ajv2020({ strict: false, coerceTypes: 'array', useDefaults: true });
addFormats.default(ajv);
app.setValidatorCompiler(({ schema }) => ajv.compile(schema));

interface InProject {
  readonly project_name: string;
}

app.route<{ Params: InProject & { skill_name: string } }>({
  ...schemas('getSkill'),
  handler: async ({ params }, reply) =>
    send(reply, await work.getSkill(params.project_name, params.skill_name)),
});
app.route<{ Params: InProject; Querystring: { limit?: number } }>({
  ...schemas('listSkills'),
  handler: async ({ params, query }, reply) =>
    send(reply, await work.listSkills(params.project_name, query.limit)),
});
app.route<{ Params: InProject; Body: BodyOf<'createSkill'> }>({
  ...schemas('createSkill'),
  handler: async ({ params, body }, reply) =>
    send(reply, await work.createSkill(params.project_name, body)),
});
app.route<{ Params: InProject & { agent_name: string }; Body: BodyOf<'updateAgent'> }>({
  ...schemas('updateAgent'),
  handler: async ({ params, body }, reply) =>
    send(reply, await work.updateAgent(params.project_name, params.agent_name, body)),
});

const { host, port } = readConfig(process.env);
await app.listen({ host, port });
sayThatItListens(app.server.address());

function send(reply: FastifyReply, { status, body, location }: Answer): FastifyReply {
  if (location) reply.header('Location', location);
  return reply.status(status).send(body);
}
