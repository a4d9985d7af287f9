import { asRecord, type JsonRecord } from '../../../server/contract/json-record.js';
import { elements } from '../contract/contract.js';

/** Returns the servers of a part; undefined if it has none of its own. */
export function ownServers(part: JsonRecord): JsonRecord[] | undefined {
  const servers = elements(part['servers']).map(asRecord);
  return servers.length > 0 ? servers : undefined;
}
