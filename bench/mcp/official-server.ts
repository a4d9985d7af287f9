/** The official server with one tool that does nothing, as its documentation composes it for HTTP. */

import type { RequestListener } from 'node:http';
import { requireFrom } from '../../tools/on-demand/installed.js';
import { serve } from '../http/baselines/serve.js';

/** The part of `@modelcontextprotocol/server` that is used; its own types exist only once it is installed. */
interface ServerPackage {
  readonly McpServer: new (info: { readonly name: string; readonly version: string }) => OfficialServer;
  createMcpHandler(create: () => OfficialServer): object;
}

interface OfficialServer {
  registerTool(name: string, facts: { readonly description: string }, call: () => object): void;
}

const load = requireFrom('bench');
const { McpServer, createMcpHandler }: ServerPackage = load('@modelcontextprotocol/server');
const { toNodeHandler }: { toNodeHandler(handler: object): (...args: Parameters<RequestListener>) => Promise<void> } =
  load('@modelcontextprotocol/node');

const handle = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer({ name: 'empty', version: '1.0.0' });
    server.registerTool('nothing', { description: 'Does nothing.' }, () => ({
      content: [{ type: 'text', text: '{}' }],
    }));
    return server;
  }),
);
await serve((req, res) => void handle(req, res));
