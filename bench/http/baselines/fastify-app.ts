import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { fastify as Fastify, FastifyInstance, FastifyOptions } from 'fastify';
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
