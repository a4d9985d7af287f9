import type { components } from '../../generated/openapi.js';
import type { Passage } from './tool.js';

/** The use of a tool, as callers see it. */
export type Step = components['schemas']['Step'];

/** The tokens and requests that an answer used. */
export type Usage = components['schemas']['Usage'];

/** A message of the history, or the question. */
export interface HistoryMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** Something that happens while an agent answers. */
export type AnswerEvent =
  | { readonly type: 'delta'; readonly text: string }
  | { readonly type: 'actions'; readonly text: string; readonly actions: readonly Action[] }
  | { readonly type: 'step'; readonly step: Step };

/** A tool that the agent begins to use. */
export interface Action {
  readonly tool: string;
  readonly input: unknown;
}

/** The answer of an agent. */
export interface Answer {
  readonly text: string;
  readonly steps: readonly Step[];
  readonly usage: Usage;
  /** The passages that tools found; undefined unless the agent's settings ask for them. */
  readonly passages: readonly Passage[] | undefined;
}

/** An answer in progress: its events, and at last the answer. Throws if it fails. */
export type Answering = AsyncGenerator<AnswerEvent, Answer>;

/** Ends an answer that nobody reads. */
export const NO_ANSWER: Answer = {
  ...{ text: '', steps: [], passages: undefined },
  usage: { requests: 0, prompt_tokens: null, completion_tokens: null, total_tokens: null },
};
