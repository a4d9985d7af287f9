/** Lists every single promise of the contract, and shows which of them an exchange keeps. */
import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '../../contract/json-record.js';
import type { Operation, Place } from '../../testkit/openapi/document.js';
import { problemWords } from './problem-words.js';

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

/** A request and its answer, as they were sent. */
export interface Exchange {
  readonly url: URL;
  readonly requestHeaders: Headers;
  /** The body of the request, or its beginning if it is long. */
  readonly sent: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

const PROBLEM = 'application/problem+json';

/** A promise about a request: an example of a body, or of a parameter. */
interface OfRequest extends Promised {
  /** The media type of the body; undefined for a parameter. */
  readonly mediaType?: string;
  readonly isKept: (exchange: Exchange) => boolean;
}

/** A promise about an answer: its status, a header, or the words of a problem. */
interface OfAnswer extends Promised {
  /** The messages of single errors in an example. */
  readonly faults?: readonly string[];
  /** @param whole the words of the problem; undefined for other answers */
  readonly isKept: (headers: Headers, whole: string | undefined) => boolean;
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
    .map(([name, response]) => ({ of: name, status: readStatus(response), response }));
  return [...ofOperations, ...ofNone];
}

/** Returns every promise of the contract, in its order. */
export function promises(contract: Place, operations: readonly Operation[]): Promised[] {
  const ofAnswers = documentedAnswers(contract, operations).flatMap((answer) => {
    const own = promisesOfAnswer(answer);
    // The messages of single errors are the same for all operations, so each is promised once.
    const faults = own.flatMap(({ faults = [] }) => faults.map(faultId));
    return [...own, ...faults.map((id) => ({ id, of: 'faults' }))];
  });
  const all = [...operations.flatMap(promisesOfRequest), ...ofAnswers];
  return [...new Map(all.map((promised) => [promised.id, promised])).values()];
}

/** The statuses with which an operation answers only after it has parsed all parameters. */
const UNDERSTOOD = [304, 404, 409, 412, 422];

/** Returns the promises about requests to an operation. */
export const promisesOfRequest = readOnce((operation: Operation): OfRequest[] => {
  const { id: of, place } = operation;
  const ofBodies = examplesIn(place.entries('requestBody', 'content')).map(({ mediaType, name, value }) => ({
    id: `${of} request ${name}`,
    of,
    mediaType,
    isKept: ({ status, requestHeaders, sent }: Exchange) =>
      isDone(status) && readMediaType(requestHeaders) === mediaType && beginsWith(sent, value),
  }));
  const ofParameters = parameterExamples(operation).map((example) => ({
    id: `${of} parameter ${example.parameter} ${example.name}`,
    of,
    isKept: (exchange: Exchange) =>
      (isDone(exchange.status) || UNDERSTOOD.includes(exchange.status)) &&
      isDeepStrictEqual(listTexts(example, operation, exchange), [example.value].flat().map(String)),
  }));
  return [...ofBodies, ...ofParameters];
});

const promisesOfAnswer = readOnce(({ of, status, response }: Documented): OfAnswer[] => {
  const id = `${of} ${status}`;
  const ofHeaders = response
    .entries('headers')
    .map(([name]) => ({ id: `${id} header ${name}`, of, status, isKept: (headers: Headers) => headers.has(name) }));
  // All other examples are checked by their schemas, as all answers are.
  const problems = examplesIn(response.entries('content')).filter(({ mediaType }) => mediaType === PROBLEM);
  const ofExamples = problems.map(({ name, value }) => {
    const { whole, faults } = problemWords(value);
    const isKept = (_: Headers, words: string | undefined) => words === whole;
    return { id: `${id} example ${name}`, of, status, faults, isKept };
  });
  return [{ id, of, status, isKept: () => true }, ...ofHeaders, ...ofExamples];
});

/** Returns the ids of the promises of the contract about an answer that this one has kept. */
export function keptByAnswer(answer: Documented, { headers, body }: Pick<Exchange, 'headers' | 'body'>): string[] {
  const isProblem = readMediaType(headers) === PROBLEM && body !== '';
  const words = isProblem ? problemWords(JSON.parse(body)) : undefined;
  const kept = promisesOfAnswer(answer).filter(({ isKept }) => isKept(headers, words?.whole));
  return [...kept.map(({ id }) => id), ...(words?.faults ?? []).map(faultId)];
}

/** Returns the ids of the examples that the operation has accepted as a body, or parsed as a parameter. */
export function keptByRequest(operation: Operation, exchange: Exchange): string[] {
  return promisesOfRequest(operation)
    .filter(({ isKept }) => isKept(exchange))
    .map(({ id }) => id);
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

/** Returns the examples of an operation's parameters. */
export function parameterExamples({ parameters }: Operation) {
  return parameters.flatMap((parameter) =>
    parameter
      .entries('examples')
      .map(([name, example]) => ({
        in: parameter.text('in'),
        parameter: parameter.text('name'),
        name,
        value: example.at('value').value,
      })),
  );
}

function examplesIn(contents: readonly [mediaType: string, content: Place][]) {
  return contents.flatMap(([mediaType, content]) =>
    content.entries('examples').map(([name, example]) => ({ mediaType, name, value: example.at('value').value })),
  );
}

function isDone(status: number): boolean {
  return (status >= 200 && status < 300) || status === 303;
}

/**
 * Returns whether a body begins with an example: the examples of tables show the first lines or rows of those that are
 * sent.
 */
function beginsWith(sent: string, example: unknown): boolean {
  if (typeof example === 'string') return sent.startsWith(example);
  const text = JSON.stringify(example);
  if (Array.isArray(example) && sent.startsWith(`${text.slice(0, -1)},`)) return true;
  return isDeepStrictEqual(parseJson(sent), example);
}

/** Returns the texts of a parameter in a request. */
function listTexts(
  { in: where, parameter }: { in: string; parameter: string },
  { path }: Operation,
  { url, requestHeaders }: Exchange,
): string[] {
  if (where === 'query') return url.searchParams.getAll(parameter);
  if (where === 'header') return [requestHeaders.get(parameter) ?? ''];
  const steps = url.pathname.replace(/\/$/, '').split('/').reverse();
  const at = path.split('/').reverse().indexOf(`{${parameter}}`);
  return [decodeURIComponent(steps[at] ?? '')];
}

/** Returns the media type of a body, without its parameters. */
export function readMediaType(headers: Headers): string {
  return headers.get('Content-Type')?.split(';')[0] ?? '';
}

function faultId(words: string): string {
  return `fault ${words}`;
}

/** The only answer without a body that belongs to no operation is a redirect. */
const REDIRECT = '308';

/** Returns the status of an answer that belongs to no operation; problems have one status each. */
function readStatus(response: Place): string {
  const [content] = response.entries('content');
  if (content === undefined) return REDIRECT;
  return content[1].text('schema', 'properties', 'status', 'const');
}
