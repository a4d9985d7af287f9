import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';
import { SCOPES } from '../callers/caller.js';
import { valueAt } from './json-pointer.js';
import { asRecord, type JsonRecord } from './record.js';

const METHODS = ['get', 'put', 'post', 'delete'] as const;

const media = z.record(z.string(), z.unknown());
const response = z.looseObject({ content: media.optional() });
const parameter = z.union([
  z.object({ $ref: z.string() }),
  z.looseObject({ name: z.string(), in: z.string() }),
]);
const operation = z.looseObject({
  operationId: z.string(),
  security: z.array(z.object({ apiKey: z.tuple([z.enum(SCOPES)]) })).max(1),
  parameters: z.array(parameter).optional(),
  requestBody: z
    .looseObject({
      content: media,
      'x-roster-max-body': z.int().positive().optional(),
      'x-roster-reads-later': z.literal(true).optional(),
    })
    .optional(),
  responses: z.record(z.string(), response),
});
const document = z.looseObject({
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
const problemSchema = z.looseObject({
  description: z.string(),
  properties: z.looseObject({
    type: z.object({ const: z.string().startsWith('/problems/') }),
    title: z.object({ const: z.string() }),
    status: z.object({ const: z.int().min(400).max(599) }),
  }),
});

export type Document = z.infer<typeof document>;
export type Method = (typeof METHODS)[number];

/** What the router has to know of an operation. */
export interface Operation {
  readonly id: string;
  readonly method: Method;
  /** As the contract writes it: `/projects/{project_name}`. */
  readonly path: string;
  /** The media types of the body; none, if the operation takes no body. */
  readonly consumes: readonly string[];
  /** The media types of the successful answers; none, if they have no body. */
  readonly produces: readonly string[];
  /** A limit of the body's bytes that is the operation's own; infinite, if it has none. */
  readonly maxBody: number;
  /** Whether the body is handed to the operation unread, whatever its media type, and not looked into before. */
  readonly readsLater: boolean;
  /** The schema of a JSON body, if the operation takes one. */
  readonly bodySchema: unknown;
  /** The scope that a key needs; none, if the operation is open to all. */
  readonly scope: (typeof SCOPES)[number] | undefined;
  /** The headers of the request that the operation heeds. */
  readonly headers: readonly string[];
  /** The parameters of the query that are numbers, by name. */
  readonly numericQuery: ReadonlyMap<string, 'integer' | 'number'>;
}

/** A kind of problem, as its schema tells it. */
export interface ProblemKind {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** What happened and how to mend it: two paragraphs. */
  readonly description: string;
}

/** The contract, as the server reads it. */
export interface Contract {
  /** The file, as it was read. */
  readonly source: string;
  readonly document: Document;
  readonly operations: readonly Operation[];
  readonly problems: ReadonlyMap<string, ProblemKind>;
  /** What to say of a value that breaks a rule (`x-roster-says`), by the rule. */
  readonly says: ReadonlyMap<string, string>;
  /** What a schema may stand for: itself, where references are followed, and the branches of its `oneOf`. */
  readonly alternatives: (schema: unknown) => JsonRecord[];
}

/** The contract has a fault; the message says where. */
export class ContractError extends Error {}

/**
 * Reads the contract from its file.
 * @throws {ContractError} if it is not YAML, or not of the shape that the server needs.
 */
export function readContract(file: URL | string): Contract {
  const { source, content } = loadYaml(file);
  const parsed = document.safeParse(content);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ContractError(`openapi.yaml: ${issue?.path.join(' › ')}: ${issue?.message}`);
  }
  const resolved = new Map<unknown, JsonRecord[]>();
  return {
    source,
    document: parsed.data,
    operations: operationsOf(parsed.data),
    problems: problemsOf(parsed.data),
    says: saysOf(parsed.data),
    alternatives: (schema) => {
      const alternatives = resolved.get(schema) ?? alternativesOf(parsed.data, schema);
      resolved.set(schema, alternatives);
      return alternatives;
    },
  };
}

function alternativesOf(document: Document, schema: unknown): JsonRecord[] {
  const { $ref, ...keywords } = asRecord(schema);
  if (typeof $ref === 'string') return alternativesOf(document, valueAt(document, $ref.slice(1)));
  const branches = Array.isArray(keywords['oneOf']) ? keywords['oneOf'] : [];
  return [keywords, ...branches.flatMap((branch) => alternativesOf(document, branch))];
}

function loadYaml(file: URL | string): { source: string; content: unknown } {
  try {
    const source = readFileSync(file, 'utf8');
    return { source, content: load(source) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ContractError(`openapi.yaml: ${reason}`, { cause });
  }
}

function operationsOf(document: Document): Operation[] {
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const definition = item[method];
      if (!definition) continue;
      const { operationId: id, requestBody, responses, security, parameters = [] } = definition;
      if (operations.some((other) => other.id === id)) {
        throw new ContractError(`openapi.yaml: two operations are called ${id}`);
      }
      operations.push({
        id,
        method,
        path,
        consumes: Object.keys(requestBody?.content ?? {}),
        produces: Object.entries(responses)
          .filter(([status]) => status.startsWith('2'))
          .flatMap(([, { content }]) => Object.keys(content ?? {})),
        maxBody: requestBody?.['x-roster-max-body'] ?? Number.POSITIVE_INFINITY,
        readsLater: requestBody?.['x-roster-reads-later'] ?? false,
        bodySchema: asRecord(requestBody?.content['application/json'])['schema'],
        scope: security[0]?.apiKey[0],
        headers: parameters
          .map((parameter) => dereferenced(document, parameter))
          .filter((parameter) => parameter['in'] === 'header')
          .map(({ name }) => String(name)),
        numericQuery: numericQueryOf(document, parameters),
      });
    }
  }
  return operations;
}

