import { type Kysely, type SqlBool, sql } from 'kysely';
import { v4 as uuidv4 } from 'uuid';
import { dialectOf } from '../../store/database/dialect.js';
import type { Database } from '../../store/database/schema.js';
import { ClaimLostError, ConversationBusyError, LimitReachedError } from '../../store/errors.js';
import type { Limits } from '../../store/quota.js';
import { addMessage, type MessageRow } from './add-message.js';

/** A message of a person to store. */
export interface NewQuestion {
  readonly content: string;
  /** The Idempotency-Key of the request, with the fingerprint that tells it from others. */
  readonly key?: { readonly text: string; readonly fingerprint: string } | undefined;
}

/** A reply to store. */
export interface NewReply {
  readonly content: string;
  /** Its steps and its usage, in the shapes of the contract. */
  readonly steps: readonly unknown[];
  readonly usage: unknown;
}

/** The right to answer a message: a conversation answers one at a time. */
export interface ReplyClaim {
  readonly id: string;
  readonly conversationId: string;
  readonly messageId: string;
}

/**
 * Stores questions and their replies. A question claims its conversation until the reply is stored
 * or given up. The claim is a lease, by the clock of the database, that is renewed meanwhile; it
 * runs out if the instance has crashed.
 */
export class ReplyStore {
  constructor(
    private readonly db: Kysely<Database>,
    private readonly limits: Limits,
  ) {}

  /**
   * Stores a message of a person, and claims its conversation. Runs within `Store.transaction`.
   * @param lease in milliseconds
   * @throws {ConversationBusyError} if the conversation answers another message
   * @throws {LimitReachedError} if the conversation has no room for the message and its reply, or
   *   the owner would exceed a limit; the transaction must be rolled back
   */
  async ask(
    owner: string,
    conversationId: string,
    { content, key }: NewQuestion,
    lease: number,
  ): Promise<{ question: MessageRow; claim: ReplyClaim }> {
    const id = await this.#claim(conversationId, { lease, added: 2 });
    if (key) await this.#freeKey(owner, key.text);
    const keyed = key && {
      ...{ key_owner: owner, idempotency_key: key.text, fingerprint: key.fingerprint },
    };
    const message = { role: 'user' as const, content, ...keyed };
    const question = await addMessage(this.db, owner, conversationId, message, this.limits);
    await this.db
      .updateTable('conversations')
      .set({ answering_message: question.id })
      .where('id', '=', conversationId)
      .execute();
    return { question, claim: { id, conversationId, messageId: question.id } };
  }

  /**
   * Claims the conversation of a question that has no reply. Runs within `Store.transaction`.
   * @param lease in milliseconds
   * @throws {ConversationBusyError} if the conversation answers this message or another
   * @throws {LimitReachedError} if the conversation has no room for the reply
   */
  async askAgain(question: MessageRow, lease: number): Promise<ReplyClaim> {
    const { id: messageId, conversation_id: conversationId } = question;
    const id = await this.#claim(conversationId, { lease, added: 1, messageId });
    return { id, conversationId, messageId };
  }

  /**
   * Renews claims.
   * @param lease for how long from now, in milliseconds
   */
  async renew(claimIds: readonly string[], lease: number): Promise<void> {
    await this.db
      .updateTable('conversations')
      .set({ answering_until: this.#after(lease) })
      .where('answering', 'in', claimIds)
      .execute();
  }

  /** Gives up a claim; without effect if it is over. */
  async release({ id, conversationId }: ReplyClaim): Promise<void> {
    await this.db
      .updateTable('conversations')
      .set(RELEASED)
      .where('id', '=', conversationId)
      .where('answering', '=', id)
      .execute();
  }

  /**
   * Stores the reply to a claimed message, and ends the claim. Runs within `Store.transaction`.
   * @throws {ClaimLostError} if another request has the conversation, or it was deleted
   * @throws {LimitReachedError} if the owner would exceed a limit; the transaction must be rolled
   *   back
   */
  async keep(owner: string, claim: ReplyClaim, reply: NewReply): Promise<MessageRow> {
    const { id, conversationId, messageId } = claim;
    const { numUpdatedRows } = await this.db
      .updateTable('conversations')
      .set(RELEASED)
      .where('id', '=', conversationId)
      .where('chatbot_id', 'is not', null)
      .where('answering', '=', id)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new ClaimLostError();
    const message = {
      role: 'assistant' as const,
      content: reply.content,
      reply_to: messageId,
      steps: JSON.stringify(reply.steps),
      usage: JSON.stringify(reply.usage),
    };
    return addMessage(this.db, owner, conversationId, message, this.limits);
  }

  /** @param added the number of messages that the conversation must have room for */
  async #claim(
    conversationId: string,
    { lease, added, messageId = null }: { lease: number; added: number; messageId?: string | null },
  ): Promise<string> {
    const id = uuidv4();
    const { now } = dialectOf(this.db);
    const claimed = await this.db
      .updateTable('conversations')
      .set({
        answering: id,
        answering_message: messageId,
        answering_until: this.#after(lease),
      })
      .where('id', '=', conversationId)
      .where(sql<SqlBool>`(answering_until is null or answering_until < ${now})`)
      .returning('messages')
      .executeTakeFirst();
    if (!claimed) throw new ConversationBusyError(await this.#answeredMessage(conversationId));
    const { messages } = this.limits;
    if (claimed.messages + added > messages) {
      throw new LimitReachedError('messages', messages, claimed.messages);
    }
    return id;
  }

  async #answeredMessage(conversationId: string): Promise<string | null> {
    const row = await this.db
      .selectFrom('conversations')
      .select('answering_message')
      .where('id', '=', conversationId)
      .executeTakeFirst();
    return row?.answering_message ?? null;
  }

  /** Takes the key from the message that had it, whose time is over. */
  async #freeKey(owner: string, key: string): Promise<void> {
    await this.db
      .updateTable('messages')
      .set({ key_owner: null, idempotency_key: null, fingerprint: null })
      .where('key_owner', '=', owner)
      .where('idempotency_key', '=', key)
      .execute();
  }

  #after(milliseconds: number) {
    return sql<number>`${dialectOf(this.db).now} + cast(${milliseconds} as bigint)`;
  }
}

const RELEASED = { answering: null, answering_message: null, answering_until: null };
