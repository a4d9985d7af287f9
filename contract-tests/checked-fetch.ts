/** Checks requests and answers against the contract as they pass. */

import { EventStreamError, eventData } from '../contract/event-data.js';
import { parseJson } from '../contract/json-record.js';
import { readField } from '../testkit/json.js';
import { schemaErrors } from '../testkit/openapi/contract-ajv.js';
import { contract, type Place } from '../testkit/openapi/document.js';
import { operationAt, operationsAt } from '../testkit/openapi/operation-at.js';
import { readBeginning, recordExchange, recordSharedAnswer } from './coverage/record-exchange.js';

/** The contract's declaration of one answer. */
interface Expectation {
  /** The subject of the messages. */
  what: string;
  status: number;
  headers: DeclaredHeader[];
  /** The schemas by media type; empty if no body is allowed. */
  content: [mediaType: string, schema: Place][];
}

interface DeclaredHeader {
  name: string;
  required: boolean;
  schema: Place;
}

/** Headers that promise something to a client, so that the contract must declare them. */
const PROMISES =
  /^(x-.*|link|location|content-location|retry-after|etag|allow|www-authenticate|ratelimit.*|idempotency-.*)$/;

/** Those of them that only set browser security policies. */
const SECURITY_HEADERS = new Set([
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
]);

/** The answers that belong to no operation are among the shared ones. */
const UNKNOWN_ADDRESS = sharedAnswer(404, 'UnknownAddress');
const DOUBLED_PREFIX = sharedAnswer(308, 'DoubledPrefix');
const METHOD_NOT_ALLOWED = sharedAnswer(405, 'MethodNotAllowed');
/** The answers to input that is not an HTTP request. */
const OF_NO_REQUEST = [
  sharedAnswer(400, 'UnreadableRequest'),
  sharedAnswer(408, 'RequestTimeout'),
  sharedAnswer(431, 'HeadersTooLarge'),
  sharedAnswer(501, 'NotImplemented'),
];
/** OPTIONS is not an operation either; the introduction of the contract promises this answer. */
const OPTIONS: Expectation = { what: 'OPTIONS', status: 204, headers: METHOD_NOT_ALLOWED.headers, content: [] };

/**
 * Fetches from the server, checks the answer against the contract, and records the promises that the exchange
 * has exercised.
 * @throws with every violation if the answer is not what the contract declares
 */
export async function checkedFetch(request: Request): Promise<Response> {
  const sent = await readBeginning(request);
  return checkedAnswer(request, sent, await fetch(request));
}

/** Like `checkedFetch`, for the mock, whose answers are not recorded. */
export async function checkedFetchOfMock(request: Request): Promise<Response> {
  const response = await fetch(request);
  refuseViolations(request, response, await response.clone().text());
  return response;
}

/**
 * Checks and records an answer of the server that was not obtained by fetch.
 * @param sent the body of the request, or its beginning
 * @throws with every violation if the answer is not what the contract declares
 */
export async function checkedAnswer(
  request: { method: string; url: string; headers: Headers },
  sent: string,
  response: Response,
): Promise<Response> {
  const { method, headers } = request;
  // The address of the answer, after a redirect.
  const url = response.url || request.url;
  const body = await response.clone().text();
  refuseViolations({ method, url }, response, body);
  recordExchange({ method, url, headers, sent }, { status: response.status, headers: response.headers, body });
  return response;
}

/**
 * Like `checkedAnswer`, for an answer to input that is not an HTTP request and so belongs to no operation.
 * @throws with every violation if the answer is not what the contract declares
 */
export async function checkedSharedAnswer(response: Response): Promise<void> {
  const body = await response.clone().text();
  const { status, headers } = response;
  const declared = OF_NO_REQUEST.find((one) => one.status === status);
  refuse(`The answer ${status}`, declared ? answerViolations(declared, response, body) : []);
  recordSharedAnswer({ status, headers, body });
}

function refuseViolations({ method, url }: { method: string; url: string }, response: Response, body: string): void {
  refuse(`${method} ${url}`, violationsIn(method, url, response, body));
}

function refuse(what: string, found: readonly string[]): void {
  if (found.length > 0) throw new Error(`${what} breaks the contract:\n${found.join('\n')}`);
}

/** Returns the violations of the contract in an answer. The body of `response` can still be read. */
export async function violations(method: string, url: string, response: Response): Promise<string[]> {
  return violationsIn(method, url, response, await response.clone().text());
}

function violationsIn(method: string, url: string, response: Response, body: string): string[] {
  const expectation = expectationFor(method, new URL(url).pathname, response);
  if (typeof expectation === 'string') {
    return [expectation];
  }
  if (expectation.status !== response.status) {
    return [`the status is ${response.status} where the contract promises ${expectation.status}`];
  }
  const expected = method === 'HEAD' ? { ...expectation, content: [] } : expectation;
  return answerViolations(expected, response, body);
}

function answerViolations(expectation: Expectation, response: Response, body: string): string[] {
  return [...headerViolations(expectation, response.headers), ...bodyViolations(expectation, response, body)];
}

/** The expectations so far: reading one from the contract costs as much as checking an answer. */
const expectations = new Map<string, Expectation>();

