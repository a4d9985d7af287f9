/**
 * The Model Context Protocol without sessions: each message says all that its answer needs. Revisions up to
 * 2025-11-25 begin with `initialize`, of which nothing is kept; 2026-07-28 has its facts in `_meta` and in headers.
 * https://modelcontextprotocol.io/specification
 */

import { randomUUID } from 'node:crypto';
import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import type { components } from '../../generated/openapi.js';
import {
  decodeHeader,
  HEADER_MISMATCH,
  META,
  STATELESS,
  UNKNOWN_REVISION,
  WITH_INITIALIZE,
} from '../agents/mcp/wire.js';
import { INVALID_PARAMS, type JsonRpcError, METHOD_NOT_FOUND } from '../api/reply/json-rpc.js';
import { JsonText } from '../api/reply/send.js';
import { shortenText, shortenTexts } from '../problems/problem.js';
import { CallCancelled } from './running-calls.js';

export type McpMessage = components['schemas']['McpMessage'];
type McpAnswer = components['schemas']['McpAnswer'];

const VERSION_OF_MESSAGE = `${META}protocolVersion`;
const CAPABILITIES_OF_CLIENT = `${META}clientCapabilities`;
const SERVER_INFO = `${META}serverInfo`;

const REVISIONS: readonly string[] = [STATELESS, ...WITH_INITIALIZE];

/** Up to revision 2025-11-25; since then it is one of invalid params. */
const RESOURCE_NOT_FOUND = -32002;

/** How long clients may keep a list, in milliseconds: what it shows changes with every training. */
const TTL_MS = 60_000;

/** An error of the protocol, which the client reads; a fault within a tool is a result. */
export class RpcError extends Error {
  override readonly name = 'RpcError';

  /** @param status of the answer to a stateless message; the revisions before answer all errors with 200 */
  constructor(
    readonly code: number,
    message: string,
    readonly status: 200 | 400 | 404 = 200,
    readonly data?: Record<string, unknown>,
  ) {
    super(message);
  }
}

export function invalidParams(message: string): RpcError {
  return new RpcError(INVALID_PARAMS, message);
}

/** A resource that does not exist, or that the key may not read. */
export class ResourceNotFound extends RpcError {
  constructor(uri: string) {
    super(INVALID_PARAMS, `There is no resource "${uri}"; ask for resources/list.`, 200, { uri });
  }
}

/** The headers of a message, as the contract names them. */
export interface McpHeaders {
  readonly 'MCP-Protocol-Version'?: string;
  readonly 'Mcp-Method'?: string;
  readonly 'Mcp-Name'?: string;
}

/** The result of a method, as the revisions describe it. */
export type Result = Record<string, unknown>;

/** A text within a result that may be large: it is written piece by piece. */
export class LongText {
  constructor(readonly pieces: readonly string[]) {}
}

/** The members of a call of a tool beside its arguments. */
export interface CallContext {
  /** The id of the request, by which the client may cancel it; undefined where it closes its connection to do so. */
  readonly cancelId: string | number | undefined;
}

/** What the methods of the protocol ask for. */
export interface McpServer {
  readonly version: string;
  /** How to use the tools, for the language model. */
  readonly instructions: string;
  listTools(): Promise<Result>;
  /** @throws {CallCancelled} if the client has cancelled it */
  callTool(name: string, input: unknown, context: CallContext): Promise<Result>;
  /** Cancels a call that runs; does nothing if there is none of the id. */
  cancel(id: string | number): Promise<void>;
  listResources(cursor: string | undefined): Promise<Result>;
  listResourceTemplates(): Result;
  readResource(uri: string): Promise<Result>;
}

export type McpReply =
  | {
      readonly status: 200;
      readonly body: McpAnswer | JsonText<McpAnswer>;
      readonly headers?: { readonly 'Mcp-Session-Id': string };
    }
  | { readonly status: 202 }
  | { readonly status: 400 | 404; readonly body: JsonRpcError };

