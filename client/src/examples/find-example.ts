import { type ExampleResponse, OPERATIONS, RESPONSES } from '../../../generated/examples.js';
import type { OperationId } from './choices.js';

/** A choice, without the types of its operation. */
export type AnyChoice =
  | string
  | number
  | { readonly status: number; readonly example?: string; readonly body?: unknown };

/** A response of the contract, and the example or the body that was chosen for it. */
export interface FoundExample {
  readonly status: number;
  readonly response: ExampleResponse;
  /** The name of the example; undefined for the first one. */
  readonly name?: string | undefined;
  readonly body?: unknown;
}

/**
 * Returns the response that a choice selects; without a choice, that of the operation's success.
 * @throws TypeError with the possible choices if the operation has no such status or example
 */
export function findExample(id: OperationId, choice?: AnyChoice): FoundExample {
  if (typeof choice === 'string') return byName(id, choice);
  if (typeof choice === 'object' && choice !== null) return byStatus(id, choice.status, choice);
  return byStatus(id, choice ?? findSuccess(id));
}

/** @throws TypeError if there is no such operation */
export function checkOperation(id: string): asserts id is OperationId {
  if (Object.hasOwn(OPERATIONS, id)) return;
  throw new TypeError(`There is no operation "${id}". There are ${listOf(Object.keys(OPERATIONS))}.`);
}

function byName(id: OperationId, name: string): FoundExample {
  const statuses = listStatuses(id).filter((status) => listNames(findResponse(id, status)).has(name));
  const [status, second] = statuses;
  if (status === undefined) {
    throw new TypeError(`${id} has no example "${name}". It has ${allExamples(id)}.`);
  }
  if (second !== undefined) {
    throw new TypeError(
      `${id} has an example "${name}" for each of ${listOf(statuses)}. Choose one: { status: ${status}, example: '${name}' }.`,
    );
  }
  return { status, response: findResponse(id, status), name };
}

function byStatus(
  id: OperationId,
  status: number,
  { example: name, body }: { example?: string; body?: unknown } = {},
): FoundExample {
  if (!listStatuses(id).includes(status)) {
    throw new TypeError(`${id} has no status ${status}. It has ${listOf(listStatuses(id))}.`);
  }
  const response = findResponse(id, status);
  const names = listNames(response);
  if (name !== undefined && !names.has(name)) {
    throw new TypeError(`${id} has no example "${name}" for ${status}. It has ${listOf([...names]) || 'none'}.`);
  }
  if (body !== undefined && Object.keys(response.content).length === 0) {
    throw new TypeError(`The response ${status} of ${id} has no body.`);
  }
  return { status, response, name, body };
}

function allExamples(id: OperationId): string {
  const ofStatus = (status: number) => listOf([...listNames(findResponse(id, status))]);
  return listStatuses(id)
    .filter((status) => ofStatus(status) !== '')
    .map((status) => `${ofStatus(status)} (${status})`)
    .join(', ');
}

function listNames({ content }: ExampleResponse): Set<string> {
  return new Set(Object.values(content).flatMap((examples) => Object.keys(examples)));
}

function listStatuses(id: OperationId): number[] {
  return Object.keys(OPERATIONS[id].responses).map(Number);
}

/** The contract gives each operation a response of success, and numbers are keys in ascending order. */
function findSuccess(id: OperationId): number {
  return Math.min(...listStatuses(id));
}

function findResponse(id: OperationId, status: number): ExampleResponse {
  return responseAt(OPERATIONS[id].responses[status]);
}

/** @throws Error if the generated module is damaged */
export function responseAt(place: number | undefined): ExampleResponse {
  const response = RESPONSES[place ?? -1];
  if (response === undefined) throw new Error(`The contract has no response ${place}`);
  return response;
}

const listOf = (words: readonly (string | number)[]) => words.join(', ');
