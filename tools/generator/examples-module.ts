import type { Document } from '../../contract/document-schema.js';
import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import { listOperations } from '../../contract/operations.js';
import { resolve, valueAt } from '../../contract/pointer.js';

/** A response of the contract: the values of its headers, and its examples. */
interface ResponseExamples {
  readonly headers: Readonly<Record<string, string>>;
  /** The values of the examples, by media type and name. */
  readonly content: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * Returns the client's module of the contract's examples. Most operations share their problems, so the module
 * has each value and each response once.
 */
export function examplesModule(document: Document): string {
  const values = new Table();
  const responses = new Table();
  const placeOfResponse = ({ headers, content }: ResponseExamples) =>
    responses.findPlace({
      headers,
      content: mapValues(content, (examples) => mapValues(examples, (value) => values.findPlace(value))),
    });
  const operations = listOperations(document).map(({ id, method, path }) => ({
    id,
    method: method.toUpperCase(),
    path,
    responses: mapValues(findResponses(document, path, method), (response) => examplesOfResponse(document, response)),
  }));
  const names = operations.map((operation) => `  ${operation.id}: ${writeNames(operation.responses)};`);
  const rows = operations.map(
    ({ id, responses: byStatus, ...operation }) =>
      `  ${id}: ${JSON.stringify({ ...operation, responses: mapValues(byStatus, placeOfResponse) })},`,
  );
  const shared = ['UnknownAddress', 'MethodNotAllowed'].map((name) =>
    placeOfResponse(examplesOfResponse(document, valueAt(document, `/components/responses/${name}`))),
  );
  return `/** Made by \`npm run generate\` from openapi.yaml: do not edit. */

/** The names of the examples, by operation and status. */
export interface ExampleNames {
${names.join('\n')}
}

/** A response of the contract: the values of its headers, and the places of its examples in \`VALUES\`. */
export interface ExampleResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** An operation, and the places of its responses in \`RESPONSES\`. */
export interface ExampleOperation {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly responses: Readonly<Record<string, number>>;
}

export const OPERATIONS: Readonly<Record<keyof ExampleNames, ExampleOperation>> = {
${rows.join('\n')}
};

/** The places in \`RESPONSES\` of the responses that belong to no operation. */
export const [UNKNOWN_ADDRESS, METHOD_NOT_ALLOWED]: readonly [number, number] = [${shared.join(', ')}];

export const RESPONSES: readonly ExampleResponse[] = [
${responses.lines()}
];

export const VALUES: readonly unknown[] = [
${values.lines()}
];
`;
}

/** Values in their JSON text, each once. */
class Table {
  readonly #places = new Map<string, number>();

  /** Returns the place of a value, which it adds if it is new. */
  findPlace(value: unknown): number {
    const text = JSON.stringify(value);
    const place = this.#places.get(text) ?? this.#places.size;
    this.#places.set(text, place);
    return place;
  }

  lines(): string {
    return [...this.#places.keys()].map((text) => `  ${text},`).join('\n');
  }
}

function writeNames(responses: Readonly<Record<string, ResponseExamples>>): string {
  const byStatus = Object.entries(responses).map(([status, { content }]) => {
    const names = new Set(Object.values(content).flatMap((examples) => Object.keys(examples)));
    return `${status}: ${[...names].map((name) => `'${name}'`).join(' | ') || 'never'}`;
  });
  return `{ ${byStatus.join('; ')} }`;
}

function findResponses(document: Document, path: string, method: string): JsonRecord {
  return asRecord(asRecord(asRecord(document.paths[path])[method])['responses']);
}

function examplesOfResponse(document: Document, response: unknown): ResponseExamples {
  const { headers, content } = resolve(document, response);
  const withValue = Object.entries(asRecord(headers)).flatMap(([name, header]) => {
    const [first] = Object.values(findExamples(document, resolve(document, header)));
    return first === undefined ? [] : [[name, String(first)] as const];
  });
  return {
    headers: Object.fromEntries(withValue),
    content: mapValues(asRecord(content), (media) => findExamples(document, asRecord(media))),
  };
}

/** Returns the values of the examples of a header or a media type, by name. */
function findExamples(document: Document, { examples }: JsonRecord): JsonRecord {
  return mapValues(asRecord(examples), (example) => resolve(document, example)['value']);
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
