import { ContractError, type Document } from '../../contract/document-schema.js';
import { listOperations, type Operation } from '../../contract/operations.js';

/**
 * Returns the client's module of media types: the operations whose body, answer or error differs from what the client
 * sends and reads by default, which is JSON, JSON, and a problem. It is short, because each page that uses the client
 * loads it.
 *
 * @throws {ContractError} if operations of one first segment have errors of two protocols
 */
export function mediaTypesModule(document: Document): string {
  const operations = listOperations(document);
  const sends = groupBy(operations, findBody);
  const reads = groupBy(operations, findAnswer);
  const isForeign = ({ faultType }: Operation) => faultType !== 'application/problem+json';
  const foreign = new Set(operations.filter(isForeign).map(firstSegment));
  const other = operations.find((operation) => !isForeign(operation) && foreign.has(firstSegment(operation)));
  if (other) {
    throw new ContractError(
      `openapi.yaml: ${other.id} answers 400 with a problem, and other operations below /${firstSegment(other)} do not; choose one, because the client knows them by this segment`,
    );
  }
  return `/** Made by \`npm run generate\` from openapi.yaml: do not edit. */

/** The operations whose body is not JSON, by its media type. */
export const SENDS = ${JSON.stringify(sends)} as const;

/** The operations whose answer is never JSON, by how it is read. */
export const READS = ${JSON.stringify(reads)} as const;

/** The first segments of the addresses whose errors are those of another protocol, not problems. */
export const FOREIGN_ERRORS: readonly unknown[] = ${JSON.stringify([...foreign])};
`;
}

const firstSegment = ({ path }: Operation) => path.split('/')[1] ?? '';

const keyOf = ({ method, path }: Operation) => `${method.toUpperCase()} ${path}`;

function groupBy(
  operations: readonly Operation[],
  find: (operation: Operation) => string | undefined,
): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const operation of operations) {
    const group = find(operation);
    if (group !== undefined) groups[group] = [...(groups[group] ?? []), keyOf(operation)];
  }
  return groups;
}

function findBody({ consumes }: Operation): string | undefined {
  return consumes.includes('application/json') ? undefined : consumes[0];
}

function findAnswer({ produces }: Operation): 'text' | 'blob' | 'stream' | undefined {
  if (produces.length === 0 || produces.includes('application/json')) return undefined;
  if (produces.includes('text/event-stream')) return 'stream';
  return produces.every((type) => type.startsWith('text/')) ? 'text' : 'blob';
}
