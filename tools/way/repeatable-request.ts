import { type Operation, operations } from '../../testkit/openapi/document.js';
import {
  creatingRequests,
  type ExampleRequest,
  examplePath,
  wholeRequest,
} from '../../testkit/openapi/example-requests.js';

/** The parameters of an address, by name, that differ from those of the examples. */
export type Names = Readonly<Record<string, string>>;

/** Sends a request that creates a resource, and returns the resource's name or identifier. */
export type Create = (request: ExampleRequest) => Promise<string>;

let made = 0;

/**
 * Returns the first example request of an operation in a form that can be sent again and again: what it creates
 * gets a new name, and what it deletes is created first.
 */
export async function repeatableRequest(operation: Operation, names: Names, create: Create): Promise<ExampleRequest> {
  const [own = ''] = operation.path.match(/\w+(?=\}$)/) ?? [];
  const newNames = () => ({ ...names, [own]: newName() });
  // While a model is trained, no other training of it begins.
  if (operation.method === 'PUT' && answersWith(operation, '202')) {
    return requestNamed(operation, newNames());
  }
  const creator = operation.method === 'DELETE' ? findCreator(operation) : undefined;
  if (!creator) return withNewName(operation, requestNamed(operation, names));
  const name = await create(withNewName(creator, requestNamed(creator, newNames())));
  return requestNamed(operation, { ...names, [own]: name });
}

function requestNamed(operation: Operation, names: Names): ExampleRequest {
  return { ...wholeRequest(operation), path: examplePath(operation, names) };
}

/** Finds the operation that creates what another deletes, with POST to a list or PUT to the same address. */
function findCreator({ path }: Operation): Operation | undefined {
  const list = path.slice(0, path.lastIndexOf('/'));
  // One address says `agent` where the list is `agents`.
  const isList = (other: string) => other === list || other === `${list}s`;
  const creates = (operation: Operation) => answersWith(operation, '201') || answersWith(operation, '202');
  return operations.find(
    (other) =>
      (other.method === 'POST' && isList(other.path)) ||
      (other.method === 'PUT' && other.path === path && creates(other)),
  );
}

function answersWith({ place }: Operation, status: string): boolean {
  return place.find('responses', status) !== undefined;
}

/** Gives the resource of a body such as `{"skill": {"name": "sales"}}` a new name, if the body creates one. */
function withNewName(operation: Operation, request: ExampleRequest): ExampleRequest {
  if (operation.method !== 'POST' || creatingRequests(operation).length === 0) return request;
  const body: Record<string, Record<string, unknown>> = JSON.parse(request.body ?? '{}');
  for (const fields of Object.values(body)) if ('name' in fields) fields['name'] = newName();
  return { ...request, body: JSON.stringify(body) };
}

function newName(): string {
  made += 1;
  return `way_${made}`;
}
