import * as v from 'valibot';
import { asRecord, type JsonRecord } from './json-record.js';
import { SCOPES } from './scopes.js';

/** The contract has faults; the message lists them, one per line. */
export class ContractError extends Error {}

/** The pools of requests that share limits (`x-roster-pool`); most operations are in `requests`. */
const POOLS = ['requests', 'predictions', 'tables', 'answers', 'oauth'] as const;
export type Pool = (typeof POOLS)[number];

const media = v.record(v.string(), v.looseObject({}));
const response = v.looseObject({ content: v.optional(media) });
const parameter = v.union([v.looseObject({ $ref: v.string() }), v.looseObject({ name: v.string(), in: v.string() })]);
const scopes = v.pipe(v.array(v.picklist(SCOPES)), v.maxLength(1));
const inEitherHeader = [v.strictObject({ apiKey: scopes }), v.strictObject({ apiKeyHeader: scopes })] as const;
const operation = v.looseObject({
  operationId: v.string(),
  // No requirement opens the operation to all; one without a scope, to any key. With two scopes, a key needs either.
  security: v.union(
    [v.strictTuple([]), v.strictTuple(inEitherHeader), v.strictTuple([...inEitherHeader, ...inEitherHeader])],
    `is not [] or [{ apiKey: [SCOPE] }, { apiKeyHeader: [SCOPE] }], with a scope of ${SCOPES.join(', ')}`,
  ),
  'x-roster-pool': v.optional(v.picklist(POOLS)),
  'x-roster-json-rpc': v.optional(v.literal(true)),
  'x-roster-oauth': v.optional(v.literal(true)),
  parameters: v.optional(v.array(parameter)),
  requestBody: v.optional(
    v.looseObject({
      content: media,
      'x-roster-max-body': v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
      'x-roster-deferred-body': v.optional(v.literal(true)),
      'x-roster-raw-json': v.optional(v.literal(true)),
    }),
  ),
  responses: v.record(v.string(), response),
});

/** The shape that the server requires of the contract, beyond the rules of `npm run lint:spec`. */
export const documentShape = v.looseObject({
  info: v.looseObject({ version: v.string() }),
  paths: v.record(
    v.pipe(v.string(), v.startsWith('/')),
    v.looseObject({
      get: v.optional(operation),
      put: v.optional(operation),
      post: v.optional(operation),
      delete: v.optional(operation),
    }),
  ),
  tags: v.optional(v.array(v.looseObject({ name: v.string(), description: v.string() }))),
  components: v.looseObject({ schemas: v.record(v.string(), v.looseObject({ description: v.string() })) }),
});

export type Document = v.InferOutput<typeof documentShape>;

export interface ProblemKind {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** Two paragraphs: the cause, and how to fix it. */
  readonly description: string;
}

export function listProblems(document: Document): Map<string, ProblemKind> {
  const problems = new Map<string, ProblemKind>();
  for (const schema of Object.values(document.components.schemas).filter(isProblem)) {
    const { type, title, status } = asRecord(schema['properties']);
    const kind = {
      type: String(asRecord(type)['const']),
      title: String(asRecord(title)['const']),
      status: Number(asRecord(status)['const']),
      description: schema.description,
    };
    problems.set(kind.type, kind);
  }
  return problems;
}

/** Returns whether a schema is that of a problem: it fixes the type. */
export function isProblem(schema: JsonRecord): boolean {
  const type = asRecord(asRecord(schema['properties'])['type'])['const'];
  return typeof type === 'string' && type.startsWith('/problems/');
}
