import { Resolver } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import * as v from 'valibot';
import { exchange } from '../common/http-exchange.js';
import { LruCache } from '../common/lru-cache.js';
import { parseJson } from '../contract/json-record.js';
import { unavailable } from '../problems/problem.js';
import { type Client, ClientError, cleanName, isFitRedirect } from './client.js';

const MAX_BYTES = 10_240;

/** For the name service, the connection and the document together, in milliseconds. */
const MAX_MS = 5000;

const LIMITS = {
  firstByteMs: MAX_MS,
  silenceMs: MAX_MS,
  endMs: MAX_MS,
  // Headers count too: Node.js takes 16 KiB of them.
  maxReceivedBytes: 64 * 1024,
};

/** The most documents that are fetched at once, of all hosts and of one site: anyone may name some that never come. */
const MAX_FETCHES = 8;
const MAX_FETCHES_OF_SITE = 3;

const MAX_CACHED = 500;

/** The time for which a document is used without another look, and one that cannot be read is not asked for again. */
const KEPT_MS = 5 * 60_000;
const FAILURE_KEPT_MS = 10_000;

/** Tells nobody outside which hosts there are inside, or what answers there. */
const UNREADABLE = `The metadata document of the client cannot be read. Its address has to be of a public host, and answer within ${MAX_MS / 1000} seconds, without a redirect, with at most ${MAX_BYTES} bytes of JSON.`;

/** More than of a registered client, whose id they are part of. */
const MAX_REDIRECTS = 50;

const metadata = v.object({
  client_id: v.string(),
  client_name: v.nullish(v.string()),
  redirect_uris: v.pipe(v.array(v.string()), v.maxLength(MAX_REDIRECTS)),
  token_endpoint_auth_method: v.optional(v.string(), 'none'),
});

interface Known {
  readonly until: number;
  readonly result: Promise<Client>;
}

/** Reads the metadata documents that clients are named by (draft-ietf-oauth-client-id-metadata-document). */
export class ClientDocuments {
  readonly #known = new LruCache<Known>({ maxEntries: MAX_CACHED });
  /** The site of each document that is fetched just now. */
  readonly #fetched: string[] = [];

  /**
   * @param id an address
   * @throws {ClientError} if there is no fit document
   * @throws {ProblemError} if too many are fetched just now
   */
  async find(id: string): Promise<Client> {
    const url = parseAddress(id);
    const known = this.#known.get(id);
    if (known && performance.now() < known.until) return known.result;
    const fetched = this.#fetched;
    const site = findSite(url);
    const ofSite = fetched.filter((other) => other === site).length;
    if (fetched.length >= MAX_FETCHES || ofSite >= MAX_FETCHES_OF_SITE) {
      throw unavailable('The service fetches as many documents of clients as it may; try again.');
    }
    fetched.push(site);
    const result = fetchDocument(url)
      .then((text) => readClient(id, url, text))
      .finally(() => {
        fetched.splice(fetched.indexOf(site), 1);
      });
    const keep = (ms: number) => this.#known.set(id, { until: performance.now() + ms, result });
    // Who asks meanwhile waits for this one.
    keep(MAX_MS);
    try {
      const client = await result;
      keep(KEPT_MS);
      return client;
    } catch (error) {
      keep(FAILURE_KEPT_MS);
      throw error;
    }
  }
}

/**
 * Takes an address only in the form in which it is compared and asked for, on the usual port, and with a name:
 * of an address of numbers nobody has to be asked, so that it would not be checked.
 */
function parseAddress(id: string): URL {
  const url = URL.canParse(id) ? new URL(id) : undefined;
  const isFit =
    url?.href === id &&
    url.protocol === 'https:' &&
    url.username + url.password + url.port + url.hash === '' &&
    url.pathname !== '/' &&
    isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0;
  if (url && isFit) return url;
  throw new ClientError(
    'client_id must be the id of a registered client, or the https address of a metadata document, with a name, a path and no port, user or fragment.',
  );
}

/** Returns the end of a host name: who has a name has all names below it. */
function findSite({ hostname }: URL): string {
  return hostname.split('.').slice(-2).join('.');
}

async function fetchDocument(url: URL): Promise<string> {
  const target = {
    ...{ protocol: url.protocol, hostname: url.hostname, path: url.pathname + url.search },
    ...{ method: 'GET', headers: { accept: 'application/json', 'user-agent': 'Roster' } },
    // A connection of its own: one that others opened may lead anywhere.
    agent: false,
    lookup: lookUpPublic,
  };
  try {
    const signal = AbortSignal.timeout(MAX_MS);
    const response = await exchange(target, undefined, LIMITS, signal);
    if (response.status !== 200) {
      response.cancel();
      throw new Error(`The status is ${response.status}.`);
    }
    const text = await response.readBeginning(MAX_BYTES + 1);
    if (Buffer.byteLength(text) > MAX_BYTES) throw new Error('The document is too long.');
    return text;
  } catch (cause) {
    throw new ClientError(UNREADABLE, { cause });
  }
}

function readClient(id: string, { host }: URL, text: string): Client {
  const { success, output } = v.safeParse(metadata, parseJson(text));
  if (!success) {
    throw new ClientError(
      `The metadata document of the client must be JSON with client_id, redirect_uris, which are at most ${MAX_REDIRECTS} texts, and client_name, if it has a name, as a text.`,
    );
  }
  if (output.client_id !== id) {
    throw new ClientError('The metadata document names another client_id than its own address.');
  }
  if (output.token_endpoint_auth_method !== 'none') {
    throw new ClientError(
      'The metadata document asks for a token_endpoint_auth_method other than none, the only one here.',
    );
  }
  const redirectUris = output.redirect_uris.filter(isFitRedirect);
  return { id, name: cleanName(output.client_name), host, redirectUris };
}

/**
 * Everything but the addresses that the world can reach (IANA's registries of special-purpose addresses). A list of
 * both versions would take an address of IPv4 for one of ::ffff:0:0/96.
 */
const NOT_PUBLIC = {
  ipv4: blockList('ipv4', [
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
    ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
    ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
  ]),
  // Only 2000::/3 is given to anyone; within it, what embeds other addresses or is for examples is not.
  ipv6: blockList('ipv6', [
    ...['::/3', '4000::/2', '8000::/1'],
    ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
  ]),
};

function blockList(version: 'ipv4' | 'ipv6', subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net = '', prefix] = subnet.split('/');
    list.addSubnet(net, Number(prefix), version);
  }
  return list;
}

/** Returns whether the world can reach an address of the Internet. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  return version === 4
    ? !NOT_PUBLIC.ipv4.check(address, 'ipv4')
    : !NOT_PUBLIC.ipv6.check(address, 'ipv6');
}

/** Asks name servers itself: `lookup` would hold one of the few threads of the process for as long as they like. */
const resolver = new Resolver({ timeout: 2000, tries: 2 });

/**
 * Resolves a host for a connection, which then uses the very addresses that were checked. One address that is not
 * public is enough to refuse the host.
 */
const lookUpPublic: LookupFunction = (hostname, { all }, callback) => {
  resolvePublic(hostname).then(
    (addresses) => {
      const [first] = addresses;
      if (all) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    },
    (error: Error) => callback(error, ''),
  );
};

async function resolvePublic(hostname: string) {
  const [four, six] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  const addresses = [
    ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 })),
    ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 })),
  ];
  if (addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address))) {
    return addresses;
  }
  throw new Error('The host is not public.');
}
