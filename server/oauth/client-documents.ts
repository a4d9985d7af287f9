import { Resolver } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import * as v from 'valibot';
import { parseJson } from '../../contract/json-record.js';
import { FairGate } from '../common/fair-gate.js';
import { exchange } from '../common/http-exchange.js';
import { LruCache } from '../common/lru-cache.js';
import { unlessAborted } from '../common/unless-aborted.js';
import { unavailable } from '../problems/problem.js';
import { type Client, ClientError, cleanName, isFitRedirect } from './client.js';

const MAX_BYTES = 10_240;

/** The time limits of the name service, and of the connection with the document, in milliseconds. */
const MAX_LOOK_UP_MS = 3000;
const MAX_MS = 5000;

const LIMITS = {
  firstByteMs: MAX_MS,
  silenceMs: MAX_MS,
  endMs: MAX_MS,
  // Headers count too: Node.js takes 16 KiB of them.
  maxReceivedBytes: 64 * 1024,
};

/** The most documents of one site that are fetched at once: anyone may name some that never come. */
const MAX_FETCHES_OF_SITE = 3;

const BUSY = 'The service fetches as many documents of clients as it may; try again.';
const WAITING = { maxWaiting: 32, maxWaitingInAll: 128, maxWaitMs: MAX_MS, busy: () => unavailable(BUSY) };

/** A look-up takes few resources, so many names that never resolve may wait for their time limit. */
const LOOK_UPS = { ...WAITING, slots: 128, slotsPerOwner: 64 };

/** A subscriber never gets all places: the last one is left to others. */
const FETCHES = { ...WAITING, slots: 8 };

const MAX_CACHED = 500;

/** The time for which a document is used without another look, and one that cannot be read is not asked for again. */
const KEPT_MS = 5 * 60_000;
const FAILURE_KEPT_MS = 10_000;

/** Reveals to nobody outside which hosts exist inside, or which answer. */
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
  /** Infinity while it is fetched. */
  readonly until: number;
  readonly result: Promise<Client>;
}

/**
 * Reads the metadata documents that clients are named by (draft-ietf-oauth-client-id-metadata-document).
 * Callers have no key yet, so subscribers of the network take turns. Names are resolved before a
 * document gets one of the few places to fetch it: a name that never resolves holds no place.
 */
export class ClientDocuments {
  readonly #known = new LruCache<Known>({ maxEntries: MAX_CACHED });
  readonly #lookUps = new FairGate(LOOK_UPS);
  readonly #fetches = new FairGate(FETCHES);
  /** The site of each document that is fetched just now. */
  readonly #sites: string[] = [];

  /**
   * @param id an address
   * @param subscriber the part of the caller's IP address that one subscriber has
   * @throws {ClientError} if there is no fit document
   * @throws {ProblemError} if too many are fetched just now
   */
  async find(id: string, subscriber: string): Promise<Client> {
    const url = parseAddress(id);
    const known = this.#recall(id);
    if (known) return known;
    const addresses = await this.#lookUps.run(subscriber, undefined, () => resolvePublic(url.hostname));
    if (addresses instanceof ClientError) {
      return this.#keep(id, Promise.reject(addresses));
    }
    // A fetch that another subscriber has begun is shared, but not the wait for its place.
    return this.#fetches.run(subscriber, undefined, () => {
      return this.#recall(id) ?? this.#keep(id, this.#fetch(id, url, addresses));
    });
  }

  #recall(id: string): Promise<Client> | undefined {
    const known = this.#known.get(id);
    return known && performance.now() < known.until ? known.result : undefined;
  }

  async #keep(id: string, result: Promise<Client>): Promise<Client> {
    const keep = (ms: number) => this.#known.set(id, { until: performance.now() + ms, result });
    keep(Number.POSITIVE_INFINITY);
    try {
      const client = await result;
      keep(KEPT_MS);
      return client;
    } catch (error) {
      keep(error instanceof ClientError ? FAILURE_KEPT_MS : 0);
      throw error;
    }
  }

  async #fetch(id: string, url: URL, addresses: readonly Address[]): Promise<Client> {
    const sites = this.#sites;
    const site = findSite(url);
    if (sites.filter((other) => other === site).length >= MAX_FETCHES_OF_SITE) {
      throw unavailable(BUSY);
    }
    sites.push(site);
    try {
      return readClient(id, url, await fetchDocument(url, addresses));
    } finally {
      sites.splice(sites.indexOf(site), 1);
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

async function fetchDocument(url: URL, addresses: readonly Address[]): Promise<string> {
  const target = {
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname + url.search,
    method: 'GET',
    headers: { accept: 'application/json', 'user-agent': 'Roster' },
    // A separate connection: one that others opened may lead anywhere.
    agent: false,
    lookup: lookUpAmong(addresses),
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
  return version === 4 ? !NOT_PUBLIC.ipv4.check(address, 'ipv4') : !NOT_PUBLIC.ipv6.check(address, 'ipv6');
}

/** An address as `LookupFunction` returns it. */
interface Address {
  readonly address: string;
  readonly family: number;
}

/** Returns a function for connections that gives the very addresses that were checked. */
function lookUpAmong(addresses: readonly Address[]): LookupFunction {
  return (_, { all }, callback) => {
    const [first] = addresses;
    if (all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/** Asks name servers itself: `lookup` would hold one of the few threads of the process for as long as they like. */
const resolver = new Resolver({ timeout: 1000, tries: 2 });

/**
 * Resolves a host. One address that is not public is enough to refuse it.
 * @returns the error for a host that does not resolve in time, or is not public
 */
async function resolvePublic(hostname: string): Promise<readonly Address[] | ClientError> {
  const found = Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  try {
    const [four, six] = await unlessAborted(found, AbortSignal.timeout(MAX_LOOK_UP_MS));
    const addresses = [
      ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 })),
      ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 })),
    ];
    if (addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address))) {
      return addresses;
    }
    return new ClientError(UNREADABLE);
  } catch (cause) {
    return new ClientError(UNREADABLE, { cause });
  }
}
