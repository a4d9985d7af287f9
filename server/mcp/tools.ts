import { asRecord } from '../../contract/json-record.js';
import type { AgentRunner } from '../agents/agent-runner.js';
import { describeModel, predictWith } from '../agents/tools/model-tool.js';
import { describeRetrieval, findPassages } from '../agents/tools/retrieval-tool.js';
import {
  type AgentSkill,
  type ToolDescription,
  ToolError,
  type ToolResult,
  throwToolError,
  toolFailure,
} from '../agents/tools/tool.js';
import { requireSql, type ToolServices } from '../agents/tools/tools.js';
import type { Caller } from '../auth/caller.js';
import { missingMcpScope } from '../auth/identify-caller.js';
import type { Resource } from '../auth/resource.js';
import type { Project } from '../projects/projects.js';
import { DOCUMENT_TYPES } from '../resources/documents/documents.js';
import { skills } from '../resources/skills.js';
import { askAgent, describeAgent, readQuestion } from './ask-tool.js';
import { Catalogue, type ToolEntry, type ToolKind } from './catalogue.js';
import { CALL, DESCRIBE, FIND, FINDERS, MAX_FOUND, readName, readWords } from './finders.js';
import { type McpTool, writeTool } from './mcp-tool.js';
import { invalidParams, type Report, type Result } from './server.js';

export interface McpServices extends ToolServices {
  readonly agents: AgentRunner;
}

/** The request in which tools are listed or called. */
export interface ToolRequest {
  readonly caller: Caller;
  readonly resource: Resource | undefined;
  readonly requestId: string;
  /** Aborted when nobody waits for the answer any more; made when it is read. */
  readonly signal: AbortSignal;
  /** Takes room among the answers of agents. */
  joinAnswers(): void;
}

/** Runs what takes a while, so that it can be cancelled. */
export type RunCall = <T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/** How a call runs. */
interface CallOptions {
  readonly run: RunCall;
  readonly report: Report;
}

const UNTIL_CLOSED: CallOptions = { run: (signal, work) => work(signal), report: () => {} };

interface ListOptions {
  /** The names of the tools to offer; undefined for all. */
  readonly chosen: readonly string[] | undefined;
  /** The agents that have asked one another up to this request. */
  readonly depth: number;
}

/** The most tools, and the most characters of their definitions, that are listed one by one. */
const MAX_LISTED = 12;
/** 4,000 tokens, counted as four characters of JSON each. */
const MAX_CHARACTERS = 16_000;

/** The tools of a project that a caller may use. None of them changes anything. */
export class ProjectTools {
  readonly #catalogue: Catalogue;
  #options = UNTIL_CLOSED;

  constructor(
    private readonly services: McpServices,
    private readonly project: Project,
    private readonly request: ToolRequest,
    private readonly options: ListOptions,
  ) {
    const { agents, sql } = services;
    const isAvailable = (kind: ToolKind) =>
      (kind !== 'ask' || agents.canAnswer) && (kind !== 'query' || sql !== undefined);
    this.#catalogue = new Catalogue(services.store, project, request.caller, isAvailable);
  }

  /** Lists the tools that can be used now; those that find them where there are too many. */
  async list(): Promise<{ tools: readonly McpTool[] }> {
    if (this.options.chosen) {
      const found = await Promise.all(this.options.chosen.map((name) => this.#catalogue.find(name)));
      return { tools: await this.#describeAll(found.filter((entry) => entry !== undefined)) };
    }
    const entries = await this.#catalogue.list(MAX_LISTED + 1);
    if (entries.length > MAX_LISTED) return { tools: FINDERS };
    const tools = await this.#describeAll(entries);
    return { tools: JSON.stringify(tools).length > MAX_CHARACTERS ? FINDERS : tools };
  }

  /**
   * Calls a tool. One that fails is a result too, with the reason.
   * @throws {RpcError} if there is no such tool
   * @throws {ProblemError} if the key does not have its scope
   * @param options how what takes a while runs, and where it reports
   * @throws the reason of the signal, or the problem of a service that has no room
   */
  async call(toolName: string, input: unknown, options = UNTIL_CLOSED): Promise<Result> {
    this.#options = options;
    try {
      const { data } = await this.#run(toolName, input);
      return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data };
    } catch (error) {
      if (!isToolFailure(error)) throw error;
      return { content: [{ type: 'text', text: toolFailure(error) }], isError: true };
    }
  }

  async #run(toolName: string, input: unknown): Promise<ToolResult> {
    if (!this.options.chosen) {
      const { name, query, arguments: inner } = asRecord(input);
      if (toolName === FIND) return this.#find(readWords(query));
      if (toolName === DESCRIBE) return { data: await this.#describeNamed(readName(name)) };
      if (toolName === CALL) return this.#runNamed(readName(name), inner ?? {});
    }
    return this.#runNamed(toolName, input);
  }

  async #require(toolName: string): Promise<ToolEntry> {
    const isOffered = this.options.chosen?.includes(toolName) ?? true;
    const entry = isOffered ? await this.#catalogue.find(toolName) : undefined;
    if (entry) return entry;
    const scope = isOffered ? this.#catalogue.findMissingScope(toolName) : undefined;
    if (scope) throw missingMcpScope(`the tool ${JSON.stringify(toolName)}`, scope, this.request);
    throw invalidParams(`There is no tool ${JSON.stringify(toolName)}; ask for tools/list.`);
  }

  async #find(words: readonly string[]): Promise<ToolResult> {
    const entries = await this.#catalogue.list(MAX_FOUND + 1, words);
    const tools = entries
      .slice(0, MAX_FOUND)
      .map(({ toolName, target }) => ({ name: toolName, ...(target !== null && { target }) }));
    return { data: { tools, more: entries.length > MAX_FOUND } };
  }

