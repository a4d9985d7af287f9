/**
 * The Model Context Protocol without sessions: each message says all that its answer needs. Revisions up to
 * 2025-11-25 begin with `initialize`, of which nothing is kept; 2026-07-28 has its facts in `_meta` and in headers.
 * https://modelcontextprotocol.io/specification
 */

import { randomUUID } from 'node:crypto';
import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import type { components } from '../../generated/openapi.js';
import { STATELESS } from '../agents/mcp/wire.js';
import { INTERNAL_ERROR, INVALID_PARAMS, type JsonRpcError } from '../api/reply/json-rpc.js';
import { EventStream, JsonText } from '../api/reply/send.js';
import { shortenText, shortenTexts } from '../problems/problem.js';
import { describeItself, findMethod } from './methods.js';
import { type McpEvent, type ProgressToken, ReportingWork, readProgressToken } from './progress.js';
import { CALL, INITIALIZE, type McpHeaders, type McpMessage, READ, readRevision } from './revision.js';
import { CallCancelled } from './running-calls.js';
import { LongText, type McpServer, type Report, ResourceNotFound, RpcError } from './server.js';

type McpAnswer = components['schemas']['McpAnswer'];

/** Up to revision 2025-11-25; since then it is one of invalid params. */
const RESOURCE_NOT_FOUND = -32002;

export type McpReply =
  | {
      readonly status: 200;
      readonly body: McpAnswer | JsonText<McpAnswer> | EventStream;
      readonly headers?: { readonly 'Mcp-Session-Id': string };
    }
  | { readonly status: 202 }
  | { readonly status: 400 | 404; readonly body: JsonRpcError };

/** A message that fits the contract, as it was sent. */
export interface SentMessage {
  readonly body: McpMessage;
  readonly headers: McpHeaders;
  /** Returns whether the client takes a media type as the answer. */
  accepts(type: string): boolean;
}

/** A request, which has an answer. */
interface Request {
  readonly id: string | number;
  readonly method: string;
  readonly params: JsonRecord;
  readonly isStateless: boolean;
}

/** Answers a message. */
export async function answerMessage(message: SentMessage, server: McpServer): Promise<McpReply> {
  const { body, headers } = message;
  const { id, method } = body;
  const params = asRecord(body.params);
  if (id === undefined) return takeNotification(body, params, headers, server);
  let isStateless = false;
  try {
    isStateless = readRevision(body, params, headers) === STATELESS;
    const request = { id, method, params, isStateless };
    const token = method === CALL ? readProgressToken(asRecord(params['_meta'])['progressToken']) : undefined;
    if (token !== undefined && message.accepts(EVENTS)) return await answerWithProgress(request, token, server);
    const answer = await answerRequest(request, server, () => {});
    // Nothing is kept of a session. Its id tells the requests of a client from those of others with the same key.
    if (method === INITIALIZE) return { status: 200, body: answer, headers: { 'Mcp-Session-Id': randomUUID() } };
    return { status: 200, body: method === READ ? new JsonText(writePieces(answer)) : answer };
  } catch (error) {
    // The client has said that it expects no answer.
    if (error instanceof CallCancelled) return { status: 202 };
    if (!(error instanceof RpcError)) throw error;
    return writeError(id, error, isStateless);
  }
}

const EVENTS = 'text/event-stream';
const CANCELLED = 'notifications/cancelled';

async function answerRequest(request: Request, server: McpServer, report: Report): Promise<McpAnswer> {
  const { id, method, params, isStateless } = request;
  const run = findMethod(method, isStateless);
  const found = await run(server, params, { cancelId: isStateless ? undefined : id, report });
  return { jsonrpc: '2.0', id, result: isStateless ? describeItself(found, server) : found };
}

/** Answers as usual, or in a stream as soon as there is something to report. */
async function answerWithProgress(request: Request, token: ProgressToken, server: McpServer): Promise<McpReply> {
  const work = new ReportingWork((report) => answerRequest(request, server, report));
  const whole = await work.begin();
  if (whole) return { status: 200, body: whole.answer };
  const writeEnd = (ended: PromiseSettledResult<McpAnswer>): McpEvent | undefined => {
    if (ended.status === 'fulfilled') return ended.value;
    const error: unknown = ended.reason;
    if (error instanceof CallCancelled) return undefined;
    const rpcError = error instanceof RpcError ? error : new RpcError(INTERNAL_ERROR, server.explain(error));
    return writeError(request.id, rpcError, request.isStateless).body;
  };
  return { status: 200, body: new EventStream(work.events(token, writeEnd)) };
}

/** Takes a notification of a client. In revision 2026-07-28, it cancels a request by closing its connection. */
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

function writeError(id: string | number, error: RpcError, isStateless: boolean) {
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
