import * as v from 'valibot';
import { isHttpAddress } from '../../common/addresses.js';
import { OWNERS, parseNamed } from '../../common/named-settings.js';
import { followSecret, readSecret } from '../../common/secret-file.js';
import { STATELESS, WITH_INITIALIZE } from './wire.js';

/** Headers that HTTP, or the protocol, sets itself. */
const RESERVED =
  /^(?:accept(?:-.*)?|connection|content-.*|cookie|expect|host|keep-alive|last-event-id|mcp-.*|roster-.*|te|trailer|transfer-encoding|upgrade)$/i;

const headerName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z][A-Za-z0-9-]{0,99}$/),
  v.check((name) => !RESERVED.test(name)),
);

/** Visible characters of ASCII, with spaces between them. */
const headerValue = v.pipe(v.string(), v.regex(/^[\x21-\x7e](?:[\x20-\x7e]{0,8190}[\x21-\x7e])?$/));

const server = v.object({
  /** An `http://` or `https://` address. Its query may have a secret: it is never shown. */
  url: v.pipe(v.string(), v.check(isHttpAddress)),
  owners: OWNERS,
  /** Values, or the paths of files that have them. */
  headers: v.optional(
    v.pipe(
      v.record(headerName, v.union([headerValue, v.strictObject({ file: v.string() })])),
      v.check((headers) => Object.keys(headers).length <= 20),
    ),
    {},
  ),
  /** The revision of the protocol, for a server that answers to one that it does not know. */
  revision: v.optional(v.picklist([STATELESS, WITH_INITIALIZE[0]])),
});

export interface McpServerSettings {
  readonly url: string;
  readonly owners?: ReadonlySet<string> | undefined;
  /** Undefined if the server is asked. */
  readonly revision?: typeof STATELESS | (typeof WITH_INITIALIZE)[0] | undefined;
  /** Returns the headers of each request, which files may change. Their values may be secret. */
  readonly readHeaders: () => Readonly<Record<string, string>>;
}

/**
 * Reads the MCP servers of the environment variable `MCP_SERVERS`: a JSON object whose values are
 * URLs or `{"url": …, "headers": {…}, "revision": …, "owners": […]}`.
 * @throws {Error} if the text is malformed, or the file of a header cannot be read. The message is
 *   one line and shows no URL and no value of a header.
 */
export function parseMcpServers(text: string): ReadonlyMap<string, McpServerSettings> {
  const parsed = parseNamed(text, {
    variable: 'MCP_SERVERS',
    noun: 'MCP server',
    schema: server,
    example: '{"shop": "https://shop.example.com/mcp"}',
    rules: {
      url: (name) =>
        `the URL of the MCP server ${name} must be an http:// or https:// address without a user and without #; send a key as a header`,
      headers: (name) =>
        `the headers of the MCP server ${name} must be an object of up to 20 names and values, such as {"Authorization": "Bearer …"} or {"Authorization": {"file": "/etc/roster/shop"}}, none of which HTTP or MCP sets itself`,
      revision: (name) =>
        `the revision of the MCP server ${name} must be ${STATELESS} or ${WITH_INITIALIZE[0]}; leave it out to ask the server`,
    },
  });
  return new Map(
    [...parsed].map(([name, { headers, ...settings }]) => {
      const readers = Object.entries(headers).map(([header, value]) => {
        const read = typeof value === 'string' ? () => value : followHeader(name, header, value.file);
        return [header, read] as const;
      });
      const readHeaders = () => Object.fromEntries(readers.map(([header, read]) => [header, read()]));
      return [name, { ...settings, readHeaders }];
    }),
  );
}

function followHeader(server: string, header: string, file: string): () => string {
  const variable = `MCP_SERVERS: the header ${header} of the MCP server ${server}`;
  const isWellFormed = (value: string) => v.is(headerValue, value);
  const value = readSecret(variable, file);
  if (isWellFormed(value)) return followSecret(file, value, isWellFormed);
  throw new Error(`${variable} must be one line of visible characters of ASCII in "${file}"`);
}
