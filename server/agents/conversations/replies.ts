/**
 * The life of a reply. A message of a person claims its conversation until the reply is stored or
 * given up: a conversation answers one at a time. The claim is a lease, by the clock of the database,
 * that is renewed meanwhile; it runs out if the instance has crashed.
 */

import { v4 as uuidv4 } from 'uuid';
import type { Input } from '../../api/handlers.js';
import { digestRequest, keyReused, keysExpireBefore, requestInProgress } from '../../api/idempotency.js';
import type { Caller } from '../../auth/caller.js';
import { problem, unavailable } from '../../problems/problem.js';
import type { Project } from '../../projects/projects.js';
import { chatbots } from '../../resources/chatbots.js';
import { claimAnswer, findAnswer, findKeyedMessage } from '../../store/idempotent-replies.js';
import type { Store } from '../../store/index.js';
import { isUnleased, Leases, leaseEnd } from '../../store/lease.js';
import { jsonMembers, padToPowerOfTwo } from '../../store/rows.js';
import type { AgentRunner } from '../agent-runner.js';
import { type Answer, type AnswerStream, type Step, stepEvent, type Usage } from '../answer-stream.js';
import { addMessage, findQuestion, findReply, type MessageRow, readHistory } from './conversation-rows.js';

export type ConversingChatbot = Awaited<ReturnType<typeof findChatbot>>;

