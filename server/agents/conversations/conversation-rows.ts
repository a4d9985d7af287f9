import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { components } from '../../../generated/openapi.js';
import type { Sweep } from '../../common/sweeps.js';
import { problem } from '../../problems/problem.js';
import { getDialect, inTransaction } from '../../store/database/dialect.js';
import type { Database } from '../../store/database/schema.js';
import type { Store } from '../../store/index.js';
import { adjustStored } from '../../store/quota.js';
import {
  chunksBySize,
  type JsonChunks,
  jsonWriter,
  type ListEntry,
  lookup,
  newResource,
  type Page,
  padToPowerOfTwo,
  paginate,
} from '../../store/rows.js';

type Schemas = components['schemas'];

const COLUMNS = ['id', 'title', 'messages', 'created_at', 'updated_at'] as const;

type ConversationRow = Pick<Selectable<Database['conversations']>, (typeof COLUMNS)[number]>;
export type MessageRow = Selectable<Database['messages']>;

/**
 * The size of a conversation or a message without its text, in bytes: its other columns and its
 * index entries. Empty messages count too.
 */
const ROW_BYTES = 256;

export const writeConversation = jsonWriter<Schemas['Conversation'], ConversationRow>({
  id: 'value',
  title: 'value',
  messages: 'value',
  created_at: 'value',
  updated_at: 'value',
});

export const writeMessage = jsonWriter<Schemas['Message'], MessageRow>({
  id: 'value',
  role: 'value',
  content: 'value',
  reply_to: 'value',
  steps: { json: 'steps' },
  usage: { json: 'usage' },
  created_at: 'value',
});

export function listConversations({ reads }: Store, chatbotId: string, page: Page): Promise<ConversationRow[]> {
  const all = reads.selectFrom('conversations').select(COLUMNS);
  return paginate(all.where('chatbot_id', '=', chatbotId), 'id', page).execute();
}

/** The messages of a conversation, whose entries are read without the messages. */
export function messageList({ reads }: Store, conversationId: string) {
  const { octets } = getDialect(reads);
  const bytes = sql<number>`${octets('content')} + ${octets('steps')}`.as('bytes');
  const all = reads.selectFrom('messages').where('conversation_id', '=', conversationId);
  return {
    listIds: (page: Page): Promise<ListEntry[]> => paginate(all.select(['id', bytes]), 'id', page).execute(),
    readJson: async function* (entries: readonly ListEntry[]): AsyncGenerator<JsonChunks> {
      for (const part of chunksBySize(entries)) {
        const ids = padToPowerOfTwo(part.map(({ id }) => id));
        const rows = await all.selectAll().where('id', 'in', ids).orderBy('id').execute();
        for (const row of rows) yield writeMessage(row);
      }
    },
  };
}

export function findConversationRow(
  { reads }: Store,
  chatbotId: string,
  id: string,
): Promise<ConversationRow | undefined> {
  return reads
    .selectFrom('conversations')
    .select(COLUMNS)
    .where('id', '=', id.toLowerCase())
    .where('chatbot_id', '=', chatbotId)
    .executeTakeFirst();
}

/**
 * Creates a conversation; within `Store.transaction`, with the project locked.
 * @param greeting its first message, from the chatbot; undefined for none
 * @throws {ProblemError} if the chatbot has as many as allowed, or the owner would exceed a
 *   limit; the transaction must be rolled back
 */
export async function createConversation(
  store: Store,
  owner: string,
  chatbot: { readonly id: string; readonly name: string },
  { title, greeting }: { readonly title: string | null; readonly greeting: string | undefined },
): Promise<ConversationRow> {
  const { conversations } = await store.reads
    .selectFrom('conversations')
    .select(({ fn }) => fn.countAll().as('conversations'))
    .where('chatbot_id', '=', chatbot.id)
    .executeTakeFirstOrThrow();
  const { resources, stored } = store.limits;
  if (Number(conversations) >= resources) {
    throw problem(
      '/problems/limit-reached',
      `The chatbot "${chatbot.name}" already holds ${resources} conversations, the most that it may; delete some.`,
    );
  }
  const bytes = ROW_BYTES + Buffer.byteLength(title ?? '');
  const row = { ...newResource(), chatbot_id: chatbot.id, title, bytes };
  await store.reads.insertInto('conversations').values(row).execute();
  await adjustStored(store.reads, owner, bytes, stored);
  if (greeting !== undefined) {
    await addMessage(store, owner, row.id, { role: 'assistant', content: greeting });
  }
  const created = await findConversationRow(store, chatbot.id, row.id);
  if (!created) throw new Error('The conversation vanished within its own transaction');
  return created;
}

/**
 * Deletes a conversation; returns whether it existed. It is detached from its chatbot and gives its
 * bytes back at once. Its messages may be many, and are deleted later, by `sweepConversations`.
 */
export async function removeConversation(
  { reads }: Store,
  owner: string,
  chatbotId: string,
  id: string,
): Promise<boolean> {
  const detached = await reads
    .updateTable('conversations')
    .set({ chatbot_id: null })
    .where('id', '=', id.toLowerCase())
    .where('chatbot_id', '=', chatbotId)
    .returning('bytes')
    .executeTakeFirst();
  if (!detached) return false;
  await adjustStored(reads, owner, -Number(detached.bytes));
  return true;
}

