import { nestsDeeperThan } from '../common/json-text.js';
import type { Action, Step } from './answer.js';
import type { AnswerBounds } from './bounds.js';
import type { ToolCall, ToolDefinition } from './chat/messages.js';
import { replaceUnstorable } from './chat/unstorable.js';
import { failedTool, fencedResult } from './prompt.js';
import { type Passage, type Tool, ToolError } from './tool.js';

/** The most characters of a result or an error in a step. */
const MAX_SHOWN = 4000;

/** The most levels of the input of a tool, as of a body: tools walk through theirs. */
const MAX_DEPTH = 100;

/** The use of a tool: what callers see, what the language model reads, and the passages found. */
export interface ToolUse {
  readonly step: Step;
  readonly message: string;
  readonly passages: readonly Passage[];
  /** Whether the language model sent arguments that are not a JSON object. */
  readonly wasMalformed: boolean;
}

/** The tools of an answer, by the names that the language model knows. */
export class ToolBox {
  readonly #tools: ReadonlyMap<string, Tool>;

  constructor(
    tools: readonly Tool[],
    private readonly bounds: AnswerBounds,
  ) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** The definitions for the chat server. */
  get definitions(): ToolDefinition[] {
    return [...this.#tools.values()].map(({ name, description, parameters }) => ({
      ...{ name, description, parameters },
    }));
  }

  /**
   * Uses a tool. A tool that fails is a use too, with the reason.
   * @throws the reason of `signal`
   */
  async use(call: ToolCall, signal: AbortSignal): Promise<ToolUse> {
    const begun = performance.now();
    const tool = this.#tools.get(call.name);
    const input = inputOf(call.arguments);
    const wasMalformed = input === undefined;
    const about = { skill: tool?.skill ?? null, ...shownCall(call) };
    const took = () => Math.round(performance.now() - begun);
    try {
      if (!tool) throw new ToolError(this.#unknownTool(call.name));
      if (wasMalformed) {
        throw new ToolError(
          `The arguments are not a JSON object of at most ${MAX_DEPTH} levels; send one, such as {"name": "value"}.`,
        );
      }
      const { text: result, passages = [] } = await tool.run(input, signal);
      const { resultBytes } = this.bounds;
      const step = { ...about, result: shortened(result), error: null, milliseconds: took() };
      return { step, message: fencedResult(cut(result, resultBytes)), passages, wasMalformed };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ToolError)) throw error;
      const step = {
        ...about,
        ...{ result: null, error: shortened(error.message), milliseconds: took() },
      };
      return { step, message: failedTool(error.message), passages: [], wasMalformed };
    }
  }

  #unknownTool(name: string): string {
    const known = [...this.#tools.keys()];
    const others = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
    return `The agent has no tool named ${JSON.stringify(shortened(name, 100))}; ${others}.`;
  }
}

/** Returns the input of a call; undefined if it is not a JSON object. No text is an empty object. */
function inputOf(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && !nestsDeeperThan(MAX_DEPTH, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a call as callers see it: a long input or one that is not a JSON object is text. */
export function shownCall({ name, arguments: text }: ToolCall): Action {
  const input = text.length <= MAX_SHOWN ? inputOf(text) : undefined;
  return { tool: shortened(name, 100), input: input ?? shortened(text) };
}

function shortened(text: string, most = MAX_SHOWN): string {
  const short = text.length <= most ? text : `${text.slice(0, most - 1)}…`;
  return replaceUnstorable(short);
}

/** Cuts a text to a number of bytes, and says so. */
function cut(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  const beginning = bytes
    .subarray(0, most)
    .toString()
    .replace(/\u{fffd}+$/u, '');
  return `${beginning}\n(The rest is left out: the result has ${bytes.length} bytes.)`;
}
