import { cutText, nestsDeeperThan } from 'roster-prediction/text';
import { asRecord, type JsonRecord } from '../../../contract/json-record.js';
import type { McpServers, ToolCaller } from '../mcp/mcp-servers.js';
import type { ServerTool } from '../mcp/server-tool.js';
import { type AgentSkill, areNames, type SkillTool, ToolError, type ToolResult } from './tool.js';

/** The most pieces of content that are read: a language model gets 16 KiB of a result. */
const MAX_BLOCKS = 1000;

/** The most levels of a structured result. */
const MAX_DEPTH = 100;

/** The most characters of a skill's own description, and of the words of a tool that failed. */
const MAX_ABOUT = 1000;
const MAX_FAILURE = 2000;

/** The most bytes of the arguments of a call, as of a message to the MCP server of this service. */
const MAX_INPUT_BYTES = 256 * 1024;

/** Makes the tools of skills of the type `mcp` (`params: {server, tools}`). */
export class McpTools {
  constructor(private readonly servers: McpServers) {}

  /**
   * @returns a tool for each that the skill names, or the reason why there is none
   * @throws {ToolError} if none can be used now, with the reason
   * @throws the reason of `signal`
   */
  async create({ params }: AgentSkill, caller: ToolCaller, signal: AbortSignal): Promise<(SkillTool | string)[]> {
    const { server, tools: names, description } = params;
    if (typeof server !== 'string' || !areNames(names)) {
      throw new ToolError('Its params name no server and tools.');
    }
    const listed = await this.servers.list(caller.owner, server, names, signal);
    const about = typeof description === 'string' ? `${cutText(description, MAX_ABOUT)} ` : '';
    return names.map((name): SkillTool | string => {
      const tool = listed.get(name);
      const quoted = JSON.stringify(name);
      if (tool === undefined) {
        return `The MCP server ${JSON.stringify(server)} has no tool ${quoted}.`;
      }
      if (typeof tool === 'string') return `The tool ${quoted} cannot be used: ${tool}.`;
      return {
        ownName: name,
        description: `${about}Calls ${quoted} of the MCP server ${JSON.stringify(server)}, which says of it: ${tool.description}`,
        parameters: tool.parameters,
        output: OUTPUT,
        run: (input, cancelled) => this.#run(caller, server, tool, input, cancelled),
      };
    });
  }

  async #run(
    caller: ToolCaller,
    server: string,
    tool: ServerTool,
    input: unknown,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    const values = asRecord(input);
    if (Buffer.byteLength(JSON.stringify(values)) > MAX_INPUT_BYTES) {
      throw new ToolError(`The arguments have more than ${MAX_INPUT_BYTES} bytes; send less.`);
    }
    const result = await this.servers.call(caller, server, tool, values, signal);
    return { data: readResult(result) };
  }
}

const OUTPUT = { type: 'object' };

/**
 * Returns the part of a result that a language model reads: the structured content, or else the texts.
 * Other content is named, and left out.
 * @throws {ToolError} if the tool failed, asks for more, or its result is too deep
 */
function readResult(result: JsonRecord): object {
  const { content, structuredContent, isError, resultType } = result;
  if (resultType !== undefined && resultType !== 'complete') {
    throw new ToolError('The tool asks for input that agents do not give; it cannot be used here.');
  }
  const text = Array.isArray(content) ? content.slice(0, MAX_BLOCKS).map(readBlock).join('\n') : '';
  if (isError === true) {
    throw new ToolError(cutText(text, MAX_FAILURE) || 'The tool failed, and gave no reason.');
  }
  if (structuredContent === undefined || structuredContent === null) return { text };
  if (nestsDeeperThan(MAX_DEPTH, structuredContent)) {
    throw new ToolError(`The result has more than ${MAX_DEPTH} levels; ask for less.`);
  }
  const isObject = typeof structuredContent === 'object' && !Array.isArray(structuredContent);
  return isObject ? structuredContent : { value: structuredContent };
}

function readBlock(block: unknown): string {
  const { type, text, uri, mimeType, resource } = asRecord(block);
  if (type === 'text' && typeof text === 'string') return text;
  const { text: embedded, uri: address } = asRecord(resource);
  if (type === 'resource' && typeof embedded === 'string') return embedded;
  const of = [mimeType, uri, address].filter((one) => typeof one === 'string').join(' ');
  return `(Left out: ${typeof type === 'string' ? cutText(type, 100) : 'content'} ${cutText(of, 1000)})`;
}
