import { FACADE } from '../../../generated/facade.js';
import { agentEvents } from '../agents/agent-events.js';
import type { RosterClient } from '../contract/calls.js';
import type { PageQuery } from '../paging.js';
import type { Answer } from '../problem-error.js';
import { SentCall, SentList } from './call.js';
import type { Events, FacadeOperation } from './types.js';

/** The operations of the contract, by resource and by the name of their method. */
export const TABLE: Readonly<Record<string, Readonly<Record<string, FacadeOperation>>>> = FACADE;

/** The options of the typed client, without the types that depend on the address. */
interface RequestParts {
  readonly params: { readonly path: Named; readonly query: Named; readonly header: Named };
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | null;
}
type Named = Readonly<Record<string, unknown>>;
type Send = (path: string, init: RequestParts) => Promise<Answer<never>>;

/** A method of the façade, whose arguments are the names in the address, the body and the options. */
export type Method = (...given: readonly unknown[]) => Sent;

type Sent = SentCall<never, never> | SentList<never, never> | Events;

/** Returns the method that sends what a row of the table says. */
export function createMethod(client: RosterClient, project: string, operation: FacadeOperation) {
  // The same method for any address: which options it takes was checked where the façade was called.
  const send = client[operation.method] as Send;
  return (...given: readonly unknown[]) => {
    const init = buildRequest(operation, project, given);
    const { path, reads } = operation;
    switch (reads) {
      case 'list': {
        const { query } = init.params;
        const { limit } = query;
        const page = (page?: PageQuery) =>
          send(path, { ...init, params: { ...init.params, query: { ...query, ...page } } });
        return new SentList(page, typeof limit === 'number' ? limit : undefined);
      }
      case 'events':
        return agentEvents((streamed) => send(path, { ...init, ...streamed }));
      case 'json':
      case 'text':
      case 'blob':
      case 'nothing': {
        const call = new SentCall(() => send(path, init));
        // A change is made even if nobody awaits its outcome, which a reader of the code would expect. Its failure must
        // not end the process then.
        if (operation.method !== 'GET') void call.result().catch(() => {});
        return call;
      }
    }
  };
}

/** Sorts the arguments of a method into the parts of a request. */
function buildRequest(operation: FacadeOperation, project: string, given: readonly unknown[]): RequestParts {
  const { names, consumes = [], wraps, headers = [] } = operation;
  const path = Object.fromEntries(names.map((name, at) => [name, requireName(operation, name, given[at])]));
  const rest = given.slice(names.length);
  const body = consumes.length > 0 ? rest.shift() : undefined;
  const { signal = null, contentType, ...options } = readOptions(rest[0]);
  const mediaType = findMediaType(body, contentType, consumes);
  const named = Object.entries(options).filter(([, value]) => value !== undefined);
  const isHeader = ([name]: readonly [string, unknown]) => headers.includes(name);
  return {
    params: {
      path: { project_name: project, projectName: project, ...path },
      query: Object.fromEntries(
        named.filter((option) => !isHeader(option)).map(([name, value]) => [requireOption(operation, name), value]),
      ),
      header: Object.fromEntries(named.filter(isHeader).map(([name, value]) => [separate(name, '-'), value])),
    },
    ...(body !== undefined && { body: wraps === undefined ? body : { [wraps]: body } }),
    ...(mediaType !== undefined && { headers: { 'Content-Type': mediaType } }),
    signal,
  };
}

/** @throws TypeError if a name in the address is missing; other faulty ones are refused with the address */
function requireName({ id, names }: FacadeOperation, name: string, value: unknown): unknown {
  if (value !== undefined) return value;
  throw new TypeError(`${id} needs ${names.join(', ')}: the ${name} is undefined`);
}

/** @throws TypeError if the operation has no such option */
function requireOption({ id, query = [], headers = [] }: FacadeOperation, name: string): string {
  const parameter = separate(name, '_');
  if (query.includes(parameter)) return parameter;
  const known = ['signal', ...query, ...headers].join(', ');
  throw new TypeError(`${id} has no option "${name}"; it has ${known}`);
}

interface AnyOptions {
  readonly signal?: AbortSignal | null;
  readonly contentType?: string;
  readonly [option: string]: unknown;
}

/** Returns the options among the arguments of a method; empty if there are none. */
export function readOptions(value: unknown): AnyOptions {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Returns the media type of a body; undefined for JSON, and without a body. */
function findMediaType(
  body: unknown,
  contentType: string | undefined,
  consumes: readonly string[],
): string | undefined {
  if (contentType !== undefined) return contentType;
  const isBlob = body instanceof Blob;
  if (!isBlob && typeof body !== 'string' && !(body instanceof ReadableStream)) return undefined;
  const own = isBlob ? consumes.find((type) => body.type.startsWith(type)) : undefined;
  return own ?? consumes.find((type) => type.startsWith('text/'));
}

/** `groupBy` becomes `group_by`, and `ifMatch` becomes `if-match`. */
function separate(name: string, between: '_' | '-'): string {
  return name.replace(/[A-Z]/g, (letter) => between + letter.toLowerCase());
}
