import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as v from 'valibot';
import { ContractError, type Document, documentShape } from '../document-schema.js';
import { type FaultyPart, listParts } from '../parts.js';
import { type Fault, readYaml, YamlError } from '../yaml.js';
import { exampleFaults } from './examples.js';
import { type Code, operationFaults } from './operations.js';
import { referenceFaults } from './references.js';
import { messageFaults, schemaFaults, shapeFaults } from './schemas.js';
import { sunsetFaults } from './sunsets.js';

export type { Code, Fault };

/** The subject of a fault. */
type Rule = 'reference' | 'schema' | 'shape' | 'operation' | 'rule-message' | 'sunset' | 'example';

/** A fault, and the rule that finds it. */
export interface RuledFault extends FaultyPart {
  readonly rule: Rule;
}

/** A fault as one line, in the form that editors and terminals lead to the place from. */
function writeLine({ message, line, column }: Fault): string {
  return `openapi.yaml:${line}:${column}: ${message}`;
}

/**
 * Finds all that is wrong with the contract, in the order of the file; nothing, if the service and its
 * clients can be made from it. How it reads, and what it promises, `npm run lint:spec` looks at as well.
 */
export function checkContract(source: string, code: Code): Fault[] {
  return examine(source, code).faults;
}

/**
 * The document that the contract is.
 * @throws {ContractError} with a line for each fault, if it has any
 */
export function readDocument(source: string, code: Code): Document {
  const { content, faults } = examine(source, code);
  if (faults.length > 0) throw new ContractError(faults.map(writeLine).join('\n'));
  if (!isDocument(content)) throw new ContractError('openapi.yaml:1:1: this is not a contract');
  return content;
}

function examine(source: string, code: Code): { content?: unknown; faults: Fault[] } {
  try {
    const { content, locate } = readYaml(source);
    const faults = faultyParts(content, code).map(({ pointer, message, remedy }) => ({
      ...locate(pointer),
      message: [message, remedy].filter(Boolean).join('; '),
    }));
    return { content, faults: inOrderWithoutRepeats(faults) };
  } catch (error) {
    if (error instanceof YamlError) return { faults: [error.fault] };
    throw error;
  }
}

/** The document itself: what valibot makes of it has other orders of members. */
function isDocument(content: unknown): content is Document {
  return v.is(documentShape, content);
}

/** Knows the schema of schemas, and keeps nothing of those that it looks at. */
const schemas = newAjv({});

/** Finds all that is wrong with a document, by its parts. */
export function faultyParts(content: unknown, code: Code): RuledFault[] {
  const parts = listParts(content);
  const unsound = [
    ...ruled('reference', referenceFaults(content, parts, code)),
    ...ruled('schema', schemaFaults(schemas, parts)),
  ];
  const faults = [
    ...unsound,
    ...ruled('shape', shapeFaults(content)),
    ...ruled('operation', operationFaults(parts, code)),
    ...ruled('rule-message', messageFaults(content)),
  ];
  // A faulty schema says nothing about its examples, and a faulty reference leads nowhere.
  if (unsound.length > 0 || typeof content !== 'object' || content === null) return faults;
  return [
    ...faults,
    ...ruled('sunset', sunsetFaults(content, parts)),
    ...ruled('example', exampleFaults(newAjv({ validateSchema: false }), content, parts)),
  ];
}

function newAjv(options: Options): Ajv2020 {
  // Each schema meets few examples: code that is quick to make is better here than code that is quick.
  const quick: Options = { code: { optimize: false }, inlineRefs: false };
  const ajv = new Ajv2020({ strict: false, allErrors: true, ...quick, ...options });
  addFormats.default(ajv);
  return ajv;
}

function ruled(rule: Rule, faults: readonly FaultyPart[]): RuledFault[] {
  return faults.map((fault) => ({ ...fault, rule }));
}

/** Sorts faults by place. A missing part that several references lead to is reported once. */
function inOrderWithoutRepeats(faults: readonly Fault[]): Fault[] {
  const byLine = new Map(faults.map((fault) => [writeLine(fault), fault]));
  return [...byLine.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}
