import type { Insertable, Kysely, Selectable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../store/database/schema.js';
import type { Limits } from '../../store/quota.js';
import { adjustStored } from '../../store/quota.js';

/** A message as it is stored. */
export type MessageRow = Selectable<Database['messages']>;

type NewMessage = Pick<Insertable<Database['messages']>, 'role' | 'content'> &
  Partial<Omit<MessageRow, 'id' | 'conversation_id' | 'created_at' | 'role' | 'content'>>;

/**
 * The size of a conversation or a message without its text, in bytes: its other columns and its
 * index entries. Empty messages count too.
 */
export const ROW_BYTES = 256;

const EMPTY = {
  ...{ reply_to: null, steps: '[]', usage: null },
  ...{ key_owner: null, idempotency_key: null, fingerprint: null },
};

/**
 * Adds a message to a conversation that is locked, and counts its bytes.
 * @throws {LimitReachedError} if the owner would exceed the limit; the transaction must be rolled
 *   back
 */
export async function addMessage(
  db: Kysely<Database>,
  owner: string,
  conversationId: string,
  message: NewMessage,
  { stored }: Pick<Limits, 'stored'>,
): Promise<MessageRow> {
  const created_at = new Date().toISOString();
  const id = await nextId(db, conversationId);
  const row = { ...EMPTY, ...message, id, conversation_id: conversationId, created_at };
  const bytes = ROW_BYTES + Buffer.byteLength(row.content) + Buffer.byteLength(row.steps);
  await db.insertInto('messages').values(row).execute();
  await db
    .updateTable('conversations')
    .set(({ eb }) => ({
      messages: eb('messages', '+', 1),
      bytes: eb('bytes', '+', bytes),
      updated_at: created_at,
    }))
    .where('id', '=', conversationId)
    .execute();
  await adjustStored(db, owner, bytes, stored);
  return row;
}

/**
 * Returns an id after those of the conversation's messages. The clocks of two instances may differ,
 * and messages are in the order of their ids.
 */
async function nextId(db: Kysely<Database>, conversationId: string): Promise<string> {
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
