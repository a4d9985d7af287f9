import type { FaultyPart } from '../generator/check/fault.js';
import { faultyParts, type RuledFault } from '../generator/check/index.js';
import type { Contract } from './contract/contract.js';
import type { Pair } from './schema/comparison.js';

/** Schemas of OpenAPI 3.0 are of another dialect than the check of examples knows. */
const CHECKED = /^3\.[1-9]/;

const EXAMPLES = /"(?:examples?|default)":/;

/** Returns the examples and defaults that are invalid in the new version, and were not so in the old one. */
export function newlyInvalidExamples({ before, after }: Pair<Contract>): FaultyPart[] {
  const invalid = invalidExamples(after);
  if (invalid.length === 0) return [];
  const known = new Set(invalidExamples(before).map(({ pointer }) => pointer));
  return invalid.filter(({ pointer }) => !known.has(pointer));
}

function invalidExamples({ document }: Contract): FaultyPart[] {
  if (!CHECKED.test(String(document['openapi']))) return [];
  if (!EXAMPLES.test(JSON.stringify(document))) return [];
  const faults = faultsOf(document).filter(({ rule }) => rule === 'example');
  return [...new Map(faults.map((fault) => [fault.pointer, fault])).values()];
}

/** Finds what is wrong with a document. A schema that the validator cannot compile says nothing about its examples. */
function faultsOf(document: unknown): RuledFault[] {
  try {
    return faultyParts(document, { handlers: undefined });
  } catch {
    return [];
  }
}
