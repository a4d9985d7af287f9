/**
 * Questions and their replies. A question claims its conversation until the reply is stored or given
 * up. The claim is a lease, by the clock of the database, that is renewed meanwhile; it runs out if
 * the instance has crashed.
 */

import { v4 as uuidv4 } from 'uuid';
import { ProblemError, problem, unavailable } from '../../problems/problem.js';
import type { Store } from '../../store/index.js';
import { isUnleased, leaseEnd } from '../../store/lease.js';
import { padToPowerOfTwo } from '../../store/rows.js';
import type { Answer } from '../answer-stream.js';
import { addMessage, type MessageRow } from './conversation-rows.js';

/** The time after which the conversation of a silent instance can be taken over, in milliseconds. */
export const LEASE_MS = 10_000;

/** A conversation is answering a message, and answers one at a time. */
export class ConversationBusyError extends ProblemError {
  /** @param messageId the message that it answers */
  constructor(readonly messageId: string | null) {
    super(
      '/problems/conversation-busy',
      'The conversation is answering another message; send this one when that is done.',
      {},
      { 'Retry-After': '1' },
    );
  }
}

interface NewQuestion {
  readonly content: string;
  /** The Idempotency-Key of the request, with the fingerprint that tells it from others. */
  readonly key?: { readonly text: string; readonly fingerprint: string };
}

/** The right to answer a message: a conversation answers one at a time. */
export interface ReplyClaim {
  readonly id: string;
  readonly conversationId: string;
  readonly messageId: string;
}

/**
 * Stores a message of a person, and claims its conversation. Runs within `Store.transaction`.
 * @throws {ConversationBusyError} if the conversation answers another message
 * @throws {ProblemError} if the conversation has no room for the message and its reply, or the
 *   owner would exceed a limit; the transaction must be rolled back
 */
export async function askQuestion(
  store: Store,
  owner: string,
  conversationId: string,
  { content, key }: NewQuestion,
  leaseMs = LEASE_MS,
): Promise<{ question: MessageRow; claim: ReplyClaim }> {
  const id = await claimConversation(store, conversationId, 2, null, leaseMs);
  if (key) {
    // The time of the message that had the key is over.
    await store.work
      .updateTable('messages')
      .set({ key_owner: null, idempotency_key: null, fingerprint: null })
      .where('key_owner', '=', owner)
      .where('idempotency_key', '=', key.text)
      .execute();
  }
  const question = await addMessage(store, owner, conversationId, {
    ...{ role: 'user', content },
    ...(key && { key_owner: owner, idempotency_key: key.text, fingerprint: key.fingerprint }),
  });
  await store.work
    .updateTable('conversations')
    .set({ answering_message: question.id })
    .where('id', '=', conversationId)
    .execute();
  return { question, claim: { id, conversationId, messageId: question.id } };
}

/**
 * Claims the conversation of a question that has no reply. Runs within `Store.transaction`.
 * @throws {ConversationBusyError} if the conversation answers this message or another
 * @throws {ProblemError} if the conversation has no room for the reply
 */
export async function askAgain(
  store: Store,
  { id: messageId, conversation_id: conversationId }: MessageRow,
  leaseMs = LEASE_MS,
): Promise<ReplyClaim> {
  const id = await claimConversation(store, conversationId, 1, messageId, leaseMs);
  return { id, conversationId, messageId };
}

/** @param added the number of messages that the conversation must have room for */
async function claimConversation(
  { work, limits }: Store,
  conversationId: string,
  added: number,
  messageId: string | null,
  leaseMs: number,
): Promise<string> {
  const id = uuidv4();
  const claimed = await work
    .updateTable('conversations')
    .set({
      answering: id,
      answering_message: messageId,
      answering_until: leaseEnd(work, leaseMs),
    })
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
    throw new ConversationBusyError(row?.answering_message ?? null);
  }
  const { messages } = limits;
  if (claimed.messages + added > messages) {
    throw problem(
      '/problems/limit-reached',
      `The conversation holds ${messages.toLocaleString('en')} messages, the most that it may; begin another.`,
    );
  }
  return id;
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
export async function releaseClaim(
  { work }: Store,
  { id, conversationId }: ReplyClaim,
): Promise<void> {
  await work
    .updateTable('conversations')
    .set(RELEASED)
    .where('id', '=', conversationId)
    .where('answering', '=', id)
    .execute();
}

/**
 * Stores the reply to a claimed message, and ends the claim. Runs within `Store.transaction`.
 * @throws {ProblemError} if another request has the conversation, or it was deleted
 * @throws {ProblemError} if the owner would exceed a limit; the transaction must be rolled back
 */
export async function keepReply(
  store: Store,
  owner: string,
  { id, conversationId, messageId }: ReplyClaim,
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
    ...{ role: 'assistant', content, reply_to: messageId },
    ...{ steps: JSON.stringify(steps), usage: JSON.stringify(usage) },
  });
}
