/** Both official clients call in parallel after their access token has ended. Each call refreshes. */

import { equal, ok } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { Store } from '../../../server/store/index.js';
import { readText } from '../../../testkit/json.js';
import { requireFrom } from '../../../tools/on-demand/installed.js';

const CALLBACK = 'http://127.0.0.1:33418/callback';
const TOOL = { name: 'predict_prices', arguments: { carat: 0.7 } };
const MOST = 10;

interface Transport {
  finishAuth(answer: string | URLSearchParams): Promise<void>;
}

interface Client {
  connect(transport: Transport): Promise<void>;
  callTool(call: object): Promise<object>;
  close(): Promise<void>;
}

interface Sdk {
  readonly Client: new (info: { readonly name: string; readonly version: string }) => Client;
  readonly StreamableHTTPClientTransport: new (url: URL, options: { readonly authProvider: object }) => Transport;
}

/** Takes what a client needs of the answer to its request for consent. */
type ReadAnswer = (answer: URLSearchParams) => string | URLSearchParams;

function listSdks(): [name: string, sdk: Sdk, read: ReadAnswer][] {
  const load = requireFrom('mcp-servers');
  return [
    // It checks the issuer, too.
    ['@modelcontextprotocol/client', requireFrom('mcp-clients')('@modelcontextprotocol/client'), (answer) => answer],
    [
      '@modelcontextprotocol/sdk',
      {
        ...load('@modelcontextprotocol/sdk/client/index.js'),
        ...load('@modelcontextprotocol/sdk/client/streamableHttp.js'),
      },
      (answer) => answer.get('code') ?? '',
    ],
  ];
}

/** A host of the official clients: it remembers what they hand to it, and the addresses to which it should lead people. */
export function rememberingProvider() {
  const kept = new Map<string, unknown>();
  const asked: string[] = [];
  const authProvider = {
    redirectUrl: CALLBACK,
    clientMetadata: { client_name: 'test', redirect_uris: [CALLBACK] },
    clientInformation: () => kept.get('client'),
    saveClientInformation: (value: unknown) => kept.set('client', value),
    tokens: () => kept.get('tokens'),
    saveTokens: (value: unknown) => kept.set('tokens', value),
    codeVerifier: () => kept.get('verifier'),
    saveCodeVerifier: (value: unknown) => kept.set('verifier', value),
    redirectToAuthorization: (to: URL) => asked.push(to.href),
  };
  return { authProvider, kept, asked, lastAddress: () => asked.at(-1) ?? '' };
}

/**
 * Runs each client with 1 to 10 calls at once, which two clients share, as two windows of a host do.
 * @param consent pastes a key on the consent page, and returns the address with the code
 * @throws if a call fails, or a client asks for consent again
 */
export async function refreshInParallel(
  url: string,
  databaseFile: string,
  consent: (address: string) => Promise<string>,
): Promise<void> {
  for (const [name, { Client, StreamableHTTPClientTransport }, read] of listSdks()) {
    const { authProvider, kept, asked, lastAddress } = rememberingProvider();
    const open = () => new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider });
    const create = () => new Client({ name: 'test', version: '1' });
    const first = open();
    await create()
      .connect(first)
      .catch(() => {});
    const answer = new URL(await consent(lastAddress()));
    await first.finishAuth(read(answer.searchParams));
    const clients = [create(), create()] as const;
    for (const client of clients) await client.connect(open());
    for (let count = 1; count <= MOST; count++) {
      const token = readText(kept.get('tokens'), 'access_token');
      await expire(url, databaseFile, token);
      const calls = Array.from({ length: count }, (_, index) => (clients[index % 2] ?? clients[0]).callTool(TOOL));
      for (const result of await Promise.all(calls)) ok('structuredContent' in result, `${name}, ${count} at once`);
      equal(asked.length, 1, `${name} asks for consent again after ${count} calls at once`);
    }
    for (const client of clients) await client.close();
    process.stdout.write(`${name} refreshes with 1 to ${MOST} calls at once\n`);
  }
}

/** Lets ten minutes pass for all tokens, and waits until the service knows. */
async function expire(url: string, databaseFile: string, token: string): Promise<void> {
  const store = await Store.open(`file:${databaseFile}`);
  await store.work
    .updateTable('oauth_grants')
    .set({ access_until: 0, other_access: '[]', refresh_since: Date.now() - 600_000 })
    .execute();
  await store.close();
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  while ((await fetch(`${url}/mcp`, { method: 'POST', headers, body })).status !== 401) await delay(50);
}
