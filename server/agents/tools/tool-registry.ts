import { nestsDeeperThan } from '../../api/body/parse-body.js';
import type { Step } from '../answer-stream.js';
import { replaceUnstorable } from '../chat/answer-builder.js';
import type { ToolCall } from '../chat/messages.js';
import { fenceResult, reportFailure } from '../prompt.js';
import { type Passage, type Tool, ToolError, type ToolResult, toolFailure } from './tool.js';

/** The most characters of a result or an error in a step. */
const MAX_TEXT_LENGTH = 4000;

/** The most bytes of a result that the language model gets. */
const MAX_RESULT_BYTES = 16 * 1024;

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
export class ToolRegistry {
  readonly #tools: ReadonlyMap<string, Tool>;

  constructor(readonly definitions: readonly Tool[]) {
    this.#tools = new Map(definitions.map((tool) => [tool.name, tool]));
  }

  /**
   * Uses a tool. A tool that fails is a use too, with the reason.
   * @throws the reason of `signal`
   */
  async use(call: ToolCall, signal: AbortSignal): Promise<ToolUse> {
    const begun = performance.now();
    const input = parseInput(call.arguments);
    const skill = this.#tools.get(call.name)?.skill ?? null;
    const wasMalformed = input === undefined;
    const toStep = (result: string | null, error: string | null): Step => ({
      ...{ skill, ...describeCall(call), result, error },
      milliseconds: Math.round(performance.now() - begun),
    });
    try {
      const { text, passages = [] } = await this.#run(call.name, input, signal);
      const message = fenceResult(cutResult(text));
      return { step: toStep(shorten(text), null), message, passages, wasMalformed };
    } catch (error) {
      signal.throwIfAborted();
      const reason = toolFailure(error);
      const message = reportFailure(reason);
      return { step: toStep(null, shorten(reason)), message, passages: [], wasMalformed };
    }
  }

  #run(name: string, input: unknown, signal: AbortSignal): Promise<ToolResult> {
    const tool = this.#tools.get(name);
    if (!tool) {
      const known = [...this.#tools.keys()];
      const others = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
      throw new ToolError(
        `The agent has no tool named ${JSON.stringify(shorten(name, 100))}; ${others}.`,
      );
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
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && !nestsDeeperThan(MAX_DEPTH, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a call as callers see it: a long input or one that is not a JSON object is text. */
export function describeCall({ name, arguments: text }: ToolCall): Pick<Step, 'tool' | 'input'> {
  const input = text.length <= MAX_TEXT_LENGTH ? parseInput(text) : undefined;
  return { tool: shorten(name, 100), input: input ?? shorten(text) };
}

function shorten(text: string, maxLength = MAX_TEXT_LENGTH): string {
  return replaceUnstorable(text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`);
}

/** Cuts a result to the bytes that the language model gets, and says so. */
function cutResult(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_RESULT_BYTES) return text;
  const beginning = bytes
    .subarray(0, MAX_RESULT_BYTES)
    .toString()
    .replace(/\u{fffd}+$/u, '');
  return `${beginning}\n(The rest is left out: the result has ${bytes.length} bytes.)`;
}