/** Answers a message, which fits the contract. */
export async function answerMessage(message: McpMessage, headers: McpHeaders, server: McpServer): Promise<McpReply> {
  const { id, method } = message;
  const params = asRecord(message.params);
  if (id === undefined) return takeNotification(message, params, headers, server);
  let isStateless = false;
  try {
    isStateless = readRevision(message, params, headers) === STATELESS;
    const methods = isStateless ? STATELESS_METHODS : METHODS;
    const run = methods.get(method);
    if (!run) {
      const known = [...methods.keys()].join(', ');
      const detail = `There is no method ${JSON.stringify(method)}; there are ${known}.`;
      throw new RpcError(METHOD_NOT_FOUND, detail, 404);
    }
    const found = await run(server, params, { cancelId: isStateless ? undefined : id });
    const result = isStateless ? describeItself(found, server) : found;
    const body: McpAnswer = { jsonrpc: '2.0', id, result };
    // Nothing is kept of a session. Its id tells the requests of a client from those of others with the same key.
    if (method === INITIALIZE) return { status: 200, body, headers: { 'Mcp-Session-Id': randomUUID() } };
    return { status: 200, body: method === READ ? new JsonText(writePieces(body)) : body };
  } catch (error) {
    // The client has said that it expects no answer.
    if (error instanceof CallCancelled) return { status: 202 };
    if (!(error instanceof RpcError)) throw error;
    return writeError(id, error, isStateless);
  }
}

/** Takes what a client only tells. In revision 2026-07-28, it cancels a request by closing its connection. */
async function takeNotification(
  { method }: McpMessage,
  params: JsonRecord,
  headers: McpHeaders,
  server: McpServer,
): Promise<McpReply> {
  if (method !== CANCELLED || headers['MCP-Protocol-Version'] === STATELESS) return { status: 202 };
  const { requestId } = params;
  if (typeof requestId !== 'string' && !Number.isSafeInteger(requestId)) {
    const message = 'The params must have a "requestId", the id of the request to cancel.';
    return { status: 400, body: { jsonrpc: '2.0', error: { code: INVALID_PARAMS, message } } };
  }
  await server.cancel(typeof requestId === 'string' ? requestId : Number(requestId));
  return { status: 202 };
}

/** Writes JSON in pieces where it has a long text, so that other requests are served between them. */
function* writePieces(body: McpAnswer): Generator<string> {
  const texts: LongText[] = [];
  const mark = randomUUID();
  const json = JSON.stringify(body, (_, value) => {
    if (!(value instanceof LongText)) return value;
    texts.push(value);
    return mark;
  });
  const parts = json.split(mark);
  for (const [at, part] of parts.entries()) {
    yield part;
    for (const piece of texts[at]?.pieces ?? []) yield JSON.stringify(piece).slice(1, -1);
  }
}

function writeError(id: string | number, error: RpcError, isStateless: boolean): McpReply {
  const { message, data } = error;
  const code = !isStateless && error instanceof ResourceNotFound ? RESOURCE_NOT_FOUND : error.code;
  const body = {
    jsonrpc: '2.0' as const,
    id,
    error: { code, message: shortenText(message), ...(data && { data: asRecord(shortenTexts(data)) }) },
  };
  // An unknown method is 404 in revision 2026-07-28 alone: a client of another would look for another address.
  const status = !isStateless && error.status === 404 ? 200 : error.status;
  return { status, body };
}

const READ = 'resources/read';
const INITIALIZE = 'initialize';
const CANCELLED = 'notifications/cancelled';

/**
 * Returns the revision of a message: that of `_meta`, which the headers repeat, or one that begins with `initialize`.
 * @throws {RpcError} if it is unknown, or the headers contradict the body
 */
function readRevision(message: McpMessage, params: JsonRecord, headers: McpHeaders): string {
  const header = headers['MCP-Protocol-Version'];
  const meta = asRecord(params['_meta']);
  const own = meta[VERSION_OF_MESSAGE];
  // It negotiates the revision, whatever its sender names.
  if (message.method === INITIALIZE && own !== STATELESS) return WITH_INITIALIZE[0];
  if (own === undefined && isOlder(header)) return header ?? WITH_INITIALIZE[0];
  if (own === undefined && header !== STATELESS) throw unknownRevision(header);
  if (typeof own !== 'string') throw missingMeta(VERSION_OF_MESSAGE);
  requireSame('MCP-Protocol-Version', header, own);
  if (!REVISIONS.includes(own)) throw unknownRevision(own);
  // A client that read the list of revisions may name an older one so.
  if (own !== STATELESS) return own;
  const capabilities = meta[CAPABILITIES_OF_CLIENT];
  if (typeof capabilities !== 'object' || capabilities === null) {
    throw missingMeta(CAPABILITIES_OF_CLIENT);
  }
  requireSame('Mcp-Method', headers['Mcp-Method'], message.method);
  const name = NAMES.get(message.method);
  const named = name && params[name];
  if (typeof named === 'string') {
    requireSame('Mcp-Name', decodeHeader(headers['Mcp-Name']), named);
  }
  return own;
}

