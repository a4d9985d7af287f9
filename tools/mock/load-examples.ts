import { type Operation, operations } from '../../testkit/openapi/document.js';
import { type ExampleRequest, exampleRequests } from '../../testkit/openapi/example-requests.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import { wholeTable } from './whole-table.js';

/**
 * Gives a service what the contract's examples create, by sending it those requests in the contract's order,
 * in which nothing needs what comes later; and waits until what was to be trained is trained.
 * @param url of an empty service
 * @returns the addresses of what was made
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

/** The examples of an operation that makes something; none of one that reads or changes what is there. */
async function creations(operation: Operation): Promise<ExampleRequest[]> {
  if (trains(operation)) {
    const csv = exampleRequests(operation).find(
      ({ headers }) => headers['Content-Type'] === 'text/csv',
    );
    return csv ? [{ ...csv, body: await wholeTable(csv.body ?? '') }] : [];
  }
  // A PUT that may create changes what is there; and what it would create, a POST has created.
  return operation.method === 'POST' && declares(operation, 201) ? exampleRequests(operation) : [];
}

/** What goes on after the answer is a training. */
function trains(operation: Operation): boolean {
  return declares(operation, 202);
}

function declares({ place }: Operation, status: number): boolean {
  return place.find('responses', String(status)) !== undefined;
}

/** @returns the address of what was created */
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
