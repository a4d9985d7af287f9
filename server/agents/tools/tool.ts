import type { components } from '../../../generated/openapi.js';
import { ProblemError } from '../../problems/problem.js';
import type { AnsweringAgent } from '../../resources/agents.js';
import { SearchError } from '../../resources/documents/passage-search.js';
import type { ToolDefinition } from '../chat/messages.js';

type Schemas = components['schemas'];
export type Passage = Schemas['Passage'];

/** A predicted value with its interval, or a class with the set of those that may be. */
export type Prediction = Omit<Schemas['OpenaiPrediction'], 'type' | 'start_index' | 'end_index'>;

/** The result of a tool: data for the language model, never instructions. */
export interface ToolResult {
  readonly data: object;
  /** The passages that the data cites, for a caller who wants them. */
  readonly passages?: readonly Passage[];
  /** The predictions in the data, for the same. */
  readonly predictions?: readonly Omit<Prediction, 'skill'>[];
}

export interface ToolDescription extends Omit<ToolDefinition, 'name'> {
  /** The JSON Schema of the data of its results. */
  readonly output: Readonly<Record<string, unknown>>;
}

/** A tool that the caller runs. */
export interface CallerTool extends ToolDefinition {
  /** The place of its name in the request. */
  readonly pointer: string;
}

/**
 * Uses a tool.
 * @param input the input as the language model sent it: any JSON value
 * @throws what `toolFailure` takes, with a reason that lets the language model correct itself
 */
export type RunTool = (input: unknown, signal: AbortSignal) => Promise<ToolResult>;

/** A tool of a skill, before it has a name among the tools of an answer. */
export interface SkillTool extends ToolDescription {
  /** Its own name, where a skill has several; undefined for the only one of a skill. */
  readonly ownName?: string;
  readonly run: RunTool;
}

export interface Tool extends SkillTool {
  readonly name: string;
  readonly skill: string;
}

/** A tool failed. The language model and the caller read the message. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** Makes a problem the reason of a failed tool: the language model reads what to do instead. */
export function throwToolError(error: unknown): never {
  throw error instanceof ProblemError ? new ToolError(error.detail, { cause: error }) : error;
}

/**
 * Returns why a tool failed, for the language model and the caller.
 * @throws the error, if it is not one that a language model can answer without
 */
export function toolFailure(error: unknown): string {
  if (error instanceof ToolError || error instanceof SearchError) return error.message;
  throw error;
}

export type AgentSkill = AnsweringAgent['skills'][number];

/** Returns whether a param is a list of names, as it was when the skill was checked. */
export function areNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
}

export interface AgentTools {
  readonly tools: readonly Tool[];
  /** The types of the skills that have a tool; `knowledge_base` counts as `retrieval`. */
  readonly types: ReadonlySet<string>;
  readonly plainSkills: readonly AgentSkill[];
  readonly missing: readonly { readonly skill: string; readonly reason: string }[];
}
