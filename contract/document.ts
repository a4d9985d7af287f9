import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CHECKED_CONTRACT, CONTRACT_AS_JSON } from '../generated/contract.js';
import { ContractError, type Document, listProblems, type Pool, type ProblemKind } from './document-schema.js';
import type { JsonRecord } from './json-record.js';
import { listOperations, type Operation } from './operations.js';
import { resolve } from './pointer.js';
import { findRuleMessages } from './rule-messages.js';

export type { Document, Operation, Pool, ProblemKind };

export interface Contract {
  /** The text of the file. */
  readonly source: string;
  readonly document: Document;
  readonly operations: readonly Operation[];
  readonly problems: ReadonlyMap<string, ProblemKind>;
  /** The messages of rules (`x-roster-message`), by the rule. */
  readonly messages: ReadonlyMap<string, string>;
  /**
   * Returns the schemas that a schema stands for: itself with references resolved, and the branches
   * of its `oneOf`.
   */
  readonly alternatives: (schema: unknown) => JsonRecord[];
}

/**
 * Reads the contract from its file. This must be the file that the server was built from: it was
 * checked then, and its JSON is part of the build.
 * @throws {ContractError} if the file differs or cannot be read
 */
export function readContract(file: URL | string): Contract {
  let source: string;
  try {
    source = readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ContractError(`openapi.yaml: ${reason}`, { cause });
  }
  const document = builtDocument(source);
  if (document) return createContract(source, document);
  throw new ContractError('openapi.yaml is not what the service was built from: npm run generate, then npm run build');
}

/**
 * Returns the document of the contract that was checked and built, whose shape code generation checked; undefined for
 * any other text.
 */
export function builtDocument(source: string): Document | undefined {
  return hash('sha256', source) === CHECKED_CONTRACT ? JSON.parse(CONTRACT_AS_JSON) : undefined;
}

/** Returns the contract of a checked document, with the parts that the server needs. */
export function createContract(source: string, document: Document): Contract {
  const resolved = new Map<unknown, JsonRecord[]>();
  return {
    source,
    document,
    operations: listOperations(document),
    problems: listProblems(document),
    messages: new Map(findRuleMessages(document).map(({ rule, message }) => [rule, message])),
    alternatives: (schema) => {
      const alternatives = resolved.get(schema) ?? listAlternatives(document, schema);
      resolved.set(schema, alternatives);
      return alternatives;
    },
  };
}

function listAlternatives(document: Document, schema: unknown): JsonRecord[] {
  const keywords = resolve(document, schema);
  const branches = Array.isArray(keywords['oneOf']) ? keywords['oneOf'] : [];
  return [keywords, ...branches.flatMap((branch) => listAlternatives(document, branch))];
}