/** @throws {ProblemError} if the project has no such chatbot */
export async function findChatbot(store: Store, project: Project, name: string) {
  const { id, agent_id, model_name, settings } = await chatbots.require(store, project, name);
  // Not the whole row, which may be a mebibyte: it is held while the agent answers.
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
  const isHistory = typeof history === 'number' && Number.isInteger(history) && history >= 0 && history <= MAX_HISTORY;
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

export interface ReplyClaim {
  readonly id: string;
  readonly conversationId: string;
}

/**
 * Stores the message of a request, and claims its conversation. A repeated request, as its
 * `Idempotency-Key` tells, gets the message of the first one.
 * @param tx the store of the transaction, with the project locked
 * @throws {ProblemError} if the same request or another message is being answered, or the key has
 *   another request; nothing is stored then
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
 * @throws {ProblemError} if there is no such message, or it or another one is being answered
 */
export async function takeQuestion(tx: Store, conversationId: string, messageId: string): Promise<TakenQuestion> {
  const question = await findQuestion(tx, conversationId, messageId);
  if (!question) {
    throw problem(
      '/problems/message-not-found',
      `The conversation has no message of a person with the identifier "${messageId}".`,
    );
  }
  return takeAgain(tx, question, () =>
    conversationBusy('The conversation is answering this message; ask for its reply when that is done.'),
  );
}

/** @param busy returns the problem of a message that is being answered */
async function takeAgain(tx: Store, question: MessageRow, busy: () => Error): Promise<TakenQuestion> {
  // The message has had its event, and the reply gets one when it is stored.
  tx.skipEvent();
  const reply = await findReply(tx, question.id);
  return reply ? { question, reply } : { question, claim: await askAgain(tx, question, busy) };
}

function conversationBusy(detail: string) {
  return problem('/problems/conversation-busy', detail, {}, { 'Retry-After': '1' });
}

/** The time after which the conversation of a silent instance can be taken over, in milliseconds. */
export const LEASE_MS = 10_000;

interface NewQuestion {
  readonly content: string;
  /** The Idempotency-Key of the request, with the fingerprint that distinguishes it from others. */
  readonly key?: { readonly text: string; readonly fingerprint: string };
}

/**
 * Stores a message of a person, and claims its conversation. Runs within `Store.transaction`.
 * @throws {ProblemError} if the conversation answers another message or has no room for this one and
 *   its reply, or the owner would exceed a limit; the transaction must be rolled back
 */
export async function askQuestion(
  store: Store,
  owner: string,
  conversationId: string,
  { content, key }: NewQuestion,
  leaseMs = LEASE_MS,
): Promise<{ question: MessageRow; claim: ReplyClaim }> {
  const { work } = store;
  const claim = await claimConversation(store, conversationId, { added: 2, leaseMs });
  if (key) {
    // The time of the message that had the key is over.
    await work
      .updateTable('messages')
      .set({ key_owner: null, idempotency_key: null, fingerprint: null })
      .where('key_owner', '=', owner)
      .where('idempotency_key', '=', key.text)
      .execute();
  }
  const question = await addMessage(store, owner, conversationId, {
    role: 'user',
    content,
    ...(key && { key_owner: owner, idempotency_key: key.text, fingerprint: key.fingerprint }),
  });
  await work
    .updateTable('conversations')
    .set({ answering_message: question.id })
    .where('id', '=', conversationId)
    .execute();
  return { question, claim };
}

/**
 * Claims the conversation of a question that has no reply. Runs within `Store.transaction`.
 * @param busy returns the problem of a question that is being answered
 * @throws {ProblemError} if the conversation answers a message, or has no room for the reply
 */
export async function askAgain(
  store: Store,
  { id, conversation_id }: MessageRow,
  busy: () => Error,
  leaseMs = LEASE_MS,
): Promise<ReplyClaim> {
  return claimConversation(store, conversation_id, { added: 1, leaseMs, question: { id, busy } });
}

interface ClaimOptions {
  readonly added: number;
  readonly leaseMs: number;
  /** A message that is asked again, and the problem if it is being answered. */
  readonly question?: { readonly id: string; readonly busy: () => Error };
}

async function claimConversation(
  { work, limits }: Store,
  conversationId: string,
  { added, leaseMs, question }: ClaimOptions,
): Promise<ReplyClaim> {
  const id = uuidv4();
  const claimed = await work
    .updateTable('conversations')
    .set({ answering: id, answering_message: question?.id ?? null, answering_until: leaseEnd(work, leaseMs) })
    .where('id', '=', conversationId)
    .where(isUnleased(work, 'answering_until'))
    .returning('messages')
    .executeTakeFirst();
  if (!claimed) {
    const row = await work
      .selectFrom('conversations')
      .select('answering_message')
      .where('id', '=', conversationId)
      .executeTakeFirst();
    if (question && row?.answering_message === question.id) throw question.busy();
    throw conversationBusy('The conversation is answering another message; send this one when that is done.');
  }
  if (claimed.messages + added > limits.messages) {
    throw problem(
      '/problems/limit-reached',
      `The conversation holds ${limits.messages.toLocaleString('en')} messages, the most that it may; begin another.`,
    );
  }
  return { id, conversationId };
}

/** Renews claims, and returns those that are not lost. */
export async function renewClaims(
  { work }: Store,
  claims: readonly ReplyClaim[],
  leaseMs = LEASE_MS,
): Promise<ReplyClaim[]> {
  const renewed = await work
    .updateTable('conversations')
    .set({ answering_until: leaseEnd(work, leaseMs) })
    .where('answering', 'in', padToPowerOfTwo(claims.map(({ id }) => id)))
    .returning('answering')
    .execute();
  const ids = new Set(renewed.map(({ answering }) => answering));
  return claims.filter(({ id }) => ids.has(id));
}

const RELEASED = { answering: null, answering_message: null, answering_until: null };

/** Gives up a claim; without effect if it is over. */
export async function releaseClaim({ work }: Store, { id, conversationId }: ReplyClaim): Promise<void> {
  await work
    .updateTable('conversations')
    .set(RELEASED)
    .where('id', '=', conversationId)
    .where('answering', '=', id)
    .execute();
}

/**
 * Stores the reply to a claimed message, and ends the claim. Runs within `Store.transaction`.
 * @throws {ProblemError} if another request has the conversation, it was deleted, or the owner would
 *   exceed a limit; the transaction must be rolled back
 */
export async function keepReply(
  store: Store,
  owner: string,
  { id, conversationId }: ReplyClaim,
  messageId: string,
  { text: content, steps, usage }: Pick<Answer, 'text' | 'steps' | 'usage'>,
): Promise<MessageRow> {
  const { numUpdatedRows } = await store.work
    .updateTable('conversations')
    .set(RELEASED)
    .where('id', '=', conversationId)
    .where('chatbot_id', 'is not', null)
    .where('answering', '=', id)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) {
    throw unavailable(
      'The reply was not kept: the conversation was deleted, or another request answers the message by now; ask for the reply again.',
    );
  }
  return addMessage(store, owner, conversationId, {
    role: 'assistant',
    content,
    reply_to: messageId,
    steps: JSON.stringify(steps),
    usage: JSON.stringify(usage),
  });
}

