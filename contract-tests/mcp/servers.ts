/** Official servers of both eras: the client of Roster's agents lists their tools, and calls one. */

import { deepEqual, equal } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { McpServers } from '../../server/agents/mcp/mcp-servers.js';
import { parseMcpServers } from '../../server/agents/mcp/settings.js';
import { serveOnLoopback } from '../../testkit/http/loopback-server.js';
import { readField } from '../../testkit/json.js';
import { requireFrom } from '../../tools/on-demand/installed.js';

/** Runs the client against each server. @throws if it does not get what the server has */
export async function testServers(): Promise<void> {
  for (const [name, listener] of Object.entries({
    '@modelcontextprotocol/sdk, 2025-11-25': sdkWithSessions(),
    '@modelcontextprotocol/server, 2026-07-28': statelessServer(),
  })) {
    const methods: string[] = [];
    const { origin, close } = await serveOnLoopback((request, response) => {
      methods.push(request.method ?? '');
      listener(request, response);
    });
    const servers = new McpServers(parseMcpServers(JSON.stringify({ adder: origin })), '0.0.0');
    const { signal } = new AbortController();
    const tools = await servers.list('ann', 'adder', ['add'], signal);
    const tool = tools.get('add');
    if (tool === undefined || typeof tool === 'string') throw new Error(`${name}: ${tool}`);
    const call = (input: object) => servers.call({ owner: 'ann', depth: 0 }, 'adder', tool, { ...input }, signal);
    deepEqual(readField(await call({ a: 2, b: 3 }), 'structuredContent'), { sum: 5 }, name);
    equal(readField(await call({ a: 2, b: 'three' }), 'isError'), true, name);
    await servers.stop();
    equal(methods.includes('DELETE'), name.includes('2025'), `${name}: the session has ended`);
    await close();
    process.stdout.write(`${name} is listed and called\n`);
  }
}

const load = requireFrom('mcp-servers');

/** The parts of the packages that are used. */
interface Tools {
  registerTool(name: string, about: object, run: (input: Sum) => Promise<object>): void;
  connect(transport: object): Promise<void>;
}
interface ServerPackage {
  readonly McpServer: new (info: { readonly name: string; readonly version: string }) => Tools;
}
interface Zod {
  number(): object;
  object(fields: object): object;
}
interface Sum {
  readonly a: number;
  readonly b: number;
}

const zod: Zod = load('zod');
const INPUT = { a: zod.number(), b: zod.number() };
const OUTPUT = { sum: zod.number() };

function addTool(server: Tools, inputSchema: object, outputSchema: object): Tools {
  server.registerTool('add', { description: 'Adds.', inputSchema, outputSchema }, async (input) => {
    const sum = input.a + input.b;
    return { content: [{ type: 'text', text: `${sum}` }], structuredContent: { sum } };
  });
  return server;
}

interface Transport {
  handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

function sdkWithSessions(): RequestListener {
  const { McpServer }: ServerPackage = load('@modelcontextprotocol/sdk/server/mcp.js');
  const {
    StreamableHTTPServerTransport,
  }: { readonly StreamableHTTPServerTransport: new (options: object) => Transport } = load(
    '@modelcontextprotocol/sdk/server/streamableHttp.js',
  );
  const sessions = new Map<unknown, Transport>();
  return async (request, response) => {
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (!transport) {
      const made: Transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id: string) => sessions.set(id, made),
      });
      await addTool(new McpServer({ name: 'adder', version: '1' }), INPUT, OUTPUT).connect(made);
      transport = made;
    }
    await transport.handleRequest(request, response);
  };
}

function statelessServer(): RequestListener {
  const {
    McpServer,
    createMcpHandler,
  }: ServerPackage & { createMcpHandler(make: () => Tools, options: object): object } =
    load('@modelcontextprotocol/server');
  const { toNodeHandler }: { toNodeHandler(handler: object): RequestListener } = load('@modelcontextprotocol/node');
  const make = () => addTool(new McpServer({ name: 'adder', version: '2' }), zod.object(INPUT), zod.object(OUTPUT));
  return toNodeHandler(createMcpHandler(make, { legacy: 'reject' }));
}
