import { cutText, nestsDeeperThan } from 'roster-prediction/text';
import type { Caller } from '../../auth/caller.js';
import { invalidRequest } from '../../problems/problem.js';
import type { Project } from '../../projects/projects.js';
import type { PassageSearch } from '../../resources/documents/passage-search.js';
import type { Step } from '../answer-stream.js';
import { replaceUnstorable } from '../chat/answer-reader.js';
import { parseObject, type ToolCall, type ToolDefinition } from '../chat/messages.js';
import { fenceResult, reportFailure } from '../prompt.js';
import type { McpTools } from './mcp-tool.js';
import { type ModelToolServices, modelTool } from './model-tool.js';
import { retrievalTool } from './retrieval-tool.js';
import type { SqlTools } from './sql-tool.js';
import {
  type AgentSkill,
  type AgentTools,
  type CallerTool,
  type SkillTool,
  type Tool,
  ToolError,
  type ToolResult,
  toolFailure,
} from './tool.js';

export interface ToolServices extends ModelToolServices {
  readonly passages: PassageSearch;
  /** Undefined if the service has no databases. */
  readonly sql: SqlTools | undefined;
  /** Undefined if the service has no MCP servers. */
  readonly mcp: McpTools | undefined;
}

/** The caller that asks an agent, and the project. */
export interface Asker {
  readonly caller: Caller;
  readonly project: Project;
  /** The agents that have asked one another up to this question. */
  readonly depth: number;
}

const TOOL_TYPES: ReadonlySet<string> = new Set(['model', 'sql', 'retrieval', 'knowledge_base', 'mcp']);

/** The most tools that an answer offers, and the most bytes of their definitions, which each request has. */
const MAX_TOOLS = 64;
const MAX_DEFINITION_BYTES = 128 * 1024;

/**
 * Makes the tools of an agent's skills, within what the key of the caller allows.
 * @throws the reason of `signal`
 */
export async function buildTools(
  skills: readonly AgentSkill[],
  services: ToolServices,
  asker: Asker,
  signal: AbortSignal,
): Promise<AgentTools> {
  const withTool = skills.filter(({ type }) => TOOL_TYPES.has(type));
  // At once: a database that does not answer makes the others wait no longer.
  const built = await Promise.all(
    withTool.slice(0, MAX_TOOLS).map(async (skill) => {
      const tools = await buildSkill(skill, services, asker, signal);
      return tools.map((tool) => ({ skill, tool }));
    }),
  );
  signal.throwIfAborted();

  const all = built.flat();
  const offered = all.slice(0, MAX_TOOLS);
  const names = nameTools(offered);
  const tools: Tool[] = [];
  const types = new Set<string>();
  const missing: { skill: string; reason: string }[] = [];
  let bytes = 0;
  for (const [index, { skill, tool }] of offered.entries()) {
    const { name: skillName, type } = skill;
    if (typeof tool === 'string') {
      missing.push({ skill: skillName, reason: tool });
      continue;
    }
    const named = { ...tool, name: names[index] ?? skill.id, skill: skillName };
    const size = definitionBytes(named);
    if (bytes + size > MAX_DEFINITION_BYTES) {
      missing.push({ skill: skillName, reason: 'The tools before it are too large together.' });
    } else {
      bytes += size;
      tools.push(named);
      types.add(type === 'knowledge_base' ? 'retrieval' : type);
    }
  }
  const leftOut = all[MAX_TOOLS]?.skill ?? withTool[MAX_TOOLS];
  if (leftOut) {
    const reason = `An answer has at most ${MAX_TOOLS} tools; this one and those after it are left out.`;
    missing.push({ skill: leftOut.name, reason });
  }
  const plainSkills = skills.filter(({ type }) => !TOOL_TYPES.has(type));
  return { tools, types, plainSkills, missing };
}

function definitionBytes({ name, description, parameters }: ToolDefinition): number {
  return Buffer.byteLength(JSON.stringify({ name, description, parameters }));
}

/** The tool of a skill, or why there is none. */
type Built = SkillTool | string;

/** @throws what is not the fault of a tool */
async function buildSkill(
  skill: AgentSkill,
  services: ToolServices,
  { caller, project, depth }: Asker,
  signal: AbortSignal,
): Promise<readonly Built[]> {
  try {
    switch (skill.type) {
      case 'model':
        return [await modelTool(skill, services, caller, project)];
      case 'sql':
        return [await requireSql(services).create(skill, caller.owner, signal)];
      case 'mcp':
        return await requireMcp(services).create(skill, { owner: caller.owner, depth }, signal);
      default:
        return [retrievalTool(skill, services.passages, caller.owner)];
    }
  } catch (error) {
    return [toolFailure(error)];
  }
}

/** @throws {ToolError} if the service has no databases */
export function requireSql({ sql }: Pick<ToolServices, 'sql'>): SqlTools {
  if (sql) return sql;
  throw new ToolError('The service has no databases; those who run it can name some (DATABASES).');
}

function requireMcp({ mcp }: ToolServices): McpTools {
  if (mcp) return mcp;
  throw new ToolError('The service has no MCP servers; those who run it can name some (MCP_SERVERS).');
}

const MAX_NAME = 64;

/**
 * Returns names for tools in the characters that chat servers allow, each unlike the others. A skill
 * with one tool has its name before the tools of servers do, so that none of these takes it.
 */
