import type { Kysely, Selectable } from 'kysely';
import { removeConversations } from '../agents/conversations/conversation-rows.js';
import {
  type ConversationSettings,
  conversationSettings,
} from '../agents/conversations/conversation-settings.js';
import { dialectOf } from '../store/database/dialect.js';
import { type Parameter, PreparedQuery } from '../store/database/prepared-query.js';
import type { Database } from '../store/database/schema.js';
import { OtherNameError, UnknownReferenceError } from '../store/errors.js';
import { lookup } from '../store/lookup.js';
import { type Page, paginate } from '../store/page.js';
import type { Limits } from '../store/quota/limits.js';
import { refuseTakenName, reserveQuota } from '../store/quota/project-quota.js';
import { bytesOf, sizeOf } from '../store/quota/size.js';
import { EMPTY_OBJECT, key, mergedText, newResource, type OpenObject } from '../store/resource.js';
import { remove } from './remove.js';
import { chatbotJson, type ListEntry, partsOf } from './written-json.js';

export interface ChatbotFields {
  readonly name: string;
  /** The agent, by name or id. */
  readonly agent: string | null;
  readonly model_name: string | null;
  readonly database_name: string | null;
  readonly settings: OpenObject;
}

/** A chatbot as its conversations need it. */
export interface ConversingChatbot {
  readonly id: string;
  readonly name: string;
  /** The id of its agent; null asks the language model alone. */
  readonly agent_id: string | null;
  readonly model_name: string | null;
  readonly settings: ConversationSettings;
}

/** A chatbot to create; missing fields are empty. */
export type NewChatbot = Pick<ChatbotFields, 'name'> & Partial<ChatbotFields>;

/**
 * Stores the chatbots of projects. Writes run within `Store.transaction`, with the project locked.
 */
export class ChatbotStore {
  constructor(
    private readonly db: Kysely<Database>,
    private readonly limits: Limits,
  ) {}

  /** Returns the entries of a list without reading the chatbots. */
  entries(projectId: string, page: Page): Promise<ListEntry[]> {
    const all = this.db
      .selectFrom('chatbots')
      .select(['id', dialectOf(this.db).octets('settings').as('bytes')])
      .where('project_id', '=', projectId);
    return paginate(all, 'id', page).execute();
  }

  /** Yields the JSON of chatbots, each in one piece; skips those that no longer exist. */
  async *written(entries: readonly ListEntry[]): AsyncGenerator<readonly string[]> {
    for (const part of partsOf(entries)) {
      const rows = await lookup(
        part.map(({ id }) => id),
        (ids) => chatbots(this.db).where('chatbots.id', 'in', ids).execute(),
      );
      const texts = new Map(rows.map((row) => [row.id, chatbotJson(row)]));
      for (const { id } of part) {
        const text = texts.get(id);
        if (text !== undefined) yield [text];
      }
    }
  }

  /** Returns the JSON of a chatbot, in one piece. */
  async show(projectId: string, name: string): Promise<readonly string[] | undefined> {
    const row = await FIND.first(this.db, { projectId, name });
    return row && [chatbotJson(row)];
  }

  /** Finds a chatbot for a conversation. */
  async find(projectId: string, name: string): Promise<ConversingChatbot | undefined> {
    const row = await FIND.first(this.db, { projectId, name });
    if (!row) return undefined;
    const { id, agent_id, model_name, settings } = row;
    return { id, name, agent_id, model_name, settings: conversationSettings(settings) };
  }

  /**
   * @returns the chatbot, as `show` does
   * @throws {NameTakenError}
   * @throws {LimitReachedError}
   * @throws {TooLargeError}
   * @throws {UnknownReferenceError} if the agent does not exist; then nothing is created
   */
  async create(projectId: string, chatbot: NewChatbot): Promise<readonly string[]> {
    const { agent, settings, ...fields } = { ...EMPTY, ...chatbot };
    await refuseTakenName(this.db, 'chatbots', projectId, fields.name);
    const row = {
      ...newResource(),
      ...fields,
      project_id: projectId,
      agent_id: await agentId(this.db, projectId, agent),
      settings: mergedText('settings', EMPTY_OBJECT, settings),
    };
    await reserveQuota(
      this.db,
      projectId,
      { chatbots: 1, bytes: bytesOf('chatbots', row) },
      this.limits,
    );
    await this.db.insertInto('chatbots').values(row).execute();
    return this.#shownAgain(projectId, fields.name);
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
  async updateOrCreate(
    projectId: string,
    name: string,
    change: Partial<ChatbotFields>,
  ): Promise<{ chatbot: readonly string[]; created: boolean }> {
    const stored = await FIND.first(this.db, { projectId, name });
    if (stored) {
      return { chatbot: await this.#update(projectId, stored, change), created: false };
    }
    if ((change.name ?? name) !== name) throw new OtherNameError();
    return { chatbot: await this.create(projectId, { ...change, name }), created: true };
  }

  /** Deletes a chatbot and its conversations; returns whether it existed. */
  async remove(projectId: string, name: string): Promise<boolean> {
    const found = await FIND.first(this.db, { projectId, name });
    if (found) await removeConversations(this.db, projectId, found.id);
    return remove(this.db, 'chatbots', projectId, { column: 'name', value: name });
  }

  async #update(
    projectId: string,
    stored: Row,
    { agent, settings, ...fields }: Partial<ChatbotFields>,
  ): Promise<readonly string[]> {
    const name = fields.name ?? stored.name;
    await refuseTakenName(this.db, 'chatbots', projectId, name, stored.id);
    const row = {
      ...fields,
      ...(agent === undefined ? {} : { agent_id: await agentId(this.db, projectId, agent) }),
      settings: mergedText('settings', stored.settings, settings ?? {}),
      updated_at: new Date().toISOString(),
    };
    const { bytes } = await sizeOf(this.db, 'chatbots', stored.id);
    await reserveQuota(
      this.db,
      projectId,
      { bytes: bytesOf('chatbots', row) - bytes },
      this.limits,
    );
    await this.db.updateTable('chatbots').set(row).where('id', '=', stored.id).execute();
    return this.#shownAgain(projectId, name);
  }

  async #shownAgain(projectId: string, name: string): Promise<readonly string[]> {
    const chatbot = await this.show(projectId, name);
    if (!chatbot) throw new Error(`The chatbot ${name} vanished within its own transaction`);
    return chatbot;
  }
}

type Row = Selectable<Database['chatbots']>;

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
