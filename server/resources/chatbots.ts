import type { Selectable } from 'kysely';
import type { components } from '../../generated/openapi.js';
import type { Handlers } from '../api/handlers.js';
import { changedFields, replyCreated } from '../api/idempotency.js';
import { checkPreconditions, isConditional } from '../api/preconditions.js';
import { withEtag } from '../api/reply/send.js';
import { invalidRequest, type ProblemError, problem } from '../problems/problem.js';
import { inProject } from '../projects/projects.js';
import type { Database } from '../store/database/schema.js';
import type { Store } from '../store/index.js';
import { adjustStored, sumBytes } from '../store/quota.js';
import { EMPTY_OBJECT, jsonWriter, key, mergeSettings } from '../store/rows.js';
import { Resources } from './crud.js';

type Schemas = components['schemas'];
type Chatbot = Schemas['Chatbot'];

export type ChatbotRow = Selectable<Database['chatbots']> & { readonly agent_name: string | null };

const writeChatbot = jsonWriter<Chatbot, ChatbotRow>({
  id: 'value',
  name: 'value',
  agent_id: 'value',
  agent_name: 'value',
  model_name: 'value',
  database_name: 'value',
  settings: { json: 'settings' },
  params: { json: 'settings' },
  created_at: 'value',
  updated_at: 'value',
});

export const chatbots = new Resources<Chatbot, 'chatbots', ChatbotRow>({
  table: 'chatbots',
  noun: 'chatbot',
  hasIdAddress: false,
  longText: ['settings'],
  select: (db) =>
    db
      .selectFrom('chatbots')
      .selectAll('chatbots')
      .select(({ selectFrom }) =>
        selectFrom('agents').select('agents.name').whereRef('agents.id', '=', 'chatbots.agent_id').as('agent_name'),
      ),
  writer: () => writeChatbot,
  beforeRemoval: detachConversations,
});

export function chatbotOperations(store: Store) {
  return {
    listChatbots: (request) => chatbots.list(store, request),

    createChatbot: (request) =>
      chatbots.create(store, 'createChatbot', request, (tx, project) =>
        createChatbot(tx, project.id, request.body.chatbot),
      ),

    getChatbot: (request) => chatbots.get(store, request, request.params.chatbot_name),

    updateChatbot: ({ caller, params, headers, body, base, reply }) =>
      inProject(store, caller, params.project_name, async (tx, project) => {
        const address = params.chatbot_name;
        const stored = await chatbots.find(tx, project.id, address);
        if (isConditional(headers)) {
          const current = stored && (await chatbots.write(tx, stored));
          await checkPreconditions(headers, current);
        }
        const row = stored
          ? await updateChatbot(tx, stored, body.chatbot)
          : await createChatbotAt(tx, project.id, address, body.chatbot);
        const chunks = await chatbots.write(tx, row);
        if (stored) return reply({ status: 200, ...(await withEtag<Chatbot>(chunks)) });
        const location = chatbots.location(base, project, row);
        return reply(await replyCreated<Chatbot>({ chunks, location }));
      }),

    deleteChatbot: (request) => chatbots.delete(store, request, request.params.chatbot_name),
  } satisfies Partial<Handlers>;
}

type ChatbotBody = Schemas['UpdateChatbotBody']['chatbot'];

/**
 * Returns the columns of a chatbot with the fields of a body, and no others.
 * @throws {ProblemError} if its settings are too large
 */
export function newChatbot(sent: ChatbotBody & { readonly name: string }, agentId: string | null) {
  return { ...EMPTY, ...changedColumns(EMPTY, sent), name: sent.name, agent_id: agentId };
}

/** @throws {ProblemError} if the name is taken, the agent does not exist, or a limit would be exceeded */
export async function createChatbot(
  tx: Store,
  projectId: string,
  sent: ChatbotBody & { readonly name: string },
): Promise<ChatbotRow> {
  const agent = await findSentAgent(tx, projectId, sent);
  const columns = newChatbot(sent, agent?.id ?? null);
  const row = await chatbots.insert(tx, projectId, columns);
  return { ...row, agent_name: agent?.name ?? null };
}

