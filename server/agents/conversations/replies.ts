import type { Input } from '../../api/handlers.js';
import {
  digestRequest,
  keyReused,
  keysExpireBefore,
  requestInProgress,
} from '../../api/idempotency.js';
import type { Caller } from '../../auth/caller.js';
import { problem } from '../../problems/problem.js';
import type { Project } from '../../projects/projects.js';
import { chatbots } from '../../resources/chatbots.js';
import { claimAnswer, findAnswer, findKeyedMessage } from '../../store/answers.js';
import type { Store } from '../../store/index.js';
import { Leases } from '../../store/lease.js';
import { jsonMembers } from '../../store/rows.js';
import type { AgentRunner } from '../agent-runner.js';
import {
  type Answer,
  type AnswerStream,
  type Step,
  stepEvent,
  type Usage,
} from '../answer-stream.js';
import { findQuestion, findReply, type MessageRow, readHistory } from './conversation-rows.js';
import {
  askAgain,
  askQuestion,
  ConversationBusyError,
  keepReply,
  type ReplyClaim,
  releaseClaim,
  renewClaims,
} from './reply-rows.js';

export interface ConversingChatbot {
  readonly id: string;
  readonly name: string;
  /** The id of its agent; null asks the language model alone. */
  readonly agent_id: string | null;
  readonly model_name: string | null;
  readonly settings: ReturnType<typeof readSettings>;
}

/** @throws {ProblemError} if the project has no such chatbot */
export async function findChatbot(
  store: Store,
  project: Project,
  name: string,
): Promise<ConversingChatbot> {
  const { id, agent_id, model_name, settings } = await chatbots.require(store, project, name);
  return { id, name, agent_id, model_name, settings: readSettings(settings) };
}

const DEFAULT_HISTORY = 20;
const MAX_HISTORY = 100;

/**
 * Reads the settings of a chatbot, and ignores those of another type, which were stored before they
 * had a meaning. The other members, which may be a mebibyte, are not parsed.
 * @param json an object as `JSON.stringify` writes it
 */
function readSettings(json: string) {
  const members = new Map(jsonMembers(json));
  const parse = (name: string): unknown => JSON.parse(members.get(name) ?? 'null');
  const history = parse('history');
  const isHistory =
    typeof history === 'number' &&
    Number.isInteger(history) &&
    history >= 0 &&
    history <= MAX_HISTORY;
  return {
    /** The first message of every conversation; undefined for none. */
    greeting: nonEmptyText(parse('greeting')),
    /** Instructions for the language model beside those of the agent. */
    instructions: nonEmptyText(parse('instructions')),
    /** The number of earlier messages that are sent with a question. */
    history: isHistory ? history : DEFAULT_HISTORY,
  };
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A message of a person, with its reply or the claim to answer it. */
export type TakenQuestion = { readonly question: MessageRow } & (
  | { readonly reply: MessageRow; readonly claim?: undefined }
  | { readonly claim: ReplyClaim; readonly reply?: undefined }
);

/**
 * Stores the message of a request, and claims its conversation. A repeated request, as its
 * `Idempotency-Key` tells, gets the message of the first one.
 * @param tx the store of the transaction, with the project locked
 * @throws {ProblemError} if the same request is being answered, or the key has another request
 * @throws {ConversationBusyError} if another message is being answered; nothing is stored then
 */
export async function takeNewQuestion(
  tx: Store,
  conversationId: string,
  { caller: { owner }, headers, body }: Pick<Input<'sendMessage'>, 'caller' | 'headers' | 'body'>,
): Promise<TakenQuestion> {
  const { content } = body.message;
  const text = headers['Idempotency-Key'];
  if (text === undefined) return askQuestion(tx, owner, conversationId, { content });
  const fingerprint = await digestRequest(['sendMessage', conversationId, content]);
  if (!(await claimAnswer(tx, owner, text))) throw requestInProgress();
  const first = await findKeyedMessage(tx, owner, text, keysExpireBefore());
  if (first) {
    if (first.fingerprint !== fingerprint) throw keyReused();
    return takeAgain(tx, first, requestInProgress);
  }
  if (await findAnswer(tx, owner, text, keysExpireBefore())) throw keyReused();
  return askQuestion(tx, owner, conversationId, { content, key: { text, fingerprint } });
}

/**
 * Finds a message of a person and its reply, or claims the conversation for its reply.
 * @param tx the store of the transaction, with the project locked
 * @throws {ProblemError} if there is no such message, or it is being answered
 * @throws {ConversationBusyError} if another message is being answered
 */
export async function takeQuestion(
  tx: Store,
  conversationId: string,
  messageId: string,
): Promise<TakenQuestion> {
  const question = await findQuestion(tx, conversationId, messageId);
  if (!question) {
    throw problem(
      '/problems/message-not-found',
      `The conversation has no message of a person with the identifier "${messageId}".`,
    );
  }
  return takeAgain(tx, question, () =>
    problem(
      '/problems/conversation-busy',
      'The conversation is answering this message; ask for its reply when that is done.',
      {},
      { 'Retry-After': '1' },
    ),
  );
}

/** @param busy returns the problem of a message that is being answered */
async function takeAgain(
  tx: Store,
  question: MessageRow,
  busy: () => Error,
): Promise<TakenQuestion> {
  const reply = await findReply(tx, question.id);
  if (reply) return { question, reply };
  try {
    return { question, claim: await askAgain(tx, question) };
  } catch (error) {
    const isBusy = error instanceof ConversationBusyError && error.messageId === question.id;
    throw isBusy ? busy() : error;
  }
}

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
  readonly stream: AnswerStream;
  /**
   * Stores the answer as the reply, and returns it. The conversation is free then, in every case.
   * @throws {ProblemError} if the conversation was deleted or is no longer claimed
   * @throws {ProblemError} if the owner would exceed a limit
   */
  keep(answer: Answer): Promise<MessageRow>;
}

