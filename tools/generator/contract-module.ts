import { hash } from 'node:crypto';
import type { Document } from '../../server/contract/document-schema.js';
import { listOperations } from '../../server/contract/operation.js';

/** Returns the server's module of the contract. */
export function contractModule(source: string, document: Document): string {
  const operations = listOperations(document);
  const deferred = operations.filter(({ defersBody }) => defersBody).map(({ id }) => quoted(id));
  const raw = operations.filter(({ takesRawJson }) => takesRawJson).map(({ id }) => quoted(id));
  return `/** Made by \`npm run generate\` from openapi.yaml: do not edit. */

/** The SHA-256 of the contract, which was checked. */
export const CHECKED_CONTRACT = '${hash('sha256', source)}';

/** The operations that say \`x-roster-deferred-body\`, which the types do not carry over. */
export const DEFERRED_BODIES = [${deferred.join(', ')}] as const;

/** The operations that say \`x-roster-raw-json\`. */
export const RAW_JSON_BODIES = [${raw.join(', ')}] as const;

/** The contract in JSON, which is read in a hundredth of the time that YAML takes. */
export const CONTRACT_AS_JSON =
  ${quoted(JSON.stringify(document))};
`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
