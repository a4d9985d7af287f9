import { load, YAMLException } from 'js-yaml';
import * as v from 'valibot';
import { asArray, asRecord, type JsonRecord, parseJson } from '../../contract/json-record.js';
import { listParts } from '../../contract/parts.js';
import { referenceIn, resolve, targetOf, valueAt, writePointer } from '../../contract/pointer.js';
import { refuseAliases } from './aliases.js';
import { joinFiles, type LostReference, type ReadFiles } from './files.js';

/** A version of the contract whose references all resolve. */
export class Contract {
  readonly version: string;
  /** The day from which the version applies, as `2026-11-23`: a sunset up to it has passed. */
  readonly day: string;
  private readonly pointers = new Map<unknown, string>();
  private readonly copies = new Map<JsonRecord, Map<string, JsonRecord>>();

  /** @param text the file that the document was read from. */
  constructor(
    readonly document: JsonRecord & { info: { version: string | number } },
    readonly text: string,
    { day }: Pick<Reading, 'day'> = {},
  ) {
    this.version = String(document.info.version);
    this.day = day ?? new Date().toISOString().slice(0, 10);
    for (const { pointer, value } of listParts(document)) {
      if (!this.pointers.has(value)) this.pointers.set(value, pointer);
    }
  }

  /** Returns a component, such as a response or a parameter, and follows a reference. */
  resolve(node: unknown): JsonRecord {
    return resolve(this.document, node);
  }

  target(reference: string): unknown {
    return valueAt(this.document, targetOf(reference));
  }

  /** Returns the JSON pointer to a part of the document. */
  findPointer(part: unknown): string {
    return this.pointers.get(part) ?? '';
  }

  /** Returns a schema without one of its keywords: always the same object, at the same place. */
  without(schema: JsonRecord, keyword: string): JsonRecord {
    const copies = this.copies.get(schema) ?? new Map<string, JsonRecord>();
    this.copies.set(schema, copies);
    const { [keyword]: _, ...rest } = schema;
    const copy = copies.get(keyword) ?? rest;
    copies.set(keyword, copy);
    this.pointers.set(copy, this.findPointer(schema));
    return copy;
  }
}

/** Returns an object's own member: `constructor` is a name like any other. */
export function member(record: unknown, name: string): unknown {
  return Object.hasOwn(asRecord(record), name) ? asRecord(record)[name] : undefined;
}

/** Returns the members of an object; empty for any other value. */
export function members(record: unknown): [string, unknown][] {
  return Array.isArray(record) ? [] : Object.entries(asRecord(record));
}

/** Returns the texts among the elements of an array. */
export function texts(value: unknown): string[] {
  return asArray(value).filter((element) => typeof element === 'string');
}

/** A version of the contract cannot be compared; the message names the version, the place and the reason. */
export class ContractFault extends Error {}

const object = v.record(v.string(), v.unknown());
const shape = v.looseObject({
  openapi: v.pipe(v.string(), v.startsWith('3.', 'is not 3.x')),
  // YAML reads `version: 1.0` as a number.
  info: v.looseObject({ version: v.union([v.string(), v.number()], 'is neither text nor a number') }),
  paths: v.optional(v.record(v.pipe(v.string(), v.startsWith('/')), object)),
  components: v.optional(v.record(v.string(), object)),
});

/** How a contract is read. */
export interface Reading {
  /** Reads the files that the contract refers to; without it, references to other files are faults. */
  readonly read?: ReadFiles | undefined;
  /** The day from which the version applies, as `2026-11-23`; today by default. */
  readonly day?: string | undefined;
}

/**
 * Parses a version of the contract.
 * @param text YAML or JSON
 * @param name the name of the version in error messages, such as `openapi.yaml at main`.
 * @throws {ContractFault} if it is neither YAML nor JSON, not an OpenAPI 3 document, or has a reference that does not
 * resolve.
 */
export function readContract(text: string, name: string, { read, day }: Reading = {}): Contract {
  const document = loadDocument(text, name);
  const checked = v.safeParse(shape, document);
  if (!checked.success) {
    const [issue] = checked.issues;
    const at = writePointer((issue.path ?? []).map(({ key }) => String(key)));
    throw new ContractFault(`${name}: ${at || 'the document'}: ${issue.message}`);
  }
  const lost = read && joinFiles(checked.output, read, (inner, path) => loadDocument(inner, `${path} of ${name}`));
  const broken = lost ?? brokenReference(checked.output);
  if (broken) {
    const line = findLine(text, broken.reference);
    throw new ContractFault(`${name}${line}: ${broken.pointer}: $ref ${broken.reference} ${broken.reason}`);
  }
  return new Contract(checked.output, text, { day });
}

/**
 * Parses YAML or JSON.
 * @param name the name of the file in error messages
 * @throws {ContractFault} if it is neither, or has an alias that leads back to itself, or aliases for too much
 */
export function loadDocument(text: string, name: string): unknown {
  try {
    const document = load(text);
    refuseAliases(document);
    return document;
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    // JSON may be indented with tabs, unlike YAML.
    const json = parseJson(text);
    if (json !== undefined) return json;
    const line = cause.mark ? `, line ${cause.mark.line + 1}` : '';
    throw new ContractFault(`${name}${line}: ${cause.reason}`, { cause });
  }
}

/** Returns the line of a broken reference, found by its text. */
function findLine(text: string, reference: string): string {
  const index = text.indexOf(reference);
  return index < 0 ? '' : `, line ${text.slice(0, index).split('\n').length}`;
}

/** Returns the first `$ref` that leads out of the document, to nothing, or round in a circle. */
function brokenReference(document: JsonRecord): LostReference | undefined {
  for (const { pointer, value } of listParts(document)) {
    const reference = referenceIn(value);
    const reason = reference !== undefined && reasonAgainst(document, reference);
    if (reason) return { pointer: `${pointer}/$ref`, reference, reason };
  }
  return undefined;
}

function reasonAgainst(document: JsonRecord, reference: string): string | undefined {
  const passed = new Set<string>();
  for (let next: string | undefined = reference; next !== undefined; ) {
    if (!next.startsWith('#/')) return 'leads to another file, and no files were given';
    if (passed.has(next)) return 'leads back to itself';
    passed.add(next);
    const target = valueAt(document, targetOf(next));
    if (target === undefined) return 'leads to nothing';
    next = referenceIn(target);
  }
  return undefined;
}
