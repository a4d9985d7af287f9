import type { Caller } from '../auth/caller.js';
import type { Project } from '../store/index.js';
import type { Answering, HistoryMessage } from './answer.js';

/** A question to an agent, or to the language model alone. */
export interface Question {
  readonly caller: Caller;
  readonly project: Project;
  /** The agent, by name or identifier; null asks the language model alone. */
  readonly agent: string | null;
  /** The language model, where there is no agent. */
  readonly modelName?: string | null;
  /** Instructions beside those of the agent, such as a chatbot's. */
  readonly instructions?: string | undefined;
  /** The messages so far, the oldest first; the last one is the question. */
  readonly messages: readonly HistoryMessage[];
  readonly traceId: string;
  readonly signal: AbortSignal;
}

/** Answers questions with the help of a chat server and the skills of agents. */
export class Agents {
  /**
   * Prepares an answer; nothing is sent to the chat server before its first event is requested.
   * @throws {ProblemError} if the agent does not exist, or nothing can be asked
   */
  async prepare(_question: Question): Promise<Answering> {
    throw new Error('in progress');
  }
}
