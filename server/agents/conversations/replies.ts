import type { Caller } from '../../auth/caller.js';
import type { Project } from '../../projects/projects.js';
import type { MessageRow, ReplyClaim, Store } from '../../store/index.js';
import type { AgentRunner } from '../agent-runner.js';
import type { Answer, AnswerStream, Step, Usage } from '../answer-stream.js';
import type { ConversingChatbot } from './access.js';
import { Claims, type HeldClaim } from './reply-claims.js';

/** The most text of earlier messages that is sent with a question, in bytes of UTF-8. */
const HISTORY_BYTES = 64 * 1024;

/** A message of a person, with its reply or the claim to answer it. */
export type TakenQuestion = { readonly question: MessageRow } & (
  | { readonly reply: MessageRow; readonly claim?: undefined }
  | { readonly claim: ReplyClaim; readonly reply?: undefined }
);

/** The request for a reply. */
export interface Asker {
  readonly caller: Caller;
  readonly project: Project;
  readonly chatbot: ConversingChatbot;
  readonly requestId: string;
  /** Aborted when nobody waits for the reply any more, at the latest when the response closes. */
  readonly signal: AbortSignal;
}

/** A reply that an agent prepares, or that is stored already. */
export interface ComingReply {
  readonly question: MessageRow;
  /** The answer in progress. If it fails, or is given up, the conversation is free again. */
  readonly answering: AnswerStream;
  /**
   * Stores the answer as the reply, and returns it. The conversation is free then, in every case.
   * @throws {ClaimLostError} if the conversation was deleted or is no longer claimed
   * @throws {LimitReachedError} if the owner would exceed a limit
   */
  keep(answer: Answer): Promise<MessageRow>;
}

/** Replies to the messages of conversations. */
export class Replies {
  readonly #claims: Claims;

  constructor(
    private readonly store: Store,
    private readonly agents: Pick<AgentRunner, 'find' | 'prepare'>,
  ) {
    this.#claims = new Claims(store);
  }

  /**
   * Returns the stored reply to a message, or asks the chatbot's agent for one.
   * @throws {ProblemError} if the agent cannot be asked; the conversation is free then
   */
  async replyTo({ question, reply, claim }: TakenQuestion, asker: Asker): Promise<ComingReply> {
    if (reply) return { question, answering: recalled(reply), keep: async () => reply };
    const held = this.#claims.hold(claim, asker.signal);
    try {
      asker.signal.throwIfAborted();
      const answering = heldWhile(await this.#ask(question, asker), held);
      const target = { owner: asker.caller.owner, project: asker.project.name };
      const keep = ({ text: content, steps, usage }: Answer) =>
        held.keep(target, { content, steps, usage });
      return { question, answering, keep };
    } catch (error) {
      await held.release();
      throw error;
    }
  }

  async #ask(question: MessageRow, { chatbot, requestId, ...asker }: Asker): Promise<AnswerStream> {
    const { instructions, history: messages } = chatbot.settings;
    const bounds = { messages, bytes: HISTORY_BYTES };
    const history = await this.store.messages.history(question, bounds);
    const { agent_id: agent } = chatbot;
    return this.agents.prepare({
      ...asker,
      agent: agent === null ? null : await this.agents.find(asker.project, agent),
      modelName: chatbot.model_name,
      instructions,
      messages: [...history, { role: 'user', content: question.content }],
      traceId: requestId,
    });
  }
}

/** Passes an answer on, and releases the claim unless the answer is complete. */
async function* heldWhile(answering: AnswerStream, held: HeldClaim): AnswerStream {
  let isComplete = false;
  try {
    const answer = yield* answering;
    isComplete = true;
    return answer;
  } finally {
    if (!isComplete) await held.release();
  }
}

/** Gives a stored reply as an answer, with its steps. */
async function* recalled({ content, steps: kept, usage }: MessageRow): AnswerStream {
  // The store keeps both as `Replies` wrote them.
  const steps = JSON.parse(kept) as Step[];
  for (const step of steps) yield { type: 'step', step };
  return { text: content, steps, usage: JSON.parse(usage ?? '{}') as Usage, passages: undefined };
}
