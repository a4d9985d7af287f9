import type { Contract } from '../contract/document.js';
import { asRecord } from '../contract/json-record.js';

/**
 * Returns the contract as JSON for this service: as in the file, but with `servers` behind its base
 * path. The file itself describes a service without a base path.
 */
export function contractAsJson({ document }: Contract, basePath: string): string {
  const { servers } = document;
  return JSON.stringify({
    ...document,
    servers: (Array.isArray(servers) ? servers : []).map((server) => behind(basePath, server)),
  });
}

function behind(basePath: string, server: unknown): object {
  const { url, ...others } = asRecord(server);
  return { url: basePath && url === '/' ? basePath : `${basePath}${url}`, ...others };
}