/** The member of the params that the header `Mcp-Name` repeats, by the method. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  [READ, 'uri'],
]);

function isOlder(header: string | undefined): boolean {
  return header === undefined || WITH_INITIALIZE.some((revision) => revision === header);
}

function requireSame(name: string, header: string | undefined, body: string): void {
  if (header === body) return;
  const sent = header === undefined ? 'is missing' : `is '${header}'`;
  const detail = `The header ${name} ${sent}, and the body has '${body}'; send the same in both.`;
  throw new RpcError(HEADER_MISMATCH, detail, 400);
}

function missingMeta(name: string): RpcError {
  const message = `The params have no _meta["${name}"], which revision ${STATELESS} requires.`;
  return new RpcError(INVALID_PARAMS, message, 400);
}

function unknownRevision(requested = ''): RpcError {
  const message = `The revision '${requested}' is unknown; use one of ${REVISIONS.join(', ')}.`;
  return new RpcError(UNKNOWN_REVISION, message, 400, { supported: [...REVISIONS], requested });
}

type Run = (server: McpServer, params: JsonRecord, context: CallContext) => Result | Promise<Result>;

const CAPABILITIES = { tools: {}, resources: {} };

/** The methods that all revisions have. */
const SHARED: readonly (readonly [string, Run])[] = [
  [
    'tools/list',
    (server, { cursor }) => {
      // The list has one page.
      if ((cursor ?? undefined) !== undefined) throw invalidParams('The cursor is none of this list.');
      return server.listTools();
    },
  ],
  [
    'tools/call',
    (server, params, context) => server.callTool(readText(params, 'name'), params['arguments'] ?? {}, context),
  ],
  [
    'resources/list',
    (server, params) =>
      server.listResources((params['cursor'] ?? undefined) === undefined ? undefined : readText(params, 'cursor')),
  ],
  ['resources/templates/list', (server) => server.listResourceTemplates()],
  [READ, (server, params) => server.readResource(readText(params, 'uri'))],
];

const METHODS: ReadonlyMap<string, Run> = new Map([
  ...SHARED,
  [
    INITIALIZE,
    ({ version, instructions }, { protocolVersion }) => ({
      protocolVersion: WITH_INITIALIZE.find((revision) => revision === protocolVersion) ?? WITH_INITIALIZE[0],
      capabilities: CAPABILITIES,
      serverInfo: identify(version),
      instructions,
    }),
  ],
  ['ping', () => ({})],
]);

const STATELESS_METHODS: ReadonlyMap<string, Run> = new Map([
  ...SHARED.map(([name, run]): [string, Run] => [name, name === 'tools/call' ? run : keepable(run)]),
  [
    'server/discover',
    keepable(({ instructions }) => ({ supportedVersions: [...REVISIONS], capabilities: CAPABILITIES, instructions })),
  ],
]);

/** Tells clients how long they may keep the result of a method. Each depends on the key. */
function keepable(run: Run): Run {
  return async (server, params, context) => ({
    ...(await run(server, params, context)),
    ttlMs: TTL_MS,
    cacheScope: 'private',
  });
}

function describeItself(result: Result, { version }: McpServer) {
  const _meta = { [SERVER_INFO]: identify(version) };
  return { resultType: 'complete', ...result, _meta };
}

function identify(version: string) {
  return { name: 'roster', title: 'Roster', version };
}

function readText(params: JsonRecord, name: string): string {
  const value = params[name];
  if (typeof value === 'string') return value;
  throw invalidParams(`The params must have a text "${name}".`);
}
