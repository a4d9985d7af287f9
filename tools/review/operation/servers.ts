import type { JsonRecord } from '../../../server/contract/json-record.js';
import type { Finding } from '../finding.js';
import type { Pair } from '../schema/comparison.js';
import type { Operation } from './operations.js';
import { ownServers } from './own-servers.js';
import type { Scope } from './scope.js';

/** Servers, and the part of the contract that lists them. */
export interface Servers {
  readonly part: JsonRecord;
  readonly servers: readonly JsonRecord[];
}

/** Compares the servers of an operation, if it has its own in one of the versions; else the document's apply. */
export function compareOwnServers(scope: Scope, { before, after }: Pair<Operation>): Finding[] {
  if (!before.servers && !after.servers) return [];
  const of = ({ definition: part, servers }: Operation, document: JsonRecord): Servers => ({
    part,
    servers: servers ?? documentServers(document).servers,
  });
  const { contracts } = scope;
  return compareServers(scope, {
    before: of(before, contracts.before.document),
    after: of(after, contracts.after.document),
  });
}

/** Compares two lists of servers by their addresses. */
export function compareServers(scope: Scope, { before, after }: Pair<Servers>): Finding[] {
  const [old, now] = [byAddress(before.servers), byAddress(after.servers)];
  const details = { before: before.part, after: after.part };
  return [
    ...[...old.keys()]
      .filter((url) => !now.has(url))
      .map((was) => scope.finding('server-removed', { ...details, was }, 'servers')),
    ...[...now.keys()]
      .filter((url) => !old.has(url))
      .map((is) => scope.finding('server-added', { ...details, is }, 'servers')),
    ...[...now].flatMap(([is, server]) => {
      const was = old.get(is);
      if (!was || isDeprecated(was) === isDeprecated(server)) return [];
      const rule = isDeprecated(server) ? 'deprecated' : 'no-longer-deprecated';
      return [scope.within(`server ${is}`).finding(rule, { before: was, after: server })];
    }),
  ];
}

/** Returns the servers of a document, which has one at `/` by default (OpenAPI 3.1, section 4.8.1). */
export function documentServers(document: JsonRecord): Servers {
  return { part: document, servers: ownServers(document) ?? [{ url: '/' }] };
}

function byAddress(servers: readonly JsonRecord[]): Map<string, JsonRecord> {
  return new Map(servers.map((server) => [String(server['url']), server]));
}

/** Servers have no `deprecated`; the extension says until when they answer. */
function isDeprecated(server: JsonRecord): boolean {
  return server['x-roster-sunset'] !== undefined;
}
