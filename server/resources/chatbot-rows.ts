import type { Kysely, Selectable } from 'kysely';
import { dialectOf } from '../store/database/dialect.js';
import { type Parameter, PreparedQuery } from '../store/database/prepared-query.js';
import type { Database } from '../store/database/schema.js';
import { OtherNameError, UnknownReferenceError } from '../store/errors.js';
import type { Store } from '../store/index.js';
import { lookup } from '../store/lookup.js';
import { type ListEntry, type Page, paginate, partsOf } from '../store/page.js';
import { adjustStored } from '../store/quota/owner-quota.js';
import { refuseTakenName, reserveQuota } from '../store/quota/project-quota.js';
import { bytesOf, sizeOf } from '../store/quota/size.js';
import { EMPTY_OBJECT, key, mergedText, newResource, type OpenObject } from '../store/resource.js';
import { remove } from './remove.js';
import { chatbotJson } from './written-json.js';

export interface ChatbotFields {
  readonly name: string;
  /** The agent, by name or id. */
  readonly agent: string | null;
  readonly model_name: string | null;
  readonly database_name: string | null;
  readonly settings: OpenObject;
}

/** A chatbot to create; missing fields are empty. */
export type NewChatbot = Pick<ChatbotFields, 'name'> & Partial<ChatbotFields>;

/** Returns the entries of a list without reading the chatbots. */
export function listChatbotIds(store: Store, projectId: string, page: Page): Promise<ListEntry[]> {
  const all = store.reads
    .selectFrom('chatbots')
    .select(['id', dialectOf(store.reads).octets('settings').as('bytes')])
    .where('project_id', '=', projectId);
  return paginate(all, 'id', page).execute();
}

/** Yields the JSON of chatbots, each in one piece; skips those that no longer exist. */
export async function* readChatbotsJson(
  store: Store,
  entries: readonly ListEntry[],
): AsyncGenerator<readonly string[]> {
  for (const part of partsOf(entries)) {
    const rows = await lookup(
      part.map(({ id }) => id),
      (ids) => chatbots(store.reads).where('chatbots.id', 'in', ids).execute(),
    );
    const texts = new Map(rows.map((row) => [row.id, chatbotJson(row)]));
    for (const { id } of part) {
      const text = texts.get(id);
      if (text !== undefined) yield [text];
    }
  }
}

/** Returns the JSON of a chatbot, in one piece. */
export async function getChatbotJson(
  store: Store,
  projectId: string,
  name: string,
): Promise<readonly string[] | undefined> {
  const row = await FIND.first(store.reads, { projectId, name });
  return row && [chatbotJson(row)];
}

export function findChatbotRow(
  store: Store,
  projectId: string,
  name: string,
): Promise<ChatbotRow | undefined> {
  return FIND.first(store.reads, { projectId, name });
}

/**
 * @returns the chatbot, as `show` does
 * @throws {NameTakenError}
 * @throws {LimitReachedError}
 * @throws {TooLargeError}
 * @throws {UnknownReferenceError} if the agent does not exist; then nothing is created
 */
export async function createChatbot(
  store: Store,
  projectId: string,
  chatbot: NewChatbot,
): Promise<readonly string[]> {
  const { agent, settings, ...fields } = { ...EMPTY, ...chatbot };
  await refuseTakenName(store.reads, 'chatbots', projectId, fields.name);
  const row = {
    ...newResource(),
    ...fields,
    project_id: projectId,
    agent_id: await agentId(store.reads, projectId, agent),
    settings: mergedText('settings', EMPTY_OBJECT, settings),
  };
  await reserveQuota(
    store.reads,
    projectId,
    { chatbots: 1, bytes: bytesOf('chatbots', row) },
    store.limits,
  );
  await store.reads.insertInto('chatbots').values(row).execute();
  return readAgain(store, projectId, fields.name);
}

/**
 * Changes the chatbot `name`, or creates it from the change if there is none.
 * @returns the chatbot, as `show` does
 * @throws {NameTakenError}
 * @throws {LimitReachedError}
 * @throws {TooLargeError}
 * @throws {UnknownReferenceError} if the agent does not exist; then nothing is changed
 * @throws {OtherNameError} if it would be created with a name other than `name`
 */
