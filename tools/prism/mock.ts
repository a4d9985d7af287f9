import { createLogger } from '@stoplight/prism-core';
import {
  getHttpOperationsFromSpec,
  type IHttpRequest,
  type IHttpResponse,
  type PrismHttpComponents,
  ProblemJsonError,
} from '@stoplight/prism-http';
import mocker from '@stoplight/prism-http/dist/mocker/index.js';
import router from '@stoplight/prism-http/dist/router/index.js';
import { createServer } from '@stoplight/prism-http-server';
import { validate as isUuid } from 'uuid';
import * as v from 'valibot';
import { sunsetHeaders, sunsetShape } from '../../contract/deprecations.js';
import { asRecord } from '../../contract/json-record.js';
import { escapeToken } from '../../contract/pointer.js';
import { describeFaults, UNKNOWN_PARAMETER } from '../../server/problems/problem.js';
import { readableHeaders } from './readable-headers.js';

type Mock = PrismHttpComponents['mock'];
type MockOptions = Parameters<Mock>[0];
type Answer = ReturnType<ReturnType<Mock>>;

/** Gets each request that the mock refuses, or whose preference it ignores, with the reasons. */
export type Note = (request: IHttpRequest, reasons: string[]) => void;

/**
 * Makes the component of Prism that chooses an example for a request. A request that is invalid, or accepts no media
 * type of the answer, gets the contract's problem; a list is paged; a resource has the name that the request gives
 * it. An example that is preferred by its name is answered as it is in the contract. Headers that the contract shows
 * as left out are left out.
 * @param paths the paths of the contract
 */
function createMock(paths: () => readonly string[], note: Note): Mock {
  return (options) => (logger) => {
    const choose = (from: MockOptions): Answer => {
      try {
        // Prism would make up a million items for a list with `Prefer: dynamic=true`.
        return mocker.default({ ...from, config: { ...from.config, dynamic: false } })(logger);
      } catch (cause) {
        // Prism throws at a header that it cannot parse.
        return { _tag: 'Left', left: new Error('Prism cannot read this request', { cause }) };
      }
    };
    const { data: request } = options.input;

    const faults = listFaults(options);
    if (faults.length > 0) {
      const reasons = faults.map(({ pointer, message }) => `${pointer} ${message}`.trim());
      note(request, reasons);
      return changed(choose(asBadRequest(options, faults)), (problem) =>
        options.config.exampleKey === undefined ? withFaults(problem, faults) : problem,
      );
    }

    const isPreferred = hasPreferred(options);
    if (!isPreferred) note(request, ['Prefer is ignored: the contract has no such answer here']);
    const { resource, config } = isPreferred ? options : withoutPreference(options);
    const answer = choose({ ...options, config });
    if (isNotAcceptable(answer)) {
      const problem = { dynamic: false, code: 406, mediaTypes: ['application/problem+json'] };
      return changed(choose({ ...options, config: problem }), (response) => response);
    }
    return changed(answer, (chosen) => {
      const example = withSunset(resource, chosen);
      if (example.statusCode >= 300) return example;
      if (config.exampleKey !== undefined) return cutPage(request, example);
      return cutPage(request, withRequestedNames(request, resource.path, example, paths()));
    });
  };
}

/** Announces the sunset of a deprecated operation as the service does: Prism sends `deprecation: true`, an older form. */
function withSunset({ extensions }: MockOptions['resource'], response: IHttpResponse): IHttpResponse {
  const { deprecation, ...headers } = response.headers ?? {};
  if (deprecation === undefined) return response;
  const sunset = v.safeParse(sunsetShape, extensions?.['x-roster-sunset']);
  return { ...response, headers: { ...headers, ...(sunset.success && sunsetHeaders(sunset.output)) } };
}

/** Changes the response of an answer, and leaves out its empty headers. */
function changed(answer: Answer, change: (response: IHttpResponse) => IHttpResponse): Answer {
  if (answer._tag !== 'Right') return answer;
  const response = change(answer.right);
  const sent = Object.entries(response.headers ?? {}).filter(([, value]) => value !== '');
  return { ...answer, right: { ...response, headers: Object.fromEntries(sent) } };
}

function isNotAcceptable(answer: Answer): boolean {
  return answer._tag === 'Left' && answer.left instanceof ProblemJsonError && answer.left.status === 406;
}

/** Prism, with a contract that can be replaced while it listens. */
export interface PrismServer {
  /**
   * Answers by a contract from now on. After an error, the contract before stays.
   * @param document a contract without faults
   */
  use(document: object): Promise<void>;
  /**
   * Listens on the loopback address.
   * @returns the address, with the actual port
   */
  listen(port: number): Promise<string>;
}

