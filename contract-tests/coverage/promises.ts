/** Lists every single promise of the contract, for comparison with the tests. */
import type { Operation, Place } from '../../testkit/openapi/document.js';
import { likenessOf } from './likeness.js';

export interface Promised {
  /** The id in reasons and records, such as `createSkill 409 example taken`. */
  readonly id: string;
  /** The operation, or an answer that belongs to no operation, such as `UnknownAddress`. */
  readonly of: string;
  /** The status of the answer; undefined if the promise is about the request. */
  readonly status?: string;
}

/** An answer as the contract documents it. */
export interface Documented {
  /** The operation, or the answer itself if it belongs to none. */
  readonly of: string;
  readonly status: string;
  readonly response: Place;
}

/** Returns every answer that the contract documents: those of the operations, and those that belong to none. */
export function documentedAnswers(contract: Place, operations: readonly Operation[]): Documented[] {
  const ofOperations = operations.flatMap(({ id, place }) =>
    place.entries('responses').map(([status, response]) => ({ of: id, status, response })),
  );
  const used = new Set(ofOperations.map(({ response }) => response.pointer));
  const ofNone = contract
    .entries('components', 'responses')
    .filter(([, response]) => !used.has(response.pointer))
    .map(([name, response]) => ({ of: name, status: statusOf(response), response }));
  return [...ofOperations, ...ofNone];
}

/** Returns every promise of the contract, in its order. */
export function promises(contract: Place, operations: readonly Operation[]): Promised[] {
  const ofRequests = operations.flatMap((operation) => {
    const of = operation.id;
    return [
      ...requestExamples(operation).map(({ name }) => requestId(of, name)),
      ...parameterExamples(operation).map(({ parameter, name }) =>
        parameterId(of, parameter, name),
      ),
    ].map((id): Promised => ({ id, of }));
  });
  const all = [...ofRequests, ...documentedAnswers(contract, operations).flatMap(ofAnswer)];
  return [...new Map(all.map((promised) => [promised.id, promised])).values()];
}

function ofAnswer(answer: Documented): Promised[] {
  const { of, status, response } = answer;
  const examples = answerExamples(response);
  const ids = [
    statusId(answer),
    ...response.entries('headers').map(([name]) => headerId(answer, name)),
    ...examples.map(({ name }) => exampleId(answer, name)),
  ];
  // The messages of single errors are the same for all operations, so each is promised once.
  const faults = examples.flatMap(({ likeness }) => likeness.faults.map(faultId));
  return [...ids.map((id) => ({ id, of, status })), ...faults.map((id) => ({ id, of: 'faults' }))];
}

/** Returns a function that reads the examples of a part once: each is compared with every recorded exchange. */
function readOnce<Key extends object, Value>(read: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>();
  return (key) => {
    const value = values.get(key) ?? read(key);
    values.set(key, value);
    return value;
  };
}

/** Returns the examples of a documented answer, with their kinds. */
export const answerExamples = readOnce((response: Place) =>
  response.entries('content').flatMap(([mediaType, content]) =>
    content.entries('examples').map(([name, example]) => ({
      name,
      mediaType,
      likeness: likenessOf(mediaType, textOf(example.at('value').value)),
    })),
  ),
);

/** Returns the examples of an operation's body. */
export const requestExamples = readOnce(({ place }: Operation) =>
  place
    .entries('requestBody', 'content')
    .flatMap(([mediaType, content]) =>
      content
        .entries('examples')
        .map(([name, example]) => ({ name, mediaType, value: example.at('value').value })),
    ),
);

/** Returns the examples of an operation's parameters. */
export const parameterExamples = readOnce(({ parameters }: Operation) =>
  parameters.flatMap((parameter) =>
    parameter.entries('examples').map(([name, example]) => ({
      in: parameter.text('in'),
      parameter: parameter.text('name'),
      name,
      value: example.at('value').value,
    })),
  ),
);

export const statusId = ({ of, status }: Documented) => `${of} ${status}`;
export const headerId = (answer: Documented, name: string) => `${statusId(answer)} header ${name}`;
export const exampleId = (answer: Documented, name: string) =>
  `${statusId(answer)} example ${name}`;
export const faultId = (words: string) => `fault ${words}`;
export const requestId = (operation: string, name: string) => `${operation} request ${name}`;
export const parameterId = (operation: string, parameter: string, name: string) =>
  `${operation} parameter ${parameter} ${name}`;

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The only answer without a body that belongs to no operation is a redirect. */
const REDIRECT = '308';

/** Returns the status of an answer that belongs to no operation; problems have one status each. */
function statusOf(response: Place): string {
  const [content] = response.entries('content');
  if (content === undefined) return REDIRECT;
  return content[1].text('schema', 'properties', 'status', 'const');
}