function expectationFor(method: string, pathname: string, response: Response): Expectation | string {
  if (operationsAt(pathname).length === 0) {
    return UNKNOWN_ADDRESS;
  }
  if (method === 'OPTIONS') {
    return OPTIONS;
  }
  if (pathname.startsWith('/api/api/')) {
    return DOUBLED_PREFIX;
  }
  const operation = operationAt(method, pathname);
  if (operation === undefined) {
    return METHOD_NOT_ALLOWED;
  }
  const what = `${operation.id} ${response.status}`;
  const known = expectations.get(what);
  if (known !== undefined) {
    return known;
  }
  const declared = operation.place.find('responses', String(response.status));
  if (declared === undefined) {
    return `${operation.id} does not declare the status ${response.status}`;
  }
  const expectation = makeExpectation(what, response.status, declared);
  expectations.set(what, expectation);
  return expectation;
}

/** Returns the expectation of an answer that belongs to no operation. */
function sharedAnswer(status: number, name: string): Expectation {
  return makeExpectation(`${status}`, status, contract.at('components', 'responses', name));
}

/** @param declared a response of the contract */
function makeExpectation(what: string, status: number, declared: Place): Expectation {
  return {
    what,
    status,
    headers: declared
      .entries('headers')
      .map(([name, header]) => ({
        name,
        required: header.find('required')?.value === true,
        schema: header.at('schema'),
      })),
    content: declared.entries('content').map(([mediaType, content]) => [mediaType, content.at('schema')]),
  };
}

function headerViolations({ what, headers }: Expectation, sent: Headers): string[] {
  const declared = new Set(headers.map(({ name }) => name.toLowerCase()));
  const undeclared = [...sent.keys()].filter(
    (name) => PROMISES.test(name) && !SECURITY_HEADERS.has(name) && !declared.has(name),
  );
  return [
    ...undeclared.map((name) => `${what} does not declare the header ${name}`),
    ...headers.flatMap(({ name, required, schema }) => {
      const value = sent.get(name);
      if (value === null) {
        return required ? `${what} lacks the header ${name}` : [];
      }
      return schemaViolations(schema, headerValue(schema, value), `header ${name}`);
    }),
  ];
}

function headerValue(schema: Place, text: string): unknown {
  return schema.text('type') === 'integer' ? Number(text) : text;
}

function bodyViolations({ what, content }: Expectation, response: Response, body: string): string[] {
  if (content.length === 0) {
    return emptyViolations(body);
  }
  const mediaType = response.headers.get('Content-Type') ?? 'no media type';
  const declared = content.find(([candidate]) => candidate === mediaType.split(';')[0]);
  if (declared === undefined) {
    return [`${what} does not declare ${mediaType}`];
  }
  const event = declared[1].find('x-roster-event');
  if (event !== undefined) return eventViolations(what, event, body);
  if (declared[0].startsWith('text/')) {
    return schemaViolations(declared[1], body, 'body');
  }
  const line = declared[1].find('x-roster-line');
  if (line === undefined) {
    // The contract describes Arrow only as bytes.
    const isBytes = declared[1].find('format')?.value === 'binary';
    return isBytes ? [] : jsonViolations(what, declared[1], body, 'body');
  }
  const lines = body.split('\n');
  const end = lines.pop() === '' ? [] : [`${what} has a last line without an end`];
  return lines.flatMap((text, at) => jsonViolations(what, line, text, `line ${at + 1}`)).concat(end);
}

/** The type of the last event of every stream but those of OpenAI's API, which end in `[DONE]`, and of MCP. */
const END = 'end';
const DONE = '\n\ndata: [DONE]\n\n';

function eventViolations(what: string, schema: Place, body: string): string[] {
  try {
    const events = eventData(body);
    const ends = events.map((text) => readField(parseJson(text), 'type') === END);
    const isEndLast =
      body.endsWith(DONE) || isMcp(events) ? !ends.includes(true) : ends.indexOf(true) === events.length - 1;
    return [
      ...events.flatMap((text, at) => jsonViolations(what, schema, text, `event ${at + 1}`)),
      ...(events.length > 0 && isEndLast ? [] : [`${what} does not end with its one event "end"`]),
    ];
  } catch (cause) {
    if (!(cause instanceof EventStreamError)) throw cause;
    return [`${what} is not an event stream: ${cause.message}`];
  }
}

/** Returns whether notifications come before one answer, or none if the request was cancelled. */
function isMcp(events: readonly string[]): boolean {
  const answers = events.map((text) => readField(parseJson(text), 'method') === undefined);
  const isRpc = events.every((text) => readField(parseJson(text), 'jsonrpc') !== undefined);
  return isRpc && [-1, events.length - 1].includes(answers.indexOf(true));
}

function jsonViolations(what: string, schema: Place, text: string, where: string): string[] {
  const value = parseJson(text);
  return value === undefined
    ? [`${what} has a ${where} that is not JSON: ${text.slice(0, 200)}`]
    : schemaViolations(schema, value, where);
}

function emptyViolations(body: string): string[] {
  return body === '' ? [] : [`a body came where none may come: ${body.slice(0, 200)}`];
}

function schemaViolations(schema: Place, value: unknown, where: string): string[] {
  return schemaErrors(schema, value).map(
    ({ instancePath, message, params }) => `${where}${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
