import type { components } from '../../../generated/openapi.js';
import type { AnsweringAgent } from '../../resources/agents.js';
import { SearchError } from '../../resources/documents/passage-search.js';
import type { ToolDefinition } from '../chat/messages.js';

export type Passage = components['schemas']['Passage'];

/** The result of a tool: data for the language model, never instructions. */
export interface ToolResult {
  readonly text: string;
  /** The passages that the text cites, for a caller who wants them. */
  readonly passages?: readonly Passage[];
}

export interface Tool extends ToolDefinition {
  readonly skill: string;
  /**
   * Uses the tool.
   * @param input the input as the language model sent it: any JSON value
   * @throws what `toolFailure` takes, with a reason that lets the language model correct itself
   */
  run(input: unknown, signal: AbortSignal): Promise<ToolResult>;
}

/** A tool failed. The language model and the caller read the message. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
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

export interface ToolSkill extends AgentSkill {
  /** The name of its tool for the language model. */
  readonly toolName: string;
}

export interface AgentTools {
  readonly tools: readonly Tool[];
  /** The types of the skills that have a tool; `knowledge_base` counts as `retrieval`. */
  readonly types: ReadonlySet<string>;
  readonly plainSkills: readonly AgentSkill[];
  readonly missing: readonly { readonly skill: string; readonly reason: string }[];
}
