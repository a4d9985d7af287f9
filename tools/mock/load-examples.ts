import { diamondTable } from '../../testkit/data/diamonds.js';
import { type Operation, operations } from '../../testkit/openapi/document.js';
import { creatingRequests, type ExampleRequest, exampleRequests } from '../../testkit/openapi/example-requests.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';

interface Loading {
  readonly headers?: Readonly<Record<string, string>>;
  readonly completeTable?: (firstLines: string) => string;
}

/**
 * Creates the resources of the contract's examples in a service, by sending the example requests in the
 * contract's order, in which none depends on a later one. Waits until the trainings have ended.
 * @param url the URL of an empty service
 * @param headers the key, as `Authorization: Bearer …`, if the service requires one
 * @param completeTable makes a table to train from of an example's, which shows only the first lines
 * @returns the addresses of the created resources
 * @throws if the service refuses an example, or a training fails
 */
export async function loadExamples(
  url: string,
  { headers = {}, completeTable = wholeTable }: Loading = {},
): Promise<string[]> {
  const made: string[] = [];
  for (const operation of operations) {
    for (const request of creations(operation, completeTable)) {
      const keyed = { ...request, headers: { ...request.headers, ...headers } };
      const address = await create(url, operation, keyed);
      if (trains(operation)) await untilReadyAt(url + address, headers);
      made.push(address);
    }
  }
  return made;
}

/** Returns the example requests of an operation that creates a resource; empty for other operations. */
function creations(operation: Operation, completeTable: (firstLines: string) => string): ExampleRequest[] {
  if (!trains(operation)) return creatingRequests(operation);
  const csv = exampleRequests(operation).find(({ headers }) => headers['Content-Type'] === 'text/csv');
  return csv ? [{ ...csv, body: completeTable(csv.body ?? '') }] : [];
}

/** Returns whether an operation starts a training, which goes on after the answer. */
function trains({ place }: Operation): boolean {
  return place.find('responses', '202') !== undefined;
}

/** @returns the address of the created resource */
async function create(url: string, { id }: Operation, { name, path, ...init }: ExampleRequest): Promise<string> {
  const response = await fetch(url + path, init);
  const text = await response.text();
  const location = response.headers.get('Location');
  if (response.ok && location !== null) return location;
  throw new Error(`the service does not take the example "${name}" of ${id}: ${text}`);
}

/**
 * Returns the whole table of an example, which shows only its first lines, too few to train from: the same
 * columns of every diamond.
 * @param firstLines CSV with a header line, without quotes
 * @throws if it has a column that the diamonds do not have
 */
function wholeTable(firstLines: string): string {
  const [header = ''] = firstLines.split('\n');
  const columns = header.split(',');
  const { rows } = diamondTable();
  const lines = rows.map((row) => columns.map((column) => cell(row, column)).join(','));
  return `${[header, ...lines].join('\n')}\n`;
}

function cell(row: Readonly<Record<string, string | number>>, column: string): string | number {
  const value = row[column];
  if (value === undefined) throw new Error(`datasets/diamonds.csv has no column "${column}"`);
  return value;
}
