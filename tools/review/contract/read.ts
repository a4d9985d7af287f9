import { load, YAMLException } from 'js-yaml';
import { z } from 'zod';
import { escapeToken } from '../../../server/contract/json-pointer.js';
import { Contract } from './contract.js';
import { brokenReference } from './references.js';

/** A version of the contract cannot be compared; the message names the version, the place and the reason. */
export class ContractFault extends Error {}

const object = z.record(z.string(), z.unknown());
const shape = z.looseObject({
  openapi: z.string().startsWith('3.', 'is not 3.x'),
  info: z.looseObject({ version: z.string('is no text') }),
  paths: z.record(z.string().startsWith('/'), object).optional(),
  components: z.record(z.string(), object).optional(),
});

/**
 * Parses a version of the contract.
 * @param name the name of the version in error messages, such as `openapi.yaml at main`.
 * @throws {ContractFault} if it is not YAML, not an OpenAPI 3 document, or has a reference that does not
 * resolve.
 */
export function readContract(text: string, name: string): Contract {
  const document = loadYaml(text, name);
  const checked = shape.safeParse(document);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const at = (issue?.path ?? []).map((step) => `/${escapeToken(String(step))}`).join('');
    throw new ContractFault(`${name}: ${at || 'the document'}: ${issue?.message}`);
  }
  const broken = brokenReference(checked.data);
  if (broken) {
    const line = lineOf(text, broken.reference);
    throw new ContractFault(
      `${name}${line}: ${broken.pointer}: $ref ${broken.reference} ${broken.reason}`,
    );
  }
  return new Contract(checked.data);
}

function loadYaml(text: string, name: string): unknown {
  try {
    return load(text);
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    const line = cause.mark ? `, line ${cause.mark.line + 1}` : '';
    throw new ContractFault(`${name}${line}: ${cause.reason}`, { cause });
  }
}

/** Returns the line of a broken reference, found by its text. */
function lineOf(text: string, reference: string): string {
  const index = text.indexOf(reference);
  return index < 0 ? '' : `, line ${text.slice(0, index).split('\n').length}`;
}
