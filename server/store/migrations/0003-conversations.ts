import type { Kysely } from 'kysely';

/** Creates the conversations of chatbots, and their messages. `schema.ts` explains the columns. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('conversations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('chatbot_id', 'text', (column) =>
      column.references('chatbots.id').onDelete('set null'),
    )
    .addColumn('title', 'text')
    .addColumn('messages', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('answering', 'text')
    .addColumn('answering_message', 'text')
    .addColumn('answering_until', 'bigint')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createTable('messages')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('conversation_id', 'text', (column) =>
      column.notNull().references('conversations.id').onDelete('cascade'),
    )
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('reply_to', 'text')
    .addColumn('key_owner', 'text')
    .addColumn('idempotency_key', 'text')
    .addColumn('fingerprint', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('usage', 'text')
    // The long texts come last: SQLite reads a row up to the last column that a query needs.
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('steps', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('conversations_in_order')
    .on('conversations')
    .columns(['chatbot_id', 'id'])
    .execute();
  await schema
    .createIndex('messages_in_order')
    .on('messages')
    .columns(['conversation_id', 'id'])
    .execute();
  await schema
    .createIndex('one_reply_a_message')
    .on('messages')
    .column('reply_to')
    .unique()
    .execute();
  await schema
    .createIndex('messages_by_key')
    .on('messages')
    .columns(['key_owner', 'idempotency_key'])
    .unique()
    .execute();
}
