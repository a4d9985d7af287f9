import { cutText, nestsDeeperThan } from 'roster-prediction/text';
import { asRecord, type JsonRecord } from '../../../contract/json-record.js';
import { replaceUnstorable } from '../chat/answer-reader.js';
import { ToolError } from '../tools/tool.js';
import { encodeHeader } from './wire.js';

/** A tool as its server defines it, within bounds. Its texts are the server's. */
export interface ServerTool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema that describes an object. */
  readonly parameters: JsonRecord;
  readonly mirrored: readonly MirroredParam[];
}

/** A parameter whose value stands in a header, too. */
interface MirroredParam {
  readonly header: string;
  /** The names of the members that lead to it. */
  readonly path: readonly string[];
}

const MAX_NAME = 128;
const MAX_DESCRIPTION = 2000;
const MAX_SCHEMA_BYTES = 16 * 1024;
const MAX_SCHEMA_DEPTH = 32;
const MAX_MIRRORED = 20;
const MAX_MIRRORED_BYTES = 8 * 1024;

/** Characters that cannot be seen, or turn the order of others: instructions are hidden in them. */
const INVISIBLE = /[\p{Cc}\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/**
 * Reads the definition of a tool. References to other documents are not followed.
 * @returns why the tool cannot be used, without words of the server, if it cannot
 */
export function readTool(name: string, value: unknown): ServerTool | string {
  const { description, inputSchema } = asRecord(value);
  if (name === '' || name.length > MAX_NAME) return `its name is not of 1 to ${MAX_NAME} characters`;
  if (nestsDeeperThan(MAX_SCHEMA_DEPTH, inputSchema)) {
    return `its inputSchema has more than ${MAX_SCHEMA_DEPTH} levels`;
  }
  const parameters = asRecord(inputSchema);
  if (parameters['type'] !== 'object') return 'its inputSchema does not describe an object';
  if (Buffer.byteLength(JSON.stringify(parameters)) > MAX_SCHEMA_BYTES) {
    return `its inputSchema has more than ${MAX_SCHEMA_BYTES} bytes`;
  }
  const mirrored = findMirrored(parameters);
  if (!mirrored) return `its inputSchema has an ${ANNOTATION} that the protocol does not allow`;
  const about = typeof description === 'string' ? cutText(description, MAX_DESCRIPTION) : '';
  const visible = replaceUnstorable(about).replace(INVISIBLE, ' ');
  return { name, description: visible, parameters, mirrored };
}

const ANNOTATION = 'x-mcp-header';
/** Keywords whose values are data and no schemas. */
const DATA = new Set(['const', 'default', 'enum', 'examples', 'example']);
const PRIMITIVE = new Set<unknown>(['string', 'integer', 'boolean']);

/** Finds what is annotated; undefined if one is not as the protocol allows it. */
function findMirrored(parameters: JsonRecord): MirroredParam[] | undefined {
  const found: (MirroredParam | undefined)[] = [];
  const visit = (schema: unknown, path: readonly string[] | undefined) => {
    if (Array.isArray(schema)) {
      for (const one of schema) visit(one, undefined);
      return;
    }
    const members = asRecord(schema);
    if (ANNOTATION in members) found.push(readAnnotation(members, path));
    for (const [keyword, value] of Object.entries(members)) {
      if (keyword === 'properties') {
        for (const [name, property] of Object.entries(asRecord(value))) {
          visit(property, path && [...path, name]);
        }
      } else if (!DATA.has(keyword)) visit(value, undefined);
    }
  };
  visit(parameters, []);
  const valid = found.filter((one) => one !== undefined);
  const headers = new Set(valid.map(({ header }) => header.toLowerCase()));
  return headers.size < found.length || found.length > MAX_MIRRORED ? undefined : valid;
}

function readAnnotation(schema: JsonRecord, path: readonly string[] | undefined): MirroredParam | undefined {
  const header = schema[ANNOTATION];
  const isToken = typeof header === 'string' && /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(header);
  return isToken && path?.length && PRIMITIVE.has(schema['type']) ? { header, path } : undefined;
}

/**
 * Returns the headers that repeat arguments of a call.
 * @throws {ToolError} if they are too long together
 */
export function mirrorArguments(
  { mirrored }: Pick<ServerTool, 'mirrored'>,
  input: JsonRecord,
): Readonly<Record<string, string>> {
  const headers = mirrored.flatMap(({ header, path }) => {
    const value = path.reduce<unknown>((parent, name) => {
      const members = asRecord(parent);
      return Object.hasOwn(members, name) ? members[name] : undefined;
    }, input);
    const isText = typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value);
    return isText ? [[`Mcp-Param-${header}`, encodeHeader(String(value))] as const] : [];
  });
  const length = headers.reduce((sum, [, value]) => sum + value.length, 0);
  if (length <= MAX_MIRRORED_BYTES) return Object.fromEntries(headers);
  const params = mirrored.map(({ path }) => path.join('.')).join(', ');
  throw new ToolError(
    `The values of ${params} are longer than ${MAX_MIRRORED_BYTES} bytes together; send shorter ones.`,
  );
}
