import { asRecord, type JsonRecord } from '../../../contract/json-record.js';
import { INVALID_PARAMS } from '../../api/reply/json-rpc.js';
import { FairGate, type TimedLimits } from '../../common/fair-gate.js';
import { namesFor } from '../../common/named-settings.js';
import { unlessAborted } from '../../common/unless-aborted.js';
import { ToolError } from '../tools/tool.js';
import { McpClient, McpRefusal } from './mcp-client.js';
import { mirrorArguments, readTool, type ServerTool } from './server-tool.js';
import type { McpServerSettings } from './settings.js';
import type { TransportLimits } from './transport.js';
import { DEPTH_HEADER } from './wire.js';

export interface McpLimits extends Partial<TransportLimits> {
  /** The longest time of a list of tools, in milliseconds: the beginning of an answer waits for it. */
  readonly listMs?: number;
  /** The longest time of a call, with the wait for its turn, in milliseconds. */
  readonly callMs?: number;
}

/** The caller of a tool. */
export interface ToolCaller {
  readonly owner: string;
  /** The agents that have asked one another up to this call. */
  readonly depth: number;
}

/** The calls of one server at once, those of one owner that wait, and the longest wait. */
const GATE = { slots: 32, maxWaiting: 64, maxWaitMs: 10_000 };
/** The name under which lists wait for their turns. No owner has it: a list is for all of them. */
const LISTS = '';
const LIST_MS = 10_000;
const CALL_MS = 60_000;

const MAX_PAGES = 20;
const MAX_TOOLS = 1000;

/** The time for which a list is kept if the server does not say, and the longest one, in milliseconds. */
const KEPT_MS = 60_000;
const MAX_KEPT_MS = 10 * 60_000;

/** The time for which a list is kept that lacks a tool, in milliseconds: the tool may be new. */
const INCOMPLETE_MS = 2_000;

/** The tools of a server by name; for one that cannot be used, the reason. */
type ToolList = ReadonlyMap<string, ServerTool | string>;

interface Server {
  readonly name: string;
  readonly client: McpClient;
  readonly gate: FairGate<TimedLimits>;
  /** The last list, its time by `performance.now()`, and the milliseconds for which it is kept. */
  listed?: { readonly tools: ToolList; readonly at: number; readonly keptMs: number } | undefined;
  listing?: Promise<ToolList> | undefined;
}

/**
 * Calls tools of the MCP servers that the operator names. Content from a server may be hostile: it is
 * bounded, and is data.
 */
export class McpServers {
  readonly #servers = new Map<string, Server>();
  readonly #listMs: number;

  /** @param version that of the service */
  constructor(
    private readonly settings: ReadonlyMap<string, McpServerSettings>,
    version: string,
    { listMs = LIST_MS, callMs = CALL_MS, ...limits }: McpLimits = {},
  ) {
    this.#listMs = listMs;
    for (const [name, server] of settings) {
      const gate = new FairGate({ ...GATE, timeoutMs: callMs, ...gateErrors(name) });
      this.#servers.set(name, { name, client: new McpClient(name, server, version, limits), gate });
    }
  }

  names(owner: string): string[] {
    return namesFor(this.settings, owner);
  }

