import { z } from 'zod';
import { SCOPES } from './scopes.js';

/** The pools of requests that share limits (`x-roster-pool`); most operations are in `requests`. */
const POOLS = ['requests', 'predictions', 'tables'] as const;
export type Pool = (typeof POOLS)[number];

const media = z.record(z.string(), z.looseObject({}));
const response = z.looseObject({ content: media.optional() });
const parameter = z.union([
  z.looseObject({ $ref: z.string() }),
  z.looseObject({ name: z.string(), in: z.string() }),
]);
const operation = z.looseObject({
  operationId: z.string(),
  // No requirement opens the operation to all; one without a scope, to any key.
  security: z.array(z.strictObject({ apiKey: z.array(z.enum(SCOPES)).max(1) })).max(1),
  'x-roster-pool': z.enum(POOLS).optional(),
  parameters: z.array(parameter).optional(),
  requestBody: z
    .looseObject({
      content: media,
      'x-roster-max-body': z.int().positive().optional(),
      'x-roster-deferred-body': z.literal(true).optional(),
    })
    .optional(),
  responses: z.record(z.string(), response),
});

/** The shape that the server requires of the contract, beyond the rules of `npm run lint:spec`. */
export const documentShape = z.looseObject({
  paths: z.record(
    z.string().startsWith('/'),
    z.looseObject({
      get: operation.optional(),
      put: operation.optional(),
      post: operation.optional(),
      delete: operation.optional(),
    }),
  ),
  components: z.looseObject({
    schemas: z.record(z.string(), z.looseObject({ description: z.string() })),
  }),
});

export type Document = z.infer<typeof documentShape>;

/** The shape that a problem's schema must have. */
export const problemShape = z.looseObject({
  description: z.string(),
  properties: z.looseObject({
    type: z.looseObject({ const: z.string().startsWith('/problems/') }),
    title: z.looseObject({ const: z.string() }),
    status: z.looseObject({ const: z.int().min(400).max(599) }),
  }),
});