function nameTools(tools: readonly { readonly skill: AgentSkill; readonly tool: Built }[]): string[] {
  const taken = new Set<string>();
  const names: string[] = [];
  const name = (index: number, wanted: string) => {
    const allowed = wanted.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_NAME);
    let unlike = allowed;
    for (let number = 2; taken.has(unlike); number += 1) {
      unlike = `${allowed.slice(0, MAX_NAME - `_${number}`.length)}_${number}`;
    }
    taken.add(unlike);
    names[index] = unlike;
  };
  const ownNames = tools.map(({ tool }) => (typeof tool === 'string' ? undefined : tool.ownName));
  for (const [index, { skill }] of tools.entries()) {
    if (ownNames[index] === undefined) name(index, skill.name);
  }
  for (const [index, { skill }] of tools.entries()) {
    const ownName = ownNames[index];
    if (ownName !== undefined) name(index, `${skill.name}_${ownName}`);
  }
  return names;
}

/** The most characters of a result or an error in a step. */
const MAX_TEXT_LENGTH = 4000;

/** The most bytes of a result that the language model gets. */
const MAX_RESULT_BYTES = 16 * 1024;

/** The most levels of the input of a tool, as of a body: tools walk through theirs. */
const MAX_DEPTH = 100;

/** The tools of an answer, by the names that the language model knows. */
export class ToolRegistry {
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #callers: ReadonlySet<string>;
  readonly definitions: readonly ToolDefinition[];

  /**
   * @param callerTools tools that the caller runs
   * @throws {ProblemError} if one of them has the name of another tool
   */
  constructor(tools: readonly Tool[], callerTools: readonly CallerTool[] = []) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#callers = new Set(callerTools.map(({ name }) => name));
    this.definitions = [...tools, ...callerTools];
    if (callerTools.reduce((bytes, tool) => bytes + definitionBytes(tool), 0) > MAX_DEFINITION_BYTES) {
      const message = `must have at most ${MAX_DEFINITION_BYTES} bytes together; describe less, or fewer`;
      throw invalidRequest([{ pointer: '/body/tools', message }]);
    }
    const taken = new Set(this.#tools.keys());
    for (const { name, pointer } of callerTools) {
      if (taken.has(name)) {
        const message = `must not be "${name}", which another tool of the answer has`;
        throw invalidRequest([{ pointer, message }]);
      }
      taken.add(name);
    }
  }

  /** True if the caller runs the tool. */
  isCallerTool(name: string): boolean {
    return this.#callers.has(name);
  }

  /**
   * Uses a tool. A tool that fails is a use too, with the reason.
   * @returns what callers see, what the language model reads, the passages found, the predictions, and whether the
   *   language model sent arguments that are not a JSON object
   * @throws the reason of `signal`
   */
  async use(call: ToolCall, signal: AbortSignal) {
    const begun = performance.now();
    const input = parseInput(call.arguments);
    const skill = this.#tools.get(call.name)?.skill ?? null;
    const none = { passages: [], predictions: [] };
    const wasMalformed = input === undefined;
    const toStep = (result: string | null, error: string | null): Step => ({
      skill,
      ...describeCall(call),
      result,
      error,
      milliseconds: Math.round(performance.now() - begun),
    });
    try {
      const { data, predictions: found = [], ...rest } = await this.#run(call.name, input, signal);
      const predictions = skill === null ? [] : found.map((one) => ({ ...one, skill }));
      const text = JSON.stringify(data);
      const message = fenceResult(cutResult(text));
      return { ...none, ...rest, predictions, step: toStep(shorten(text), null), message, wasMalformed };
    } catch (error) {
      signal.throwIfAborted();
      const reason = toolFailure(error);
      const message = reportFailure(reason);
      return { ...none, step: toStep(null, shorten(reason)), message, wasMalformed };
    }
  }

  #run(name: string, input: unknown, signal: AbortSignal): Promise<ToolResult> {
    const tool = this.#tools.get(name);
    if (!tool) {
      const known = [...this.#tools.keys()];
      const others = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
      throw new ToolError(`The agent has no tool named ${JSON.stringify(shorten(name, 100))}; ${others}.`);
    }
    if (input === undefined) {
      throw new ToolError(
        `The arguments are not a JSON object of at most ${MAX_DEPTH} levels; send one, such as {"name": "value"}.`,
      );
    }
    return tool.run(input, signal);
  }
}

/** Returns the input of a call; undefined if it is not a JSON object. No text is an empty object. */
function parseInput(text: string): unknown {
  if (text.trim() === '') return {};
  const value = parseObject(text);
  return value && !nestsDeeperThan(MAX_DEPTH, value) ? value : undefined;
}

/** Returns a call as callers see it: a long input or one that is not a JSON object is text. */
export function describeCall({ name, arguments: text }: ToolCall): Pick<Step, 'tool' | 'input'> {
  const input = text.length <= MAX_TEXT_LENGTH ? parseInput(text) : undefined;
  return { tool: shorten(name, 100), input: input ?? shorten(text) };
}

function shorten(text: string, maxLength = MAX_TEXT_LENGTH): string {
  return replaceUnstorable(cutText(text, maxLength));
}

/** Cuts a result to the bytes that the language model gets, and says so. */
function cutResult(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_RESULT_BYTES) return text;
  let end = MAX_RESULT_BYTES;
  // The further bytes of a character begin with the bits 10.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  const beginning = bytes.toString('utf8', 0, end);
  return `${beginning}\n(The rest is left out: the result has ${bytes.length} bytes.)`;
}
