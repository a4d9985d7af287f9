import type { Contract } from '../contract/document.js';
import { asRecord } from '../contract/json-record.js';

/**
 * The contract as JSON, as this service keeps it: what the file says, but with `servers` that lead to the
 * service behind its base path. The file itself speaks of a service that has none.
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
