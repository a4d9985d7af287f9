import type { Operation } from '../../contract/document.js';
import type { Scope } from '../../contract/scopes.js';
import { isName } from '../common/names.js';

/** The path of the MCP server; that of a project's has its name behind it. */
export const MCP_PATH = '/mcp';

/** The path of the metadata of a resource, which its own path follows (RFC 9728, section 3.1). */
const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** The scopes that a token can have: no tool of MCP needs another. */
export const TOKEN_SCOPES = ['read', 'predict', 'ask'] as const satisfies readonly Scope[];

/** The resource that a token of OAuth is for (RFC 8707). */
export interface Resource {
  /** Such as `/mcp/shop`. */
  readonly path: string;
  /** The address of its metadata. */
  readonly metadata: string;
}

/** The choice of tools in an address of MCP, as the contract has it. The comma may be encoded. */
const TOOLS = /^\?tools=(?:[A-Za-z0-9_-]|,|%2C){1,4159}$/i;

/**
 * Returns the path of the MCP server that an address names: with a slash at its end, or with a choice of tools, it is
 * the same server. A token for it is good for all of these; undefined if the address is of no MCP server.
 * @param resource an address, or the default
 * @param issuer the origin at which clients reach the service
 */
export function readResource(resource: string | undefined, issuer: string): string | undefined {
  if (!resource) return MCP_PATH;
  if (!resource.startsWith(`${issuer}/`)) return undefined;
  const sent = resource.slice(issuer.length);
  const end = sent.includes('?') ? sent.indexOf('?') : sent.length;
  if (end < sent.length && !TOOLS.test(sent.slice(end))) return undefined;
  const path = sent.slice(0, sent[end - 1] === '/' ? end - 1 : end);
  if (path === MCP_PATH) return path;
  return path.startsWith(`${MCP_PATH}/`) && isName(path.slice(MCP_PATH.length + 1)) ? path : undefined;
}

/**
 * Returns the resource that a request is for; undefined if no token is good for it. Its metadata names the address that
 * was asked for (RFC 9728, section 3.3).
 * @param params of the address, not validated yet
 * @param publicUrl of the service, which gives tokens if it has one
 * @param url the path and the query, as they were sent
 */
export function locateResource(
  { speaksJsonRpc }: Operation,
  { project_name: project }: Readonly<Record<string, string>> = {},
  publicUrl: string,
  url: string,
): Resource | undefined {
  if (!speaksJsonRpc) return undefined;
  const path = project === undefined ? MCP_PATH : `${MCP_PATH}/${project}`;
  const known = project === undefined || isName(project) ? path : MCP_PATH;
  return { path, metadata: publicUrl + METADATA_PATH + nameAsSent(url, path, publicUrl, known) };
}

/** Returns the address of the resource that a request for its metadata means, as it was sent. */
export function describedResource(url: string, path: string, publicUrl: string): string {
  return publicUrl + nameAsSent(url.slice(METADATA_PATH.length), path, publicUrl, path);
}

/** Returns the path and the query of a resource as they were sent, if they name it; otherwise the usual ones. */
function nameAsSent(url: string, path: string, publicUrl: string, usual: string): string {
  return url !== '' && readResource(publicUrl + url, publicUrl) === path ? url : usual;
}
