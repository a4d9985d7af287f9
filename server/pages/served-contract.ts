import type { Contract } from '../contract/document.js';
import { asRecord, type JsonRecord } from '../contract/json-record.js';

/**
 * Returns the contract as JSON for this service: as in the file, but with all `servers` behind its base
 * path. The file itself describes a service without a base path.
 */
export function contractAsJson({ document }: Contract, basePath: string): string {
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    behind(basePath, item),
  ]);
  return JSON.stringify({ ...behind(basePath, document), paths: Object.fromEntries(paths) });
}

/** Returns the document or a path item, whose servers are behind the base path. */
function behind(basePath: string, part: JsonRecord): JsonRecord {
  const { servers } = part;
  if (!Array.isArray(servers)) return part;
  return { ...part, servers: servers.map((server) => serverBehind(basePath, server)) };
}

function serverBehind(basePath: string, server: unknown): JsonRecord {
  const { url, ...others } = asRecord(server);
  return { url: basePath && url === '/' ? basePath : `${basePath}${url}`, ...others };
}