/** Creates a Prism without a contract, which does not listen yet. */
export function createPrism(note: Note): PrismServer {
  readableHeaders();
  const operations: Awaited<ReturnType<typeof getHttpOperationsFromSpec>> = [];
  const server = createServer(operations, {
    cors: true,
    config: {
      isProxy: false,
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      errors: false,
      upstreamProxy: undefined,
      mock: { dynamic: false },
    },
    components: {
      logger: createLogger('mock', { level: 'silent' }),
      route,
      mock: createMock(() => operations.map(({ path }) => path), note),
    },
  });
  return {
    async use(document) {
      const next = await getHttpOperationsFromSpec(document);
      // Prism keeps this array, and reads it at each request.
      operations.splice(0, operations.length, ...next);
    },
    listen: (port) => server.listen(port, '127.0.0.1'),
  };
}

/** Returns whether the operation has an answer with the status and the example that `Prefer` names, if any. */
function hasPreferred({ resource, input, config: { code, exampleKey } }: MockOptions): boolean {
  if (code === PRECONDITION_FAILED && exampleKey === undefined && !isConditional(input.data)) return false;
  return resource.responses.some(
    (response) =>
      (code === undefined || response.code === String(code)) &&
      (exampleKey === undefined ||
        response.contents?.some(({ examples }) => examples?.some(({ key }) => key === exampleKey))),
  );
}

const PRECONDITION_FAILED = 412;

/** Returns whether a request has a precondition that can fail (RFC 9110, 13.2.2): a read with `If-None-Match` gets 304. */
function isConditional({ method, headers = {} }: IHttpRequest): boolean {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return names.includes('if-match') || (method !== 'get' && method !== 'head' && names.includes('if-none-match'));
}

/** Leaves out the preferred status and example. */
function withoutPreference(options: MockOptions): MockOptions {
  const { code, exampleKey, ...config } = options.config;
  return { ...options, config };
}

/**
 * Gives a resource in an answer the name that the request gives it, in its body or its address, and `Location` the
 * same name. The resource stands at `Location`, if the answer has one, else at the address of the request. A PUT to a
 * part of a resource, such as `/serving`, answers with the resource above.
 * @param template the path of the operation, such as `/projects/{project_name}/skills`
 * @param templates the paths of the contract
 */
function withRequestedNames(
  request: IHttpRequest,
  template: string,
  response: IHttpResponse,
  templates: readonly string[],
): IHttpResponse {
  const { headers = {}, body } = response;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return response;
  const location = headers['Location'];
  const place = location === undefined ? template : templates.find((one) => readParameters(one, location));
  const resource = request.method === 'put' ? place?.replace(/\/[a-z]+$/, '') : place;
  const parameter = resource && /\{([^}]+)\}$/.exec(resource)?.[1];
  if (!place || !parameter) return response;

  // A resource that has an identifier gets it from the service, whatever its name.
  const written = /name$/i.test(parameter) ? writtenName(request.body) : undefined;
  const addressed = readParameters(template, request.url.path);
  const name = written ?? addressed?.[parameter];
  const named = name === undefined ? body : { ...body, ...makeField(parameter, name, body) };
  if (location === undefined) return { ...response, body: named };
  const values = { ...readParameters(place, location), ...addressed };
  if (name !== undefined) values[parameter] = name;
  return { ...response, headers: { ...headers, Location: filled(place, values) }, body: named };
}

/** The field of a resource that a parameter such as `skill_name`, `modelName` or `version` gives. */
function makeField(parameter: string, value: string, resource: object): Record<string, unknown> {
  const word = /[A-Za-z][a-z]*$/.exec(parameter)?.[0].toLowerCase() ?? parameter;
  const field = word === 'name' && isUuid(value) ? 'id' : word;
  const example: unknown = Reflect.get(resource, field);
  if (example === undefined) return {};
  return { [field]: typeof example === 'number' ? Number(value) : value };
}

/** The name in a body such as `{"skill": {"name": "lookup"}}`. */
function writtenName(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const [resource]: unknown[] = Object.values(body);
  const isNamed = typeof resource === 'object' && resource !== null && 'name' in resource;
  return isNamed && typeof resource.name === 'string' ? resource.name : undefined;
}

/** Returns the parameters of a path; undefined if it is not of the template. */
function readParameters(template: string, path: string): Record<string, string> | undefined {
  const [steps, expected] = [path.split('/'), template.split('/')];
  const isOfTemplate = expected.every((step, at) => step.startsWith('{') || step === steps[at]);
  if (steps.length !== expected.length || !isOfTemplate) return undefined;
  const parameters = expected.flatMap((step, at) =>
    step.startsWith('{') ? [[step.slice(1, -1), decodeURIComponent(steps[at] ?? '')] as const] : [],
  );
  return Object.fromEntries(parameters);
}

