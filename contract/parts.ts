import { isObject, type JsonRecord } from './json-record.js';
import { escapeToken, referenceIn, targetOf, valueAt } from './pointer.js';

/** The kind of a part of the document, in the terms of OpenAPI 3.1, section 4.8. */
export type Kind =
  | 'document'
  | 'components'
  | 'path'
  | 'operation'
  | 'parameter'
  | 'body'
  | 'response'
  | 'media'
  | 'example'
  | 'link'
  | 'schema'
  | 'other';

/** A part of the document, and where it stands. */
export interface Part {
  readonly kind: Kind;
  readonly pointer: string;
  readonly value: JsonRecord;
}

/** A fault at a part of the document. */
export interface FaultyPart {
  /** A JSON pointer (RFC 6901); if nothing stands there, what it would stand in is at fault. */
  readonly pointer: string;
  readonly message: string;
  /** The remedy, where the message does not say it. */
  readonly remedy?: string;
}

/** The kind of value under a key: a part, a list or map of parts, or data, which is not checked. */
type Member = Kind | 'data' | readonly [each: Kind];

/** The methods of operations, by which a path names them. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

const SCHEMA = 'schema';
const EACH_SCHEMA: Member = ['schema'];
const EACH_PARAMETER: Member = ['parameter'];
const EACH_EXAMPLE: Member = ['example'];
const EACH_PATH: Member = ['path'];

/** Other keys are of kind `other`, as everything in them but data: only their references are checked. */
const MEMBERS: Readonly<Record<Kind, Readonly<Record<string, Member>>>> = {
  document: { paths: EACH_PATH, webhooks: EACH_PATH, components: 'components' },
  components: {
    schemas: EACH_SCHEMA,
    parameters: EACH_PARAMETER,
    headers: EACH_PARAMETER,
    requestBodies: ['body'],
    responses: ['response'],
    examples: EACH_EXAMPLE,
    links: ['link'],
    pathItems: EACH_PATH,
    securitySchemes: ['other'],
  },
  path: {
    parameters: EACH_PARAMETER,
    ...Object.fromEntries(METHODS.map((method): [string, Member] => [method, 'operation'])),
  },
  operation: { parameters: EACH_PARAMETER, requestBody: 'body', responses: ['response'] },
  // A header is a parameter without a name.
  parameter: { schema: SCHEMA, content: ['media'], example: 'data', examples: EACH_EXAMPLE },
  body: { content: ['media'] },
  response: { headers: EACH_PARAMETER, content: ['media'], links: ['link'] },
  media: { schema: SCHEMA, example: 'data', examples: EACH_EXAMPLE },
  example: { value: 'data' },
  link: { parameters: 'data', requestBody: 'data' },
  // JSON Schema 2020-12, Core, section 10, and Validation, sections 6 and 9.
  schema: {
    $defs: EACH_SCHEMA,
    allOf: EACH_SCHEMA,
    anyOf: EACH_SCHEMA,
    oneOf: EACH_SCHEMA,
    not: SCHEMA,
    if: SCHEMA,
    // biome-ignore lint/suspicious/noThenProperty: the keyword is called so.
    then: SCHEMA,
    else: SCHEMA,
    dependentSchemas: EACH_SCHEMA,
    prefixItems: EACH_SCHEMA,
    items: SCHEMA,
    contains: SCHEMA,
    properties: EACH_SCHEMA,
    patternProperties: EACH_SCHEMA,
    additionalProperties: SCHEMA,
    propertyNames: SCHEMA,
    unevaluatedItems: SCHEMA,
    unevaluatedProperties: SCHEMA,
    contentSchema: SCHEMA,
    'x-roster-line': SCHEMA,
    'x-roster-event': SCHEMA,
    'x-roster-members-of-type': EACH_SCHEMA,
    const: 'data',
    enum: 'data',
    default: 'data',
    example: 'data',
    examples: 'data',
  },
  other: { const: 'data', enum: 'data', default: 'data', example: 'data', value: 'data' },
};

interface Walk {
  /** Where to begin; the whole document by default. */
  readonly roots?: readonly Part[];
  /** Whether to visit what references lead to, too, and each part once. */
  readonly followsReferences?: boolean;
}

/** Returns the parts of a document, in its order. */
export function listParts(document: unknown, { roots, followsReferences = false }: Walk = {}): Part[] {
  const parts: Part[] = [];
  const visited = new Set<string>();
  const visit = (member: Member, value: unknown, pointer: string): void => {
    if (!isObject(value) || member === 'data') return;
    const isPart = typeof member === 'string';
    if (isPart && followsReferences) {
      if (visited.has(pointer)) return;
      visited.add(pointer);
    }
    if (isPart) parts.push({ kind: member, pointer, value });
    for (const key of Object.keys(value)) {
      const child = value[key];
      if (!isObject(child)) continue;
      visit(isPart ? findMember(member, key) : member[0], child, `${pointer}/${escapeToken(key)}`);
    }
    const reference = isPart && followsReferences ? referenceIn(value) : undefined;
    if (reference === undefined) return;
    const target = targetOf(reference);
    visit(member, valueAt(document, target), target);
  };
  if (!roots) visit('document', document, '');
  for (const { kind, pointer, value } of roots ?? []) visit(kind, value, pointer);
  return parts;
}

/** Returns the pointers of the parts of a document: there, keys are keywords; elsewhere, they are names or data. */
export function partPointers(document: unknown): ReadonlySet<string> {
  return new Set(listParts(document).map(({ pointer }) => pointer));
}

function findMember(kind: Kind, key: string): Member {
  return (Object.hasOwn(MEMBERS[kind], key) ? MEMBERS[kind][key] : undefined) ?? 'other';
}
