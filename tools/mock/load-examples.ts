import { type Operation, operations } from '../../testkit/openapi/document.js';
import {
  creatingRequests,
  type ExampleRequest,
  exampleRequests,
} from '../../testkit/openapi/example-requests.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import { wholeTable } from './whole-table.js';

/**
 * Creates the resources of the contract's examples in a service, by sending the example requests in the
 * contract's order, in which none depends on a later one. Waits until the trainings have ended.
 * @param url the URL of an empty service
 * @returns the addresses of the created resources
 * @throws if the service refuses an example, or a training fails
 */
export async function loadExamples(url: string): Promise<string[]> {
  const made: string[] = [];
  for (const operation of operations) {
    for (const request of await creations(operation)) {
      const address = await create(url, operation, request);
      if (trains(operation)) await untilReadyAt(url + address);
      made.push(address);
    }
  }
  return made;
}

/** Returns the example requests of an operation that creates a resource; empty for other operations. */
async function creations(operation: Operation): Promise<ExampleRequest[]> {
  if (!trains(operation)) return creatingRequests(operation);
  const csv = exampleRequests(operation).find(
    ({ headers }) => headers['Content-Type'] === 'text/csv',
  );
  return csv ? [{ ...csv, body: await wholeTable(csv.body ?? '') }] : [];
}

/** Whether an operation starts a training, which goes on after the answer. */
function trains({ place }: Operation): boolean {
  return place.find('responses', '202') !== undefined;
}

/** @returns the address of the created resource */
async function create(
  url: string,
  { id }: Operation,
  { name, path, ...init }: ExampleRequest,
): Promise<string> {
  const response = await fetch(url + path, init);
  const text = await response.text();
  const location = response.headers.get('Location');
  if (response.ok && location !== null) return location;
  throw new Error(`the service does not take the example "${name}" of ${id}: ${text}`);
}
