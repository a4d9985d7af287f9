/** Builds requests from the examples of the contract, for tests that walk over all operations. */
import { type Operation, operations, type Place } from './document.js';

/** A request from the contract's examples. */
export interface ExampleRequest {
  /** The name of the example of the body, or `no body`. */
  name: string;
  /** The address and the query, after the base URL. */
  path: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
}

/** Returns the example requests of an operation: one for each example of a body. */
export function exampleRequests(operation: Operation): [ExampleRequest, ...ExampleRequest[]] {
  const { method } = operation;
  const path = examplePath(operation);
  const [first, ...further] = operation.place
    .entries('requestBody', 'content')
    .flatMap(([mediaType, content]) =>
      content
        .entries('examples')
        .map(([name, example]) => ({
          name,
          path,
          method,
          headers: { 'Content-Type': mediaType },
          body: bodyText(example.at('value').value),
        })),
    );
  return first ? [first, ...further] : [{ name: 'no body', path, method, headers: {} }];
}

/**
 * Returns the example requests that create the resources of the examples; empty for an operation that creates
 * none. A PUT counts where no POST creates the resource, with its first example: a second one would replace it.
 */
export function creatingRequests(operation: Operation): ExampleRequest[] {
  if (operation.place.find('responses', '201') === undefined) return [];
  if (operation.method === 'POST') return exampleRequests(operation);
  const list = operation.path.slice(0, operation.path.lastIndexOf('/'));
  const isPosted = operations.some(({ method, path }) => method === 'POST' && path === list);
  return isPosted ? [] : exampleRequests(operation).slice(0, 1);
}

/**
 * Returns the first example request of an operation in a form that is accepted: a table, of which the example
 * shows the first lines, is complete.
 */
export function wholeRequest(operation: Operation): ExampleRequest {
  const [request] = exampleRequests(operation);
  return operation.id === 'trainModel'
    ? { ...request, headers: { 'Content-Type': 'text/csv' }, body: makeTable(request.body) }
    : request;
}

/** Returns a table that begins with the lines of an example, and has enough rows to train from. */
export function makeTable(example = '', rows = 60): string {
  const [header = '', ...lines] = example.trimEnd().split('\n');
  const more = Array.from({ length: rows }, (_, row) => lines[row % lines.length] ?? '').map((line, row) =>
    line.replace(/\d+$/, (price) => `${Number(price) + row}`),
  );
  return `${[header, ...lines, ...more].join('\n')}\n`;
}

/** Returns the address of an operation, with the names from the contract's examples or with the given ones. */
export function examplePath(operation: Operation, names: Record<string, string> = {}): string {
  const ofAddress = (parameter: Place) => parameter.text('in') === 'path';
  const path = operation.parameters.filter(ofAddress).reduce((template, parameter) => {
    const name = parameter.text('name');
    return template.replace(`{${name}}`, names[name] ?? findExample(parameter));
  }, operation.path);
  const query = operation.parameters
    .filter((parameter) => !ofAddress(parameter) && parameter.find('required')?.value === true)
    .map((parameter) => `${parameter.text('name')}=${findExample(parameter)}`)
    .join('&');
  return query === '' ? path : `${path}?${query}`;
}

function findExample(parameter: Place): string {
  const [first] = parameter.entries('examples');
  if (first === undefined) {
    throw new Error(`${parameter.pointer} has no example`);
  }
  return encodeURIComponent(first[1].text('value'));
}

function bodyText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