const EMPTY = { agent_id: null, model_name: null, database_name: null, settings: EMPTY_OBJECT };

/** Creates a chatbot that was to be changed. */
function createChatbotAt(tx: Store, projectId: string, name: string, sent: ChatbotBody): Promise<ChatbotRow> {
  if ((sent.name ?? name) === name) return createChatbot(tx, projectId, { ...sent, name });
  const message =
    'must be the name of the address, because there is no such chatbot yet; leave it out, or create the chatbot first';
  throw invalidRequest([{ pointer: '/body/chatbot/name', message }]);
}

/** @throws {ProblemError} if the name is taken, the agent does not exist, or a limit would be exceeded */
export async function updateChatbot(tx: Store, stored: ChatbotRow, sent: ChatbotBody): Promise<ChatbotRow> {
  const { project_id } = stored;
  await chatbots.refuseTakenName(tx, stored, sent.name ?? stored.name);
  const agent = await findSentAgent(tx, project_id, sent);
  const columns = changedColumns(stored, sent);
  if (!agent) return chatbots.change(tx, stored, columns);
  const row = await chatbots.change(tx, stored, { ...columns, agent_id: agent.id });
  return { ...row, agent_name: agent.name };
}

/** Returns the columns that a body changes, except for the agent. */
function changedColumns(stored: Pick<ChatbotRow, 'settings'>, sent: ChatbotBody) {
  const { agent_id, agent_name, settings, params, ...columns } = changedFields(sent, REMOVABLE);
  return { ...columns, settings: mergeSettings('chatbot', stored, sent) };
}

/** The fields that null removes. */
const REMOVABLE = ['agent_id', 'agent_name', 'model_name', 'database_name'] as const;

/**
 * Returns the agent that a body names, nulls if it removes the agent, or undefined if it leaves it.
 * @throws {ProblemError} if the project has no such agent
 */
async function findSentAgent(
  tx: Store,
  projectId: string,
  sent: ChatbotBody,
): Promise<{ id: string | null; name: string | null } | undefined> {
  const { agent_id, agent_name } = changedFields(sent, REMOVABLE);
  // Either may name the agent, whatever the other is.
  const agent = agent_id ?? agent_name;
  if (agent_id === undefined && agent === undefined) return undefined;
  if (agent === undefined || agent === null) return { id: null, name: null };
  const { column, value } = key(agent);
  const found = await tx.reads
    .selectFrom('agents')
    .select(['id', 'name'])
    .where('project_id', '=', projectId)
    .where(column, '=', value)
    .executeTakeFirst();
  if (found) return found;
  throw unknownAgent(agent_id ? 'agent_id' : 'agent_name', agent);
}

/** @param field the field that names the agent */
export function unknownAgent(field: 'agent_id' | 'agent_name', agent: string): ProblemError {
  const what = field === 'agent_id' ? 'identifier' : 'name';
  const message = `there is no agent with the ${what} "${agent}"; create it first, or correct the name`;
  return problem(
    '/problems/unknown-agent',
    'The agent that the chatbot should use does not exist in the project; nothing was changed.',
    { errors: [{ pointer: `/body/chatbot/${field}`, message }] },
  );
}

/** Takes all conversations from a chatbot, before it is deleted itself; the sweep then deletes their messages. */
export async function detachConversations(tx: Store, { id, project_id }: ChatbotRow): Promise<void> {
  const detached = await tx.reads
    .updateTable('conversations')
    .set({ chatbot_id: null })
    .where('chatbot_id', '=', id)
    .returning('bytes')
    .execute();
  const bytes = sumBytes(detached);
  if (bytes === 0) return;
  const { owner } = await tx.reads
    .selectFrom('projects')
    .select('owner')
    .where('id', '=', project_id)
    .executeTakeFirstOrThrow();
  await adjustStored(tx.reads, owner, -bytes);
}
