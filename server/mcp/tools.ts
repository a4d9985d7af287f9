import { asRecord } from '../../contract/json-record.js';
import type { AgentRunner } from '../agents/agent-runner.js';
import { waitForAnswer } from '../agents/answer-stream.js';
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
import { Catalogue, type ToolEntry, type ToolKind } from './catalogue.js';
import { invalidParams, type Result } from './protocol.js';

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

const runUntilClosed: RunCall = (signal, work) => work(signal);

/** A tool as clients see it. */
interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolDescription['parameters'];
  readonly outputSchema: ToolDescription['output'];
  readonly annotations: { readonly readOnlyHint: true };
}

interface ListOptions {
  /** The names of the tools to offer; undefined for all. */
  readonly chosen: readonly string[] | undefined;
  /** The agents that have asked one another up to this request. */
  readonly depth: number;
}

/** The most agents that ask one another: an agent may find itself among the tools of its own skill. */
const MAX_DEPTH = 3;

/** The most tools, and the most characters of their definitions, that are listed one by one. */
const MAX_LISTED = 12;
/** 4,000 tokens, counted as four characters of JSON each. */
const MAX_CHARACTERS = 16_000;

/** The tools of a project that a caller may use. None of them changes anything. */
export class ProjectTools {
  readonly #catalogue: Catalogue;
  #runCall = runUntilClosed;

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
   * @param run runs what takes a while
   * @throws the reason of the signal, or the problem of a service that has no room
   */
  async call(toolName: string, input: unknown, run = runUntilClosed): Promise<Result> {
    this.#runCall = run;
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
        return predictWith(services, caller, project, name, input);
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
    return this.#runCall(this.request.signal, async (signal) => {
      try {
        return await run(signal);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    });
  }

  async #ask(name: string, input: unknown): Promise<ToolResult> {
    const { agents } = this.services;
    const { caller, requestId: traceId } = this.request;
    const { depth } = this.options;
    if (depth >= MAX_DEPTH) throw tooDeep();
    const question = readQuestion(input);
    this.request.joinAnswers();
    const answer = async (signal: AbortSignal) => {
      const agent = await agents.find(this.project, name);
      const messages = [{ role: 'user' as const, content: question }];
      const asked = { caller, project: this.project, agent, messages, traceId, depth, signal };
      return waitForAnswer(await agents.prepare(asked));
    };
    const { text, passages } = await this.#whileAwaited((signal) => answer(signal).catch(throwToolError));
    const cited = passages?.map(({ document, passage, content }) => ({ document, passage, content }));
    return { data: { answer: text, ...(cited && { passages: cited }) } };
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

function writeTool(name: string, described: ToolDescription): McpTool {
  const { description, parameters, output } = described;
  return { name, description, inputSchema: parameters, outputSchema: output, annotations: { readOnlyHint: true } };
}

/** The longest question, in characters. */
const MAX_QUESTION = 20_000;

function describeAgent(name: string): ToolDescription {
  return {
    description: `Asks the agent ${JSON.stringify(name)} a question in words. It uses tools of its own, and may take two minutes.`,
    parameters: {
      type: 'object',
      properties: { question: { type: 'string', description: 'The whole question.', maxLength: MAX_QUESTION } },
      required: ['question'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { answer: { type: 'string' }, passages: { type: 'array', items: { type: 'object' } } },
      required: ['answer'],
    },
  };
}

function tooDeep(): ToolError {
  return new ToolError(
    `Agents have asked agents ${MAX_DEPTH} times in a row, perhaps themselves; answer without asking another.`,
  );
}

/** @throws {ToolError} if the input has no question */
function readQuestion(input: unknown): string {
  const { question } = asRecord(input);
  if (typeof question !== 'string' || question.trim() === '') {
    throw new ToolError('The question must be a text.');
  }
  if (question.length <= MAX_QUESTION) return question;
  throw new ToolError(`The question must have at most ${MAX_QUESTION} characters.`);
}

/** @throws {ToolError} if the query is no text, or too long */
function readWords(query: unknown): string[] {
  const text = query ?? '';
  if (typeof text !== 'string' || text.length > MAX_QUERY) {
    throw new ToolError(`The query must be a text of at most ${MAX_QUERY} characters.`);
  }
  // No name has U+0000, which PostgreSQL does not take.
  return text
    .toLowerCase()
    .split(/[\s\0]+/)
    .filter(Boolean)
    .slice(0, MAX_WORDS);
}

/** @throws {ToolError} if no tool is named */
function readName(name: unknown): string {
  if (typeof name === 'string') return name;
  throw new ToolError('The name must be the name of a tool, as find_tools tells it.');
}

const FIND = 'find_tools';
const DESCRIBE = 'describe_tool';
const CALL = 'call_tool';

/** The most tools that are found at once, and the most words that are looked for, with their characters. */
const MAX_FOUND = 50;
const MAX_WORDS = 10;
const MAX_QUERY = 1000;

const NAME = { type: 'string', description: 'A name from find_tools.' };

/** What is listed in place of many tools. */
const FINDERS: readonly McpTool[] = [
  writeTool(FIND, {
    description:
      'Finds tools by their names: predict_… of trained models, ask_… of agents, search_… of documents, query_… of tables. Describe one before you call it.',
    parameters: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          description: 'Words, one of which a name or what it predicts contains; empty for all.',
          maxLength: MAX_QUERY,
        },
      },
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: {
        tools: { type: 'array', items: { type: 'object' } },
        more: { type: 'boolean', description: 'Whether there are more; ask with other words.' },
      },
      required: ['tools', 'more'],
    },
  }),
  writeTool(DESCRIBE, {
    description: 'Describes a tool: what it does, its arguments, and what it answers.',
    parameters: { type: 'object', properties: { name: NAME }, required: ['name'], additionalProperties: false },
    output: { type: 'object' },
  }),
  writeTool(CALL, {
    description: 'Calls a tool with the arguments that its inputSchema describes.',
    parameters: {
      type: 'object',
      properties: { name: NAME, arguments: { type: 'object' } },
      required: ['name', 'arguments'],
      additionalProperties: false,
    },
    output: { type: 'object' },
  }),
];