function numericQueryOf(document: Document, parameters: readonly JsonRecord[]) {
  const numeric = new Map<string, 'integer' | 'number'>();
  for (const parameter of parameters) {
    const { name, in: where, schema } = dereferenced(document, parameter);
    const { type } = dereferenced(document, asRecord(schema));
    if (where === 'query' && (type === 'integer' || type === 'number')) {
      numeric.set(String(name), type);
    }
  }
  return numeric;
}

function dereferenced(document: Document, part: JsonRecord): JsonRecord {
  const { $ref } = part;
  return typeof $ref === 'string' ? asRecord(valueAt(document, $ref.slice(1))) : part;
}

function problemsOf(document: Document): Map<string, ProblemKind> {
  const problems = new Map<string, ProblemKind>();
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (!isProblem(schema)) continue;
    const { success, data, error } = problemSchema.safeParse(schema);
    if (!success) {
      const [issue] = error.issues;
      throw new ContractError(
        `openapi.yaml: components › schemas › ${name} › ${issue?.path.join(' › ')}: ${issue?.message}`,
      );
    }
    const { type, title, status } = data.properties;
    problems.set(type.const, {
      type: type.const,
      title: title.const,
      status: status.const,
      description: data.description,
    });
  }
  return problems;
}

function isProblem(schema: JsonRecord): boolean {
  const type = asRecord(asRecord(schema['properties'])['type'])['const'];
  return typeof type === 'string' && type.startsWith('/problems/');
}

/** Collects the contract's own words for its rules, so that no rule is worded twice. */
function saysOf(document: Document): Map<string, string> {
  const says = new Map<string, string>();
  const visit = (node: unknown, name: string): void => {
    if (typeof node !== 'object' || node === null) return;
    const { pattern, type, 'x-roster-says': words } = node as Record<string, unknown>;
    // The words of a choice are about a whole body; they are found beside it.
    if (typeof words === 'string' && !('oneOf' in node)) {
      const rule = typeof pattern === 'string' ? patternRule(pattern) : `${type} ${name}`;
      if ((says.get(rule) ?? words) !== words) {
        throw new ContractError(`openapi.yaml: x-roster-says words one rule in two ways: ${words}`);
      }
      says.set(rule, words);
    }
    for (const [key, child] of Object.entries(node)) visit(child, key);
  };
  visit(document, '');
  return says;
}

/** The key of `says` for a pattern. */
export function patternRule(pattern: string): string {
  return `pattern ${pattern}`;
}

/** The key of `says` for a field that must be null, or not be there. */
export function absenceRule(field: string): string {
  return `null ${field}`;
}