export interface Asker {
  readonly caller: Caller;
  readonly project: Project;
  readonly chatbot: ConversingChatbot;
  readonly requestId: string;
  /** Aborted when nobody waits for the reply any more, at the latest when the response closes. */
  readonly signal: AbortSignal;
}

/** A reply in progress, and at last its message. */
export type ReplyStream = AnswerStream<Answer & { readonly message: MessageRow }>;

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
  async replyTo({ question, reply, claim }: TakenQuestion, asker: Asker): Promise<ReplyStream> {
    if (reply) return replay(reply, asker.requestId);
    const end = this.#hold(claim, asker.signal);
    try {
      asker.signal.throwIfAborted();
      return this.#keep(await this.#ask(question, asker), question, claim, asker, end);
    } catch (error) {
      await end();
      throw error;
    }
  }

  /**
   * Renews a claim until its reply is stored or given up, at the latest when nobody waits.
   * @returns ends the claim; releases it unless its reply is stored
   */
  #hold(claim: ReplyClaim, signal: AbortSignal): (isStored?: boolean) => Promise<void> {
    let ended: Promise<void> | undefined;
    const end = (isStored = false): Promise<void> => {
      void this.#leases.drop(claim);
      signal.removeEventListener('abort', release);
      // A store that does not respond now frees the conversation when the lease runs out.
      ended ??= isStored ? Promise.resolve() : releaseClaim(this.store, claim).catch(() => {});
      return ended;
    };
    const release = () => void end();
    this.#leases.hold(claim);
    signal.addEventListener('abort', release, { once: true });
    if (signal.aborted) release();
    return end;
  }

  async #ask(question: MessageRow, { chatbot, requestId: traceId, ...asker }: Asker): Promise<AnswerStream> {
    const { instructions, history } = chatbot.settings;
    const earlier = await readHistory(this.store, question, history);
    const { agent_id: agent, model_name: modelName } = chatbot;
    return this.agents.prepare({
      ...asker,
      traceId,
      modelName,
      instructions,
      agent: agent === null ? null : await this.agents.find(asker.project, agent),
      messages: [...earlier, { role: 'user', content: question.content }],
    });
  }

  /**
   * Passes an answer on, and stores it as the reply. The conversation is free then, in every case.
   * @throws {ProblemError} if the conversation was deleted or is no longer claimed, or the owner would exceed a limit
   */
  async *#keep(
    stream: AnswerStream,
    { id }: MessageRow,
    claim: ReplyClaim,
    { caller: { owner, act }, project }: Asker,
    end: (isStored: boolean) => Promise<void>,
  ): ReplyStream {
    let isStored = false;
    try {
      const answer = yield* stream;
      const message = await this.store.transaction((tx) => keepReply(tx, owner, claim, id, answer), {
        owner,
        project: project.name,
        act,
      });
      isStored = true;
      return { ...answer, message };
    } finally {
      await end(isStored);
    }
  }
}

/** Gives a stored reply as an answer, with its steps. */
async function* replay(message: MessageRow, traceId: string): ReplyStream {
  // The store keeps both as `keepReply` wrote them.
  const steps = JSON.parse(message.steps) as Step[];
  const usage = JSON.parse(message.usage ?? '{}') as Usage;
  for (const step of steps) yield stepEvent(step, traceId);
  const answer = { text: message.content, toolCalls: [], steps, usage };
  return { ...answer, passages: undefined, predictions: [], message };
}
