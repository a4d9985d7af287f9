import { type Kysely, sql } from 'kysely';
import { dialectOf } from '../../store/database/dialect.js';
import type { Database } from '../../store/database/schema.js';
import { chunksBySize, type ListEntry, lookup, type Page, paginate } from '../../store/rows.js';
import type { MessageRow } from './add-message.js';
import { writeMessage } from './conversation-json.js';

/** An earlier message, as it is sent with a question. */
export interface EarlierMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** The bounds of the history that is sent with a question. */
export interface HistoryBounds {
  readonly messages: number;
  /** The most bytes of text, in UTF-8. */
  readonly bytes: number;
}

/** Reads the messages of conversations. */
export class MessageStore {
  constructor(private readonly db: Kysely<Database>) {}

  /** Returns the entries of a list without reading the messages. */
  entries(conversationId: string, page: Page): Promise<ListEntry[]> {
    const { octets } = dialectOf(this.db);
    const bytes = sql<number>`${octets('content')} + ${octets('steps')}`.as('bytes');
    const all = this.#of(conversationId).select(['id', bytes]);
    return paginate(all, 'id', page).execute();
  }

  /** Yields the JSON of messages, each in one piece; skips those that no longer exist. */
  async *written(entries: readonly ListEntry[]): AsyncGenerator<readonly string[]> {
    for (const part of chunksBySize(entries)) {
      const rows = await lookup(
        part.map(({ id }) => id),
        (ids) => this.db.selectFrom('messages').selectAll().where('id', 'in', ids).execute(),
      );
      const texts = new Map(rows.map((row) => [row.id, writeMessage(row)]));
      for (const { id } of part) {
        const text = texts.get(id);
        if (text !== undefined) yield text;
      }
    }
  }

  /** Finds a message of a person. */
  findQuestion(conversationId: string, id: string): Promise<MessageRow | undefined> {
    return this.#of(conversationId)
      .selectAll()
      .where('id', '=', id.toLowerCase())
      .where('role', '=', 'user')
      .executeTakeFirst();
  }

  findReply(messageId: string): Promise<MessageRow | undefined> {
    return this.db
      .selectFrom('messages')
      .selectAll()
      .where('reply_to', '=', messageId)
      .executeTakeFirst();
  }

  /**
   * Finds the message that an owner sent under an Idempotency-Key.
   * @param notBefore a time in ISO 8601, UTC; the key of an earlier message has expired
   */
  findByKey(owner: string, key: string, notBefore: string): Promise<MessageRow | undefined> {
    return this.db
      .selectFrom('messages')
      .selectAll()
      .where('key_owner', '=', owner)
      .where('idempotency_key', '=', key)
      .where('created_at', '>=', notBefore)
      .executeTakeFirst();
  }

  /**
   * Returns the last messages before a question, the oldest first. Each reply follows its question,
   * and the first message is one of a person: chat servers expect that.
   */
  async history(
    question: Pick<MessageRow, 'id' | 'conversation_id'>,
    bounds: HistoryBounds,
  ): Promise<EarlierMessage[]> {
    if (bounds.messages === 0) return [];
    const latest = await this.#of(question.conversation_id)
      .select(['id', 'role', 'reply_to', dialectOf(this.db).octets('content').as('bytes')])
      .where('id', '<', question.id)
      .orderBy('id', 'desc')
      .limit(bounds.messages)
      .execute();
    const fitting = latest.slice(0, countWithin(latest, bounds.bytes)).sort(byQuestion);
    const begin = fitting.findIndex(({ role }) => role === 'user');
    const sent = begin === -1 ? [] : fitting.slice(begin);
    const texts = await this.#texts(sent.map(({ id }) => id));
    return sent.flatMap(({ id, role }) => {
      const content = texts.get(id);
      return content === undefined ? [] : [{ role, content }];
    });
  }

  async #texts(ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await lookup(ids, (some) =>
      this.db.selectFrom('messages').select(['id', 'content']).where('id', 'in', some).execute(),
    );
    return new Map(rows.map(({ id, content }) => [id, content]));
  }

  #of(conversationId: string) {
    return this.db.selectFrom('messages').where('conversation_id', '=', conversationId);
  }
}

/** Returns how many of the messages, from the first, have at most so many bytes in total. */
function countWithin(messages: readonly { readonly bytes: number }[], most: number): number {
  let bytes = 0;
  const tooMuch = messages.findIndex((message) => {
    bytes += message.bytes;
    return bytes > most;
  });
  return tooMuch === -1 ? messages.length : tooMuch;
}

type Placed = Pick<MessageRow, 'id' | 'reply_to'>;

/** Compares messages so that a reply, which may be much later, follows its question. */
function byQuestion(one: Placed, other: Placed): number {
  const place = ({ id, reply_to }: Placed) => `${reply_to ?? id} ${id}`;
  return place(one) < place(other) ? -1 : 1;
}
