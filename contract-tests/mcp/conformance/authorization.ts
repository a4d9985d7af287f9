/**
 * The official suite for authorization servers, and clients of others that have no key, against the service: each
 * leads to the consent page, on which a script pastes a key.
 */

import { deepEqual, equal, ok } from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createRosterClient } from 'roster-client';
import { asArray } from '../../../contract/json-record.js';
import { freePort } from '../../../testkit/http/free-port.js';
import { readField, readText } from '../../../testkit/json.js';
import { startServer } from '../../../testkit/service/server-process.js';
import { trainPrices } from '../../../testkit/service/train-prices.js';
import { makeKey } from '../../../testkit/store/keys.js';
import { requireFrom } from '../../../tools/on-demand/installed.js';
import { refreshInParallel, rememberingProvider } from './refreshes.js';

const TOOL = 'predict_prices';

/** @throws if the suite or a client fails */
export async function testAuthorization(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-oauth-'));
  const databaseFile = join(folder, 'roster.db');
  const key = await makeKey(`file:${databaseFile}`, { name: 'owner' });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer({ databaseFile, env: { PORT: `${port}`, PUBLIC_URL: url } });
  try {
    const roster = createRosterClient({ baseUrl: url, apiKey: key });
    await trainPrices(roster, { projectName: 'default', modelName: 'prices' });
    await runSuite(url, key);
    await connectOfficial(url, key);
    await refreshInParallel(url, databaseFile, (address) => consent(address, key));
    await connectRemote(url, key, folder);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

/** Pastes the key on the consent page. @returns the address of the client with the code */
async function consent(address: string, key: string): Promise<string> {
  const page = await fetch(address);
  equal(page.status, 200);
  const html = await page.text();
  const form = new URLSearchParams({ key, decision: 'allow' });
  for (const [, name = '', value = ''] of html.matchAll(/name="(\w+)" value="([^"]*)"/g)) {
    if (name !== 'decision') form.set(name, value.replaceAll('&amp;', '&'));
  }
  const { origin } = new URL(address);
  const answer = await fetch(`${origin}/oauth/authorize`, {
    method: 'POST',
    body: form,
    headers: { Origin: origin },
    redirect: 'manual',
  });
  equal(answer.status, 303);
  return answer.headers.get('Location') ?? '';
}

/** Reads the lines of a program until one has led to the consent page, and one tells that the answer can come. */
async function addressIn(lines: AsyncIterable<string>, ready: RegExp): Promise<string> {
  let address: string | undefined;
  for await (const line of lines) {
    address ??= /http:\S+\/oauth\/authorize\?\S+/.exec(line)?.[0];
    if (address !== undefined && ready.test(line)) return address;
  }
  throw new Error('The program led to no consent page');
}

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    // There, the commands of packages are scripts of the shell.
    shell: process.platform === 'win32',
  });
}

function readLines(stream: ChildProcess['stdout']): AsyncIterable<string> {
  if (!stream) throw new Error('The program has no output');
  return createInterface(stream);
}

async function runSuite(url: string, key: string): Promise<void> {
  const port = await freePort();
  const answer = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [`http://127.0.0.1:${port}/callback`] }),
  });
  const id = readText(await answer.json(), 'client_id');
  const where = ['--url', url, '--client-id', id, '--resource', `${url}/mcp`, '--port', `${port}`];
  const suite = run('conformance', ['authorization', ...where]);
  const ended = once(suite, 'exit');
  suite.stderr?.pipe(process.stderr);
  suite.stdout?.pipe(process.stdout);
  await fetch(await consent(await addressIn(readLines(suite.stdout), /^Waiting/), key));
  deepEqual(await ended, [0, null]);
}

/** The part of `@modelcontextprotocol/client` that is used. */
interface OfficialPackage {
  readonly Client: new (info: {
    readonly name: string;
    readonly version: string;
  }) => { connect(transport: object): Promise<void>; listTools(): Promise<object>; close(): Promise<void> };
  readonly StreamableHTTPClientTransport: new (
    url: URL,
    options: { readonly authProvider: object },
  ) => { finishAuth(code: string | URLSearchParams): Promise<void> };
}

async function connectOfficial(url: string, key: string): Promise<void> {
  const { Client, StreamableHTTPClientTransport }: OfficialPackage =
    requireFrom('mcp-clients')('@modelcontextprotocol/client');
  const { authProvider, lastAddress } = rememberingProvider();
  const open = () => new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider });
  const first = open();
  await new Client({ name: 'test', version: '1' }).connect(first).catch(() => {});
  await first.finishAuth(new URL(await consent(lastAddress(), key)).searchParams);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(open());
  const names = asArray(readField(await client.listTools(), 'tools')).map((tool) => readText(tool, 'name'));
  deepEqual(names, [TOOL]);
  await client.close();
  process.stdout.write('@modelcontextprotocol/client connects by OAuth\n');
}

async function connectRemote(url: string, key: string, folder: string): Promise<void> {
  const args = [`${url}/mcp`, `${await freePort()}`, '--allow-http'];
  const remote = run('mcp-remote', args, { MCP_REMOTE_CONFIG_DIR: folder });
  try {
    const address = await addressIn(readLines(remote.stderr), /callback server running/);
    ok((await fetch(await consent(address, key))).ok);
    const send = (message: object) => remote.stdin?.write(`${JSON.stringify(message)}\n`);
    const info = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: info });
    send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    send({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} });
    for await (const line of readLines(remote.stdout)) {
      const message: unknown = JSON.parse(line);
      if (readField(message, 'id') !== 2) continue;
      const tools = asArray(readField(readField(message, 'result'), 'tools'));
      deepEqual(
        tools.map((tool) => readText(tool, 'name')),
        [TOOL],
      );
      break;
    }
  } finally {
    remote.kill();
  }
  process.stdout.write('mcp-remote connects by OAuth\n');
}