  /**
   * Returns the tools that a server lists. A list that lacks one of those that are wanted is not kept for long.
   * @returns by name; for a tool that cannot be used, the reason
   * @throws {ToolError} with the reason, which has no words of the server
   * @throws the reason of `signal`
   */
  async list(owner: string, name: string, wanted: readonly string[], signal: AbortSignal): Promise<ToolList> {
    const server = this.#find(owner, name);
    const { listed } = server;
    if (listed) {
      const hasAll = wanted.every((tool) => listed.tools.has(tool));
      const age = performance.now() - listed.at;
      if (age < (hasAll ? listed.keptMs : Math.min(listed.keptMs, INCOMPLETE_MS))) {
        return listed.tools;
      }
    }
    // One asks for all that wait: it goes on if the one who began it leaves.
    server.listing ??= this.#list(server, owner).finally(() => {
      server.listing = undefined;
    });
    return unlessAborted(server.listing, signal);
  }

  /** @param owner whose session it belongs to, where there are sessions */
  #list(server: Server, owner: string): Promise<ToolList> {
    const { signal } = new AbortController();
    const list = async (running: AbortSignal) => {
      const tools = new Map<string, ServerTool | string>();
      let keptMs: unknown;
      let cursor: unknown;
      for (let page = 0; page < MAX_PAGES && tools.size < MAX_TOOLS; page += 1) {
        const params = cursor === undefined ? {} : { cursor };
        const request = { method: 'tools/list' as const, params, mayQuote: false };
        const result = await server.client.request(owner, request, running);
        keptMs ??= result['ttlMs'];
        addTools(tools, result['tools']);
        cursor = result['nextCursor'];
        if (typeof cursor !== 'string') break;
      }
      server.listed = { tools, at: performance.now(), keptMs: boundTime(keptMs) };
      return tools;
    };
    return server.gate.runInTime(LISTS, signal, list, this.#listMs);
  }

  /**
   * Calls a tool.
   * @returns the result, as the server sent it
   * @throws {ToolError} with the reason
   * @throws the reason of `signal`
   */
  async call(
    { owner, depth }: ToolCaller,
    name: string,
    tool: ServerTool,
    input: JsonRecord,
    signal: AbortSignal,
  ): Promise<JsonRecord> {
    const server = this.#find(owner, name);
    const request = {
      method: 'tools/call' as const,
      params: { name: tool.name, arguments: input },
      headers: { ...mirrorArguments(tool, input), [DEPTH_HEADER]: String(depth + 1) },
      mayQuote: true,
    };
    try {
      return await server.gate.runInTime(owner, signal, (running) => server.client.request(owner, request, running));
    } catch (error) {
      // The tool may have changed, or be gone.
      if (error instanceof McpRefusal && error.code === INVALID_PARAMS) server.listed = undefined;
      throw error;
    }
  }

  /** Cancels what runs, and ends all sessions. */
  async stop(): Promise<void> {
    const servers = [...this.#servers.values()];
    await Promise.all(servers.map(({ gate }) => gate.stop()));
    await Promise.all(servers.map(({ client }) => client.close()));
  }

  #find(owner: string, name: string): Server {
    const names = this.names(owner);
    const server = this.#servers.get(name);
    if (server && names.includes(name)) return server;
    const others = names.length > 0 ? `there are ${names.join(', ')}` : 'there is none';
    throw new ToolError(`There is no MCP server with the name ${name}; ${others}.`);
  }
}

function addTools(tools: Map<string, ServerTool | string>, listed: unknown): void {
  if (!Array.isArray(listed)) throw new ToolError('The MCP server lists no tools.');
  for (const value of listed) {
    if (tools.size >= MAX_TOOLS) return;
    const { name } = asRecord(value);
    // The first of a name counts: a later one cannot take its place.
    if (typeof name === 'string' && !tools.has(name)) tools.set(name, readTool(name, value));
  }
}

function boundTime(ttlMs: unknown): number {
  if (typeof ttlMs !== 'number' || Number.isNaN(ttlMs)) return KEPT_MS;
  return Math.min(Math.max(0, ttlMs), MAX_KEPT_MS);
}

function gateErrors(name: string) {
  const server = `The MCP server ${JSON.stringify(name)}`;
  return {
    busy: () => new ToolError(`${server} has too many calls that wait already; try again in a moment.`),
    late: (timeoutMs: number) =>
      new ToolError(
        `${server} took longer than ${timeoutMs / 1000} seconds, and its answer was not waited for; ask for less.`,
      ),
    stopped: () => new ToolError('The service is stopping; ask again in a moment.'),
  };
}