function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{([^}]+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ''));
}

/**
 * Returns the page of a list that `limit` and `cursor` ask for, with a `Link` to the next page if there is one. Any
 * other answer is returned as it is. After a cursor of another service comes a last page, with the whole list.
 */
function cutPage({ url }: IHttpRequest, response: IHttpResponse): IHttpResponse {
  const { Link, ...headers } = response.headers ?? {};
  const { body } = response;
  // Lists of OpenAI's API are objects.
  const list = Array.isArray(body) ? body : asRecord(body)['data'];
  if (Link === undefined || !Array.isArray(list)) return response;
  const { limit = Number.POSITIVE_INFINITY, cursor, ...query } = url.query ?? {};
  // A cursor has an offset in the form of the contract's: 22 characters, the last of which is A, Q, g or w.
  const start = cursor === undefined ? 0 : Number(String(cursor).slice(0, -1));
  if (Number.isNaN(start)) return { ...response, headers };
  const end = start + Number(limit);
  const cut = list.slice(start, end);
  const page = { ...response, headers, body: Array.isArray(body) ? cut : { ...asRecord(body), data: cut } };
  if (end >= list.length) return page;
  const next = new URLSearchParams();
  const asked = { ...query, limit: `${limit}`, cursor: `${String(end).padStart(21, '0')}A` };
  for (const [name, values] of Object.entries(asked)) {
    for (const value of [values].flat()) next.append(name, value);
  }
  return { ...page, headers: { ...headers, Link: `<${url.path}?${next}>; rel="next"` } };
}

const MALFORMED = { type: 'MALFORMED_ADDRESS', title: 'Malformed address', status: 400 };

/** Finds the operation of a request. An address such as `/%` is refused; Prism would end with an error. */
const route: PrismHttpComponents['route'] = (options) => {
  try {
    decodeURIComponent(options.input.url.path);
  } catch {
    const detail = 'The address has a % that is not followed by the code of a character in UTF-8.';
    return { _tag: 'Left', left: ProblemJsonError.fromTemplate(MALFORMED, detail) };
  }
  return router.default(options);
};

/** A part of a request that breaks the contract, as in the problem `invalid-request`. */
export interface Fault {
  pointer: string;
  message: string;
}

/** The severity of an error among Prism's validations. */
const ERROR = 0;
/** The field that a message names; its path ends at the object. */
const FIELD = /(?:required property|additional properties; found) '([^']+)'/;

/** Returns the faults that Prism found in a request, and the query parameters that it passes over. */
function listFaults({ input, resource }: MockOptions): Fault[] {
  const known = new Set(resource.request?.query?.map(({ name }) => name));
  const unknown = Object.keys(input.data.url.query ?? {}).filter((name) => !known.has(name));
  return [
    ...unknown.map((name) => ({ pointer: `/query/${escapeToken(name)}`, message: UNKNOWN_PARAMETER })),
    ...input.validations
      .filter(({ severity }) => severity === ERROR)
      .map(({ path = [], message }) => ({
        pointer: ['', ...path, ...(FIELD.exec(message)?.slice(1) ?? [])].join('/'),
        message: message.replace(/^Request .*?(?=must )/, ''),
      })),
  ];
}

/** Leaves out the 422, which Prism prefers to the 400: the contract refuses by it what is valid and cannot be done. */
function asBadRequest(options: MockOptions, faults: readonly Fault[]): MockOptions {
  const { resource, config, input } = options;
  const responses = resource.responses.filter(({ code }) => code !== '422');
  const preferred = config.code === 422 ? withoutPreference(options) : options;
  // Prism chooses an answer by what it has found, which may be nothing of these.
  const found = input.validations.filter(({ severity }) => severity === ERROR);
  const validations = found.length > 0 ? found : faults.map(({ message }) => ({ severity: ERROR, message }));
  return { ...preferred, resource: { ...resource, responses }, input: { ...input, validations } };
}

/** Puts the faults of the request in the place of those of the example, if its problem lists any, and says the first. */
function withFaults(response: IHttpResponse, faults: readonly Fault[]): IHttpResponse {
  // Prism says without a place that a body is missing.
  const errors = faults.map(({ pointer, message }) => ({ pointer: pointer || '/body', message }));
  return { ...response, body: replaceErrors(response.body, errors) };
}

/** Replaces the `errors` of a problem, also where it is the `data` of an error of JSON-RPC. */
function replaceErrors(body: unknown, errors: readonly Fault[]): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const detail = describeFaults(errors);
  if ('errors' in body) return { ...body, detail, errors };
  if ('error' in body) return { ...body, error: replaceErrors(body.error, errors) };
  if (!('data' in body)) return body;
  return { ...body, message: detail, data: replaceErrors(body.data, errors) };
}