export async function updateOrCreateChatbot(
  store: Store,
  projectId: string,
  name: string,
  change: Partial<ChatbotFields>,
): Promise<{ chatbot: readonly string[]; created: boolean }> {
  const stored = await FIND.first(store.reads, { projectId, name });
  if (stored) {
    return { chatbot: await updateChatbot(store, projectId, stored, change), created: false };
  }
  if ((change.name ?? name) !== name) throw new OtherNameError();
  return { chatbot: await createChatbot(store, projectId, { ...change, name }), created: true };
}

/** Deletes a chatbot and its conversations; returns whether it existed. */
export async function removeChatbot(
  store: Store,
  projectId: string,
  name: string,
): Promise<boolean> {
  const found = await FIND.first(store.reads, { projectId, name });
  if (found) await detachConversations(store.reads, projectId, found.id);
  return remove(store.reads, 'chatbots', projectId, { column: 'name', value: name });
}

async function updateChatbot(
  store: Store,
  projectId: string,
  stored: ChatbotRow,
  { agent, settings, ...fields }: Partial<ChatbotFields>,
): Promise<readonly string[]> {
  const name = fields.name ?? stored.name;
  await refuseTakenName(store.reads, 'chatbots', projectId, name, stored.id);
  const row = {
    ...fields,
    ...(agent === undefined ? {} : { agent_id: await agentId(store.reads, projectId, agent) }),
    settings: mergedText('settings', stored.settings, settings ?? {}),
    updated_at: new Date().toISOString(),
  };
  const { bytes } = await sizeOf(store.reads, 'chatbots', stored.id);
  await reserveQuota(
    store.reads,
    projectId,
    { bytes: bytesOf('chatbots', row) - bytes },
    store.limits,
  );
  await store.reads.updateTable('chatbots').set(row).where('id', '=', stored.id).execute();
  return readAgain(store, projectId, name);
}

async function readAgain(
  store: Store,
  projectId: string,
  name: string,
): Promise<readonly string[]> {
  const chatbot = await getChatbotJson(store, projectId, name);
  if (!chatbot) throw new Error(`The chatbot ${name} vanished within its own transaction`);
  return chatbot;
}

export type ChatbotRow = Selectable<Database['chatbots']>;

const EMPTY = { agent: null, model_name: null, database_name: null, settings: {} };

function chatbots(db: Kysely<Database>) {
  return db
    .selectFrom('chatbots')
    .leftJoin('agents', 'agents.id', 'chatbots.agent_id')
    .selectAll('chatbots')
    .select('agents.name as agent_name');
}

const FIND = new PreparedQuery((db, parameter: Parameter<{ projectId: string; name: string }>) =>
  chatbots(db)
    .where('chatbots.project_id', '=', parameter('projectId'))
    .where('chatbots.name', '=', parameter('name')),
);

async function agentId(
  db: Kysely<Database>,
  projectId: string,
  agent: string | null,
): Promise<string | null> {
  if (agent === null) return null;
  const { column, value } = key(agent);
  const found = await db
    .selectFrom('agents')
    .select('id')
    .where('project_id', '=', projectId)
    .where(column, '=', value)
    .executeTakeFirst();
  if (!found) throw new UnknownReferenceError([agent]);
  return found.id;
}

/**
 * Takes all conversations from a chatbot, before it is deleted itself; the sweep then deletes their
 * messages.
 */
async function detachConversations(
  db: Kysely<Database>,
  projectId: string,
  chatbotId: string,
): Promise<void> {
  const detached = await db
    .updateTable('conversations')
    .set({ chatbot_id: null })
    .where('chatbot_id', '=', chatbotId)
    .returning('bytes')
    .execute();
  const bytes = detached.reduce((sum, conversation) => sum + Number(conversation.bytes), 0);
  if (bytes === 0) return;
  const { owner } = await db
    .selectFrom('projects')
    .select('owner')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  await adjustStored(db, owner, -bytes);
}
