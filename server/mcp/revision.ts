/** Which revision of the protocol a message speaks. */

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
import { INVALID_PARAMS } from '../api/reply/json-rpc.js';
import { RpcError } from './server.js';

export type McpMessage = components['schemas']['McpMessage'];

/** The headers of a message, as the contract names them. */
export interface McpHeaders {
  readonly 'MCP-Protocol-Version'?: string;
  readonly 'Mcp-Method'?: string;
  readonly 'Mcp-Name'?: string;
}

export const CALL = 'tools/call';
export const READ = 'resources/read';
export const INITIALIZE = 'initialize';

export const REVISIONS: readonly string[] = [STATELESS, ...WITH_INITIALIZE];

const VERSION_OF_MESSAGE = `${META}protocolVersion`;
const CAPABILITIES_OF_CLIENT = `${META}clientCapabilities`;

/**
 * Returns the revision of a message: that of `_meta`, which the headers repeat, or one that begins with `initialize`.
 * @throws {RpcError} if it is unknown, or the headers contradict the body
 */
export function readRevision(message: McpMessage, params: JsonRecord, headers: McpHeaders): string {
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
  [CALL, 'name'],
  ['prompts/get', 'name'],
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
