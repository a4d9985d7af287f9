import { load, YAMLException } from 'js-yaml';
import * as v from 'valibot';
import { escapeToken } from '../../../server/contract/json-pointer.js';
import { Contract } from './contract.js';
import { brokenReference } from './references.js';

/** A version of the contract cannot be compared; the message names the version, the place and the reason. */
export class ContractFault extends Error {}

const object = v.record(v.string(), v.unknown());
const shape = v.looseObject({
  openapi: v.pipe(v.string(), v.startsWith('3.', 'is not 3.x')),
  info: v.looseObject({ version: v.string('is no text') }),
  paths: v.optional(v.record(v.pipe(v.string(), v.startsWith('/')), object)),
  components: v.optional(v.record(v.string(), object)),
});

/**
 * Parses a version of the contract.
 * @param name the name of the version in error messages, such as `openapi.yaml at main`.
 * @throws {ContractFault} if it is not YAML, not an OpenAPI 3 document, or has a reference that does not
 * resolve.
 */
export function readContract(text: string, name: string): Contract {
  const document = loadYaml(text, name);
  const checked = v.safeParse(shape, document);
  if (!checked.success) {
    const [issue] = checked.issues;
    const at = (issue.path ?? []).map(({ key }) => `/${escapeToken(String(key))}`).join('');
    throw new ContractFault(`${name}: ${at || 'the document'}: ${issue.message}`);
  }
  const broken = brokenReference(checked.output);
  if (broken) {
    const line = lineOf(text, broken.reference);
    throw new ContractFault(
      `${name}${line}: ${broken.pointer}: $ref ${broken.reference} ${broken.reason}`,
    );
  }
  return new Contract(checked.output, text);
}

function loadYaml(text: string, name: string): unknown {
  try {
    const document = load(text);
    // Throws if an alias leads back to itself.
    JSON.stringify(document);
    return document;
  } catch (cause) {
    if (cause instanceof TypeError) {
      throw new ContractFault(`${name}: an alias leads back to itself`, { cause });
    }
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
