import type { Kysely } from 'kysely';
import { dialectOf } from '../../store/database/dialect.js';
import type { Database } from '../../store/database/schema.js';
import { inTransaction } from '../../store/database/transaction.js';
import { LimitReachedError } from '../../store/errors.js';
import type { Limits } from '../../store/quota.js';
import { adjustStored } from '../../store/quota.js';
import {
  chunksBySize,
  type ListEntry,
  lookup,
  newResource,
  type Page,
  padToPowerOfTwo,
  paginate,
} from '../../store/rows.js';
import { addMessage, ROW_BYTES } from './add-message.js';
import { writeConversation } from './conversation-json.js';

/** The columns of a conversation that callers see. */
const SHOWN = ['id', 'title', 'messages', 'created_at', 'updated_at'] as const;

/** The approximate size of a conversation's JSON, in bytes. */
const ENTRY_BYTES = 256;

/** The most messages that a step of the sweep deletes; fewer if they are large. */
const MAX_SWEPT = 128;

/** A conversation to create. */
export interface NewConversation {
  readonly title: string | null;
  /** Its first message, from the chatbot; undefined for none. */
  readonly greeting: string | undefined;
}

/**
 * Stores the conversations of chatbots, without their messages. Writes run within
 * `Store.transaction`, with the project locked.
 *
 * A deleted conversation is detached from its chatbot and gives its bytes back at once. Its messages
 * may be many, and are deleted later by periodic sweeps.
 */
export class ConversationStore {
  constructor(
    private readonly db: Kysely<Database>,
    private readonly limits: Limits,
    private readonly work: Kysely<Database>,
  ) {}

  /** Returns the entries of a list without reading the conversations. */
  async entries(chatbotId: string, page: Page): Promise<ListEntry[]> {
    const all = this.db
      .selectFrom('conversations')
      .select('id')
      .where('chatbot_id', '=', chatbotId);
    const rows = await paginate(all, 'id', page).execute();
    return rows.map(({ id }) => ({ id, bytes: ENTRY_BYTES }));
  }

  /** Yields the JSON of conversations, each in one piece; skips those that no longer exist. */
  async *written(entries: readonly ListEntry[]): AsyncGenerator<readonly string[]> {
    const rows = await lookup(
      entries.map(({ id }) => id),
      (ids) =>
        this.db
          .selectFrom('conversations')
          .select(SHOWN)
          .where('id', 'in', ids)
          .where('chatbot_id', 'is not', null)
          .execute(),
    );
    const texts = new Map(rows.map((row) => [row.id, writeConversation(row)]));
    for (const { id } of entries) {
      const text = texts.get(id);
      if (text !== undefined) yield text;
    }
  }

  /** Returns the JSON of a conversation, in one piece. */
  async show(chatbotId: string, id: string): Promise<readonly string[] | undefined> {
    const row = await this.db
      .selectFrom('conversations')
      .select(SHOWN)
      .where('id', '=', id.toLowerCase())
      .where('chatbot_id', '=', chatbotId)
      .executeTakeFirst();
    return row && writeConversation(row);
  }

  /** Returns the id of a conversation of the chatbot, as it is stored; undefined if there is none. */
  async find(chatbotId: string, id: string): Promise<string | undefined> {
    const row = await this.db
      .selectFrom('conversations')
      .select('id')
      .where('id', '=', id.toLowerCase())
      .where('chatbot_id', '=', chatbotId)
      .executeTakeFirst();
    return row?.id;
  }

  /**
   * @returns the conversation, as `show` does, and its id
   * @throws {LimitReachedError} if the chatbot has as many as allowed, or the owner would exceed a
   *   limit; the transaction must be rolled back
   */
  async create(
    owner: string,
    chatbotId: string,
    { title, greeting }: NewConversation,
  ): Promise<{ id: string; pieces: readonly string[] }> {
    await this.#refuseFull(chatbotId);
    const bytes = ROW_BYTES + Buffer.byteLength(title ?? '');
    const row = { ...newResource(), chatbot_id: chatbotId, title, bytes };
    await this.db.insertInto('conversations').values(row).execute();
    await adjustStored(this.db, owner, bytes, this.limits.stored);
    if (greeting !== undefined) {
      const message = { role: 'assistant' as const, content: greeting };
      await addMessage(this.db, owner, row.id, message, this.limits);
    }
    const pieces = await this.show(chatbotId, row.id);
    if (!pieces) throw new Error('The conversation vanished within its own transaction');
    return { id: row.id, pieces };
  }

  /** Deletes a conversation; returns whether it existed. */
  async remove(owner: string, chatbotId: string, id: string): Promise<boolean> {
    const detached = await this.db
      .updateTable('conversations')
      .set({ chatbot_id: null })
      .where('id', '=', id.toLowerCase())
      .where('chatbot_id', '=', chatbotId)
      .returning('bytes')
      .executeTakeFirst();
    if (!detached) return false;
    await adjustStored(this.db, owner, -Number(detached.bytes));
    return true;
  }

  /**
   * Deletes some messages of a deleted conversation, or the conversation after its last one. Returns
   * whether there was one.
   */
  sweep(): Promise<boolean> {
    return inTransaction(this.work, async (db) => {
      const detached = await db
        .selectFrom('conversations')
        .select('id')
        .where('chatbot_id', 'is', null)
        .limit(1)
        .executeTakeFirst();
      if (!detached) return false;
      const messages = await db
        .selectFrom('messages')
        .select(['id', dialectOf(db).octets('content').as('bytes')])
        .where('conversation_id', '=', detached.id)
        .limit(MAX_SWEPT)
        .execute();
      const [part] = chunksBySize(messages);
      const ids = part && padToPowerOfTwo(part.map(({ id }) => id));
      await (ids
        ? db.deleteFrom('messages').where('id', 'in', ids)
        : db.deleteFrom('conversations').where('id', '=', detached.id)
      ).execute();
      return true;
    });
  }

  async #refuseFull(chatbotId: string): Promise<void> {
    const { conversations } = await this.db
      .selectFrom('conversations')
      .select(({ fn }) => fn.countAll().as('conversations'))
      .where('chatbot_id', '=', chatbotId)
      .executeTakeFirstOrThrow();
    const { resources } = this.limits;
    if (Number(conversations) >= resources) throw new LimitReachedError('conversations', resources);
  }
}
