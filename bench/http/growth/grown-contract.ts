import {
  type Contract,
  createContract,
  type Document,
  readContract,
} from '../../../server/contract/document.js';
import { asRecord } from '../../../server/contract/json-record.js';
import { CONTRACT_FILE } from '../contract-file.js';

/**
 * Returns the contract with additional operations before its own: copies of them, with their own addresses and
 * operationIds.
 * @param count the number of copies
 * @returns the contract, in which each copy has the name of its original to find its handler
 */
export async function grownContract(count: number): Promise<Contract> {
  const { document } = readContract(CONTRACT_FILE);
  const paths = Object.fromEntries([...copies(document, count), ...Object.entries(document.paths)]);
  const grown = createContract('', { ...document, paths });
  return {
    ...grown,
    operations: grown.operations.map((operation) => ({
      ...operation,
      id: operation.id.replace(/-copy-\d+$/, ''),
    })),
  };
}

type PathItem = Document['paths'][string];

function* copies({ paths }: Document, count: number): Generator<[string, PathItem]> {
  let made = 0;
  for (let generation = 1; made < count; generation++) {
    for (const [path, item] of Object.entries(paths)) {
      const copy = Object.entries(item).flatMap(([key, part]) => {
        const { operationId } = asRecord(part);
        if (operationId === undefined) return [[key, part]];
        if (made === count) return [];
        made++;
        return [[key, { ...asRecord(part), operationId: `${operationId}-copy-${generation}` }]];
      });
      // `/projects/{project_name}/skills` becomes `/projects-1/{project_name}/skills`.
      yield [
        path.replace(/^\/[^/]+/, (first) => `${first}-${generation}`),
        Object.fromEntries(copy),
      ];
    }
  }
}