/** The most messages that a step of the sweep deletes; fewer if they are large. */
const MAX_SWEPT = 128;

/** Deletes conversations that were deleted, each after its messages, some of them in a step. */
export function sweepConversations({ work }: Store): Sweep {
  const step = async (db: Kysely<Database>) => {
    const detached = await db
      .selectFrom('conversations')
      .select('id')
      .where('chatbot_id', 'is', null)
      .limit(1)
      .executeTakeFirst();
    if (!detached) return false;
    const messages = await db
      .selectFrom('messages')
      .select(['id', getDialect(db).octets('content').as('bytes')])
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
  };
  return { failure: 'deleted conversations are not swept yet', everyMs: 1_000, step: () => inTransaction(work, step) };
}

export function findQuestion({ reads }: Store, conversationId: string, id: string): Promise<MessageRow | undefined> {
  return reads
    .selectFrom('messages')
    .selectAll()
    .where('conversation_id', '=', conversationId)
    .where('id', '=', id.toLowerCase())
    .where('role', '=', 'user')
    .executeTakeFirst();
}

export function findReply({ reads }: Store, messageId: string): Promise<MessageRow | undefined> {
  return reads.selectFrom('messages').selectAll().where('reply_to', '=', messageId).executeTakeFirst();
}

/** The most text of earlier messages that is sent with a question, in bytes of UTF-8. */
const HISTORY_BYTES = 64 * 1024;

/**
 * Returns the last messages before a question, the oldest first. Each reply follows its question,
 * and the first message is one of a person: chat servers expect that.
 */
export async function readHistory(
  { reads }: Store,
  question: Pick<MessageRow, 'id' | 'conversation_id'>,
  maxMessages: number,
): Promise<Pick<MessageRow, 'role' | 'content'>[]> {
  if (maxMessages === 0) return [];
  const latest = await reads
    .selectFrom('messages')
    .select(['id', 'role', 'reply_to', getDialect(reads).octets('content').as('bytes')])
    .where('conversation_id', '=', question.conversation_id)
    .where('id', '<', question.id)
    .orderBy('id', 'desc')
    .limit(maxMessages)
    .execute();
  let bytes = 0;
  const excess = latest.findIndex((message) => {
    bytes += message.bytes;
    return bytes > HISTORY_BYTES;
  });
  const fitting = latest.slice(0, excess === -1 ? latest.length : excess).sort(compareByQuestion);
  const begin = fitting.findIndex(({ role }) => role === 'user');
  const sent = begin === -1 ? [] : fitting.slice(begin);
  const rows = await lookup(
    sent.map(({ id }) => id),
    (ids) => reads.selectFrom('messages').select(['id', 'content']).where('id', 'in', ids).execute(),
  );
  const contents = new Map(rows.map(({ id, content }) => [id, content]));
  return sent.flatMap(({ id, role }) => {
    const content = contents.get(id);
    return content === undefined ? [] : [{ role, content }];
  });
}

type Ordered = Pick<MessageRow, 'id' | 'reply_to'>;

/** Compares messages so that a reply, which may be much later, follows its question. */
function compareByQuestion(one: Ordered, other: Ordered): number {
  const key = ({ id, reply_to }: Ordered) => `${reply_to ?? id} ${id}`;
  return key(one) < key(other) ? -1 : 1;
}

type NewMessage = Pick<Insertable<Database['messages']>, 'role' | 'content'> & Partial<MessageRow>;

const EMPTY = { reply_to: null, steps: '[]', usage: null, key_owner: null, idempotency_key: null, fingerprint: null };

/**
 * Adds a message to a conversation that is locked, and counts its bytes.
 * @throws {ProblemError} if the owner would exceed the limit; the transaction must be rolled back
 */
export async function addMessage(
  { work, limits }: Store,
  owner: string,
  conversationId: string,
  message: NewMessage,
): Promise<MessageRow> {
  const created_at = new Date().toISOString();
  const id = await nextMessageId(work, conversationId);
  const row = { ...EMPTY, ...message, id, conversation_id: conversationId, created_at };
  const bytes = ROW_BYTES + Buffer.byteLength(row.content) + Buffer.byteLength(row.steps);
  await work.insertInto('messages').values(row).execute();
  await work
    .updateTable('conversations')
    .set(({ eb }) => ({ messages: eb('messages', '+', 1), bytes: eb('bytes', '+', bytes), updated_at: created_at }))
    .where('id', '=', conversationId)
    .execute();
  await adjustStored(work, owner, bytes, limits.stored);
  return row;
}

/**
 * Returns an id after those of the conversation's messages. The clocks of two instances may differ,
 * and messages are in the order of their ids.
 */
async function nextMessageId(db: Kysely<Database>, conversationId: string): Promise<string> {
  const { last } = await db
    .selectFrom('messages')
    .select(({ fn }) => fn.max('id').as('last'))
    .where('conversation_id', '=', conversationId)
    .executeTakeFirstOrThrow();
  const id = uuidv7();
  // The aggregate of no rows is null, which Kysely's type leaves out.
  if (!last || id > last) return id;
  return uuidv7({ msecs: Number.parseInt(last.replaceAll('-', '').slice(0, 12), 16) + 1 });
}