/** The interval at which an instance renews its claims, in milliseconds. */
const RENEW_EVERY_MS = 2_500;

export class Replies {
  readonly #leases: Leases<ReplyClaim>;

  constructor(
    private readonly store: Store,
    private readonly agents: Pick<AgentRunner, 'find' | 'prepare'>,
  ) {
    this.#leases = new Leases({
      renewEveryMs: RENEW_EVERY_MS,
      renew: (claims) => renewClaims(store, claims),
      // The lease outlasts several attempts. A reply whose claim is lost is not stored.
      onError: () => {},
    });
  }

  /**
   * Returns the stored reply to a message, or asks the chatbot's agent for one.
   * @throws {ProblemError} if the agent cannot be asked; the conversation is free then
   */
  async replyTo({ question, reply, claim }: TakenQuestion, asker: Asker): Promise<ComingReply> {
    if (reply) return { question, stream: replay(reply, asker.requestId), keep: async () => reply };
    const { release, keep } = this.#hold(claim, asker);
    try {
      asker.signal.throwIfAborted();
      const stream = releaseUnlessComplete(await this.#ask(question, asker), release);
      return { question, stream, keep };
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** Renews a claim until its reply is stored or it is released, at the latest when nobody waits. */
  #hold(claim: ReplyClaim, { caller: { owner }, project, signal }: Asker) {
    let released: Promise<void> | undefined;
    const end = () => {
      void this.#leases.drop(claim);
      signal.removeEventListener('abort', release);
    };
    const release = (): Promise<void> => {
      end();
      // A store that does not respond now frees the conversation when the lease runs out.
      released ??= releaseClaim(this.store, claim).catch(() => {});
      return released;
    };
    const keep = async (answer: Answer): Promise<MessageRow> => {
      const target = { owner, project: project.name };
      try {
        const kept = await this.store.transaction(
          (tx) => keepReply(tx, owner, claim, answer),
          target,
        );
        released ??= Promise.resolve();
        return kept;
      } catch (error) {
        await release();
        throw error;
      } finally {
        end();
      }
    };
    this.#leases.hold(claim);
    signal.addEventListener('abort', release, { once: true });
    if (signal.aborted) void release();
    return { release, keep };
  }

  async #ask(
    question: MessageRow,
    { chatbot, requestId: traceId, ...asker }: Asker,
  ): Promise<AnswerStream> {
    const { instructions, history } = chatbot.settings;
    const earlier = await readHistory(this.store, question, history);
    const { agent_id: agent, model_name: modelName } = chatbot;
    return this.agents.prepare({
      ...{ ...asker, traceId, modelName, instructions },
      agent: agent === null ? null : await this.agents.find(asker.project, agent),
      messages: [...earlier, { role: 'user', content: question.content }],
    });
  }
}

/** Passes an answer on, and releases its claim unless the answer is complete. */
async function* releaseUnlessComplete(
  stream: AnswerStream,
  release: () => Promise<void>,
): AnswerStream {
  let isComplete = false;
  try {
    const answer = yield* stream;
    isComplete = true;
    return answer;
  } finally {
    if (!isComplete) await release();
  }
}

/** Gives a stored reply as an answer, with its steps. */
async function* replay({ content, steps: kept, usage }: MessageRow, traceId: string): AnswerStream {
  // The store keeps both as `Replies` wrote them.
  const steps = JSON.parse(kept) as Step[];
  for (const step of steps) yield stepEvent(step, traceId);
  return { text: content, steps, usage: JSON.parse(usage ?? '{}') as Usage, passages: undefined };
}
