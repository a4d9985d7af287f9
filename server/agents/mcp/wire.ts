/** Names, codes and headers that both sides of the Model Context Protocol write and read. */

/** The revision whose messages say all about themselves. */
export const STATELESS = '2026-07-28';

/** The revisions that begin with `initialize`, the newest first. */
export const WITH_INITIALIZE = ['2025-11-25', '2025-06-18'] as const;

export const HEADER_MISMATCH = -32020;
export const UNKNOWN_REVISION = -32022;

/** The prefix of the protocol's own members of `_meta`. */
export const META = 'io.modelcontextprotocol/';

/** The header that counts the agents that have asked one another up to a message. */
export const DEPTH_HEADER = 'Roster-Depth';

const ENCODED = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/;

/** Encodes what cannot stand in a header as it is: `=?base64?…?=`. */
export function encodeHeader(value: string): string {
  const isPlain = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/.test(value);
  if (isPlain && !(value.startsWith('=?base64?') && value.endsWith('?='))) return value;
  return `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

/** Decodes a header; one that is not encoded stays as it is. */
export function decodeHeader(value: string | undefined): string | undefined {
  const [, encoded] = ENCODED.exec(value ?? '') ?? [];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString();
}
