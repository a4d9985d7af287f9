import type { components } from '../../generated/openapi.js';
import type { Passage } from './tools/tool.js';

/** The use of a tool, as callers see it. */
export type Step = components['schemas']['Step'];
export type Usage = components['schemas']['Usage'];

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

export interface Answer {
  readonly text: string;
  readonly steps: readonly Step[];
  readonly usage: Usage;
  /** The passages that tools found; undefined unless the agent's settings ask for them. */
  readonly passages: readonly Passage[] | undefined;
}

/** An answer in progress: its events, and at last the answer. Throws if it fails. */
export type AnswerStream = AsyncGenerator<AnswerEvent, Answer>;

/** Ends an answer that nobody reads. */
export const NO_ANSWER: Answer = {
  ...{ text: '', steps: [], passages: undefined },
  usage: { requests: 0, prompt_tokens: null, completion_tokens: null, total_tokens: null },
};

/** Waits for an answer, and ignores its events. */
export async function waitForAnswer(stream: AnswerStream): Promise<Answer> {
  for (;;) {
    const next = await stream.next();
    if (next.done) return next.value;
  }
}

/** The facts about an answer that are known before it begins. */
export interface AnswerFacts {
  /** The name of the agent; null for the language model alone. */
  readonly agent: string | null;
  readonly model: string;
  readonly traceId: string;
  readonly owner: string;
}

/** Follows an answer: counts it, logs it, and makes its spans. */
export interface AnswerWatch {
  onStep(step: Step): void;
  onAnswer(answer: Answer): void;
  onFailure(error: unknown): void;
  /** Nobody waits for the answer any more. */
  onStop(): void;
}

/** Called when an answer begins. */
export type AnswerObserver = (facts: AnswerFacts) => AnswerWatch;
