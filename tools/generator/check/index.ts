import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as v from 'valibot';
import { ContractError } from '../../../server/contract/contract-error.js';
import { type Document, documentShape } from '../../../server/contract/document-schema.js';
import { exampleFaults } from './examples.js';
import { type Fault, type FaultyPart, lineOf } from './fault.js';
import { type Code, operationFaults } from './operations.js';
import { partsOf } from './parts.js';
import { referenceFaults } from './references.js';
import { messageFaults } from './rule-messages.js';
import { schemaFaults } from './schemas.js';
import { shapeFaults } from './shape-faults.js';
import { readYaml, type Yaml, YamlError } from './yaml.js';

export type { Code, Fault };

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
export function documentOf(source: string, code: Code): Document {
  const { content, faults } = examine(source, code);
  if (faults.length > 0) throw new ContractError(faults.map(lineOf).join('\n'));
  if (!isDocument(content)) throw new ContractError('openapi.yaml:1:1: this is no contract');
  return content;
}

function examine(source: string, code: Code): { content?: unknown; faults: Fault[] } {
  try {
    const yaml = readYaml(source);
    return { content: yaml.content, faults: inOrder(faultyParts(yaml, code).map(yaml.locate)) };
  } catch (error) {
    if (error instanceof YamlError) return { faults: [error.fault] };
    throw error;
  }
}

/** The document itself: what valibot makes of it has other orders of members. */
function isDocument(content: unknown): content is Document {
  return v.is(documentShape, content);
}

function faultyParts({ content }: Yaml, code: Code): FaultyPart[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const parts = partsOf(content);
  const unsound = [...referenceFaults(content, parts), ...schemaFaults(ajv, parts)];
  const faults = [
    ...unsound,
    ...shapeFaults(content),
    ...operationFaults(parts, code),
    ...messageFaults(content),
  ];
  // A faulty schema says nothing about its examples.
  if (unsound.length > 0 || typeof content !== 'object' || content === null) return faults;
  return [...faults, ...exampleFaults(ajv, content, parts)];
}

/** A part that several others refer to is told once. */
function inOrder(faults: readonly Fault[]): Fault[] {
  const told = new Map(faults.map((fault) => [lineOf(fault), fault]));
  return [...told.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}
