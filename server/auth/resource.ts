import type { Operation } from '../../contract/document.js';
import type { Scope } from '../../contract/scopes.js';

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

/**
 * Returns the resource that a request is for; undefined if no token is good for it.
 * @param params of the address, not validated yet
 * @param publicUrl of the service, which gives tokens if it has one
 */
export function locateResource(
  { speaksJsonRpc }: Operation,
  { project_name: project }: Readonly<Record<string, string>> = {},
  publicUrl: string,
): Resource | undefined {
  if (!speaksJsonRpc) return undefined;
  const path = project === undefined ? MCP_PATH : `${MCP_PATH}/${project}`;
  const named = project === undefined || /^[\w.-]{1,100}$/.test(project) ? path : MCP_PATH;
  return { path, metadata: publicUrl + METADATA_PATH + named };
}
