/**
 * Drives the client of Roster's agents, for the conformance suite of MCP: lists the tools of a server, and calls each
 * that can be used. The suite says in the environment which revision the server has, and with what to call.
 *
 * usage: node dist/contract-tests/mcp/conformance/client.js URL
 */

import { asArray, asRecord, parseJson } from '../../../contract/json-record.js';
import { McpServers } from '../../../server/agents/mcp/mcp-servers.js';
import { parseMcpServers } from '../../../server/agents/mcp/settings.js';
import { readField, readText } from '../../../testkit/json.js';

const [url = ''] = process.argv.slice(2);
const { MCP_CONFORMANCE_PROTOCOL_VERSION: revision, MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;

const settings = parseMcpServers(JSON.stringify({ suite: { url, ...(revision && { revision }) } }));
const servers = new McpServers(settings, '0.0.0');
const { signal } = new AbortController();
type ToolList = Awaited<ReturnType<McpServers['list']>>;

try {
  const tools = await servers.list('suite', 'suite', [], signal);
  for (const { name, input } of listCalls(tools)) {
    const tool = tools.get(name);
    if (tool === undefined || typeof tool === 'string') {
      process.stdout.write(`${name} is not called: ${tool ?? 'it is not listed'}\n`);
      continue;
    }
    const result = await servers
      .call({ owner: 'suite', depth: 0 }, 'suite', tool, asRecord(input), signal)
      .catch(String);
    process.stdout.write(`${name}: ${JSON.stringify(result)}\n`);
  }
} finally {
  await servers.stop();
}

/** The calls that the suite wants; without a wish, one of each tool, with what its tools take. */
function listCalls(tools: ToolList): { readonly name: string; readonly input: unknown }[] {
  const { toolCalls } = asRecord(parseJson(context));
  if (toolCalls === undefined) {
    // Numbers to add, and the schema of the first tool, as it arrived.
    const [schema] = [...tools.values()].map((tool) => asRecord(tool)['parameters']);
    return [...tools.keys()].map((name) => ({ name, input: { a: 5, b: 3, schema } }));
  }
  return asArray(toolCalls).map((call) => ({ name: readText(call, 'name'), input: readField(call, 'arguments') }));
}
