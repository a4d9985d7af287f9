import type { Contract } from '../contract/document.js';
import { asRecord } from '../contract/json-record.js';

/** The operations of a tag. */
export interface OperationGroup {
  readonly tag: string;
  readonly operations: readonly ListedOperation[];
}

/** An operation as a list shows it. */
export interface ListedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** The link to the operation in the reference. Swagger UI reads it. */
  readonly href: string;
}

/** Returns the operations by tag, in the order of the contract. */
export function operationGroups({ document, operations }: Contract): OperationGroup[] {
  const tags = Array.isArray(document['tags']) ? document['tags'] : [];
  const listed = operations.map(({ id, method, path }) => {
    const definition = asRecord(asRecord(document.paths[path])[method]);
    const [tag] = Array.isArray(definition['tags']) ? definition['tags'] : [];
    const summary = String(definition['summary']);
    return { id, method, path, summary, tag, href: `#/${tag}/${id}` };
  });
  return tags
    .map((tag) => String(asRecord(tag)['name']))
    .map((tag) => ({ tag, operations: listed.filter((operation) => operation.tag === tag) }));
}