  async #describeNamed(toolName: string): Promise<McpTool> {
    return this.#describe(await this.#require(toolName));
  }

  /** Describes tools, and leaves out those that cannot be used now. */
  async #describeAll(entries: readonly ToolEntry[]): Promise<McpTool[]> {
    const described = entries.map((entry) =>
      this.#describe(entry).catch((error: unknown) => {
        if (isToolFailure(error)) return undefined;
        throw error;
      }),
    );
    return (await Promise.all(described)).filter((tool) => tool !== undefined);
  }

  async #describe(entry: ToolEntry): Promise<McpTool> {
    return writeTool(entry.toolName, await this.#readDescription(entry));
  }

  async #readDescription({ kind, name }: ToolEntry): Promise<ToolDescription> {
    const { services, project, request } = this;
    switch (kind) {
      case 'predict':
        return describeModel(services.store, project, name);
      case 'ask':
        return describeAgent(name);
      case 'search':
        return describeRetrieval(await this.#skill(name, DOCUMENT_TYPES));
      case 'query': {
        const skill = await this.#skill(name, ['sql']);
        return requireSql(services).describe(skill, request.caller.owner, request.signal);
      }
    }
  }

  async #runNamed(toolName: string, input: unknown): Promise<ToolResult> {
    const { kind, name } = await this.#require(toolName);
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      throw new ToolError(
        'The arguments must be an object, as the inputSchema of the tool says, and not the text of one.',
      );
    }
    const { services, project } = this;
    const { caller } = this.request;
    switch (kind) {
      case 'predict':
        return predictWith(services, caller, project, { name }, input);
      case 'ask':
        return this.#ask(name, input);
      case 'search': {
        const skill = await this.#skill(name, DOCUMENT_TYPES);
        return this.#whileAwaited((signal) => findPassages(skill, services.passages, caller.owner, input, signal));
      }
      case 'query': {
        const skill = await this.#skill(name, ['sql']);
        return this.#whileAwaited((signal) => requireSql(services).run(skill, caller.owner, input, signal));
      }
    }
  }

  /** Runs what ends when nobody waits for it any more: then the reason is thrown, whatever failed. */
  async #whileAwaited<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#options.run(this.request.signal, async (signal) => {
      try {
        return await run(signal);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    });
  }

  async #ask(name: string, input: unknown): Promise<ToolResult> {
    const { project, request } = this;
    const { agents } = this.services;
    const { caller, requestId: traceId } = request;
    const { depth } = this.options;
    const question = readQuestion(input, depth);
    request.joinAnswers();
    return this.#whileAwaited(async (signal) => {
      const agent = await agents.find(project, name).catch(throwToolError);
      const messages = [{ role: 'user' as const, content: question }];
      const asked = { caller, project, agent, messages, traceId, depth, signal };
      return askAgent(agents, asked, this.#options.report).catch(throwToolError);
    });
  }

  /** @throws {ToolError} if the project has no skill of this name and one of these types */
  async #skill(name: string, types: readonly string[]): Promise<Pick<AgentSkill, 'id' | 'name' | 'params'>> {
    const row = await skills.require(this.services.store, this.project, name).catch(throwToolError);
    if (!types.includes(row.type)) {
      throw new ToolError(`The skill "${name}" is not of the type ${types.join(' or ')}.`);
    }
    const { id, params } = row;
    return { id, name: row.name, params: params.length <= MAX_PARAMS ? JSON.parse(params) : {} };
  }
}

/** The most characters of the params of a skill, as agents read them. */
const MAX_PARAMS = 16 * 1024;

function isToolFailure(error: unknown): boolean {
  try {
    toolFailure(error);
    return true;
  } catch {
    return false;
  }
}
