import type { FastifyReply } from 'fastify';
import { readConfig } from '../../../server/config.js';
import { fastifyApp, routeOf } from './fastify-app.js';
import { openStore, sayThatItListens } from './serve.js';
import { type Answer, type BodyOf, Work } from './work.js';

/** Fastify with the contract's schemas, compiled for what it is sent and for what it answers. */
const work = new Work(await openStore());
const app = fastifyApp();

interface InProject {
  readonly project_name: string;
}

app.route<{ Params: InProject & { skill_name: string } }>({
  ...routeOf('getSkill'),
  handler: async ({ params }, reply) =>
    send(reply, await work.getSkill(params.project_name, params.skill_name)),
});
app.route<{ Params: InProject; Querystring: { limit?: number } }>({
  ...routeOf('listSkills'),
  handler: async ({ params, query }, reply) =>
    send(reply, await work.listSkills(params.project_name, query.limit)),
});
app.route<{ Params: InProject; Body: BodyOf<'createSkill'> }>({
  ...routeOf('createSkill'),
  handler: async ({ params, body }, reply) =>
    send(reply, await work.createSkill(params.project_name, body)),
});
app.route<{ Params: InProject & { agent_name: string }; Body: BodyOf<'updateAgent'> }>({
  ...routeOf('updateAgent'),
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
