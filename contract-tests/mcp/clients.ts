/** Clients that the world has list the tools of a service with a key, and call one that predicts. */

import { deepEqual, equal } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createRosterClient } from 'roster-client';
import { asArray } from '../../contract/json-record.js';
import { readField, readText } from '../../testkit/json.js';
import { startServer } from '../../testkit/service/server-process.js';
import { trainPrices } from '../../testkit/service/train-prices.js';
import { makeKey } from '../../testkit/store/keys.js';
import { requireFrom } from '../../tools/on-demand/installed.js';

/** A client that is connected. */
interface Connected {
  listTools(): Promise<readonly string[]>;
  /** Returns the structured content. */
  call(name: string, input: object): Promise<unknown>;
  close(): Promise<unknown>;
}

/** @param folder takes the settings of a client that reads them from a file */
type Connect = (url: string, key: string, folder: string) => Promise<Connected>;

const TOOL = 'predict_prices';
const ROW = { carat: 0.7, cut: 'Ideal' };

/** Runs each client. @throws if one does not get what the service has */
export async function testClients(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-mcp-clients-'));
  const databaseFile = join(folder, 'roster.db');
  const ownerKey = await makeKey(`file:${databaseFile}`, { name: 'owner' });
  const key = await makeKey(`file:${databaseFile}`, { name: 'host', scopes: ['read', 'predict'] });
  const server = await startServer({ databaseFile });
  try {
    const roster = createRosterClient({ baseUrl: server.url, apiKey: ownerKey });
    await trainPrices(roster, { projectName: 'default', modelName: 'prices' });
    const answers: unknown[] = [];
    for (const [name, connect] of Object.entries(CLIENTS)) {
      const client = await connect(`${server.url}/mcp`, key, folder);
      deepEqual(await client.listTools(), [TOOL], name);
      const answer = await client.call(TOOL, ROW);
      equal(readText(answer, 'target'), 'price', name);
      answers.push(answer);
      await client.close();
      process.stdout.write(`${name} lists and calls\n`);
    }
    for (const answer of answers) deepEqual(answer, answers[0]);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

const CLIENTS: Readonly<Record<string, Connect>> = {
  'Inspector (CLI)': inspector,
  '@modelcontextprotocol/client, 2025-11-25': official('legacy'),
  '@modelcontextprotocol/client, 2026-07-28': official({ pin: '2026-07-28' }),
  '@ai-sdk/mcp': aiSdk,
  '@mastra/mcp': mastra,
  mcporter,
  '@openai/agents': openaiAgents,
};

const load = requireFrom('mcp-clients');
const headersWith = (key: string) => ({ Authorization: `Bearer ${key}` });

async function inspector(url: string, key: string): Promise<Connected> {
  const run = async (...args: readonly string[]): Promise<unknown> => {
    const header = `Authorization: Bearer ${key}`;
    const where = ['--cli', url, '--transport', 'http', '--header', header];
    const { stdout } = await promisify(execFile)('mcp-inspector', [...where, ...args]);
    return JSON.parse(stdout);
  };
  return {
    listTools: async () => listNames(await run('--method', 'tools/list')),
    call: async (name, input) => {
      const fields = Object.entries(input).flatMap(([field, value]) => ['--tool-arg', `${field}=${value}`]);
      const result = await run('--method', 'tools/call', '--tool-name', name, ...fields);
      return readField(result, 'structuredContent');
    },
    close: async () => {},
  };
}

/** The part of `@modelcontextprotocol/client` that is used. */
interface OfficialPackage {
  readonly Client: new (
    info: { readonly name: string; readonly version: string },
    options: { readonly versionNegotiation: { readonly mode: unknown } },
  ) => {
    connect(transport: object): Promise<void>;
    listTools(): Promise<object>;
    callTool(call: { readonly name: string; readonly arguments: object }): Promise<object>;
    close(): Promise<void>;
  };
  readonly StreamableHTTPClientTransport: new (url: URL, options: { readonly requestInit: RequestInit }) => object;
}

/** @param mode of the negotiation of the revision */
function official(mode: 'legacy' | { readonly pin: string }): Connect {
  return async (url, key) => {
    const { Client, StreamableHTTPClientTransport }: OfficialPackage = load('@modelcontextprotocol/client');
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const requestInit = { headers: headersWith(key) };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return {
      listTools: async () => listNames(await client.listTools()),
      call: async (name, input) => readField(await client.callTool({ name, arguments: input }), 'structuredContent'),
      close: () => client.close(),
    };
  };
}

/** The part of `@ai-sdk/mcp` that is used. */
interface AiSdkPackage {
  createMCPClient(options: {
    readonly transport: object;
  }): Promise<{
    tools(): Promise<Readonly<Record<string, { execute(input: object, options: object): Promise<object> }>>>;
    close(): Promise<void>;
  }>;
}

async function aiSdk(url: string, key: string): Promise<Connected> {
  const { createMCPClient }: AiSdkPackage = load('@ai-sdk/mcp');
  const client = await createMCPClient({ transport: { type: 'http', url, headers: headersWith(key) } });
  const tools = await client.tools();
  return {
    listTools: async () => Object.keys(tools),
    call: async (name, input) => {
      const result = await tools[name]?.execute(input, { toolCallId: '1', messages: [] });
      return readField(result, 'structuredContent');
    },
    close: () => client.close(),
  };
}

/** The part of `@mastra/mcp` that is used. */
interface MastraPackage {
  readonly MCPClient: new (options: {
    readonly servers: Readonly<Record<string, { readonly url: URL; readonly requestInit: RequestInit }>>;
  }) => {
    listTools(): Promise<Readonly<Record<string, { execute(input: object, options: object): Promise<unknown> }>>>;
    disconnect(): Promise<void>;
  };
}

async function mastra(url: string, key: string): Promise<Connected> {
  const { MCPClient }: MastraPackage = load('@mastra/mcp');
  const requestInit = { headers: headersWith(key) };
  const client = new MCPClient({ servers: { roster: { url: new URL(url), requestInit } } });
  const tools = await client.listTools();
  // It puts the name of the server before those of its tools, and returns the structured content.
  return {
    listTools: async () => Object.keys(tools).map((name) => name.replace(/^roster_/, '')),
    call: async (name, input) => tools[`roster_${name}`]?.execute(input, {}),
    close: () => client.disconnect(),
  };
}

async function mcporter(url: string, key: string, folder: string): Promise<Connected> {
  const config = join(folder, 'mcporter.json');
  await writeFile(config, JSON.stringify({ imports: [], mcpServers: { roster: { url, headers: headersWith(key) } } }));
  const run = async (...args: readonly string[]): Promise<unknown> => {
    const { stdout } = await promisify(execFile)('mcporter', ['--config', config, ...args]);
    return JSON.parse(stdout);
  };
  return {
    listTools: async () => listNames(await run('list', 'roster', '--json')),
    // It prints the structured content alone.
    call: (name, input) => run('call', `roster.${name}`, '--args', JSON.stringify(input), '--output', 'json'),
    close: async () => {},
  };
}

/** The part of `@openai/agents` that is used. */
interface OpenaiAgentsPackage {
  readonly MCPServerStreamableHttp: new (options: {
    readonly url: string;
    readonly requestInit: RequestInit;
  }) => {
    connect(): Promise<void>;
    listTools(): Promise<readonly { readonly name: string }[]>;
    callTool(name: string, input: object): Promise<unknown>;
    close(): Promise<void>;
  };
}

async function openaiAgents(url: string, key: string): Promise<Connected> {
  const { MCPServerStreamableHttp }: OpenaiAgentsPackage = requireFrom('openai-clients')('@openai/agents');
  const server = new MCPServerStreamableHttp({ url, requestInit: { headers: headersWith(key) } });
  await server.connect();
  return {
    listTools: async () => (await server.listTools()).map(({ name }) => name),
    // It returns the content, which is the structured content as text.
    call: async (name, input) => {
      const [part] = asArray(await server.callTool(name, input));
      return JSON.parse(readText(part, 'text'));
    },
    close: () => server.close(),
  };
}

function listNames(list: unknown): readonly string[] {
  return asArray(readField(list, 'tools')).map((tool) => readText(tool, 'name'));
}
