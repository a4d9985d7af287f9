import type { components } from '../../generated/openapi.js';
import type { Handlers } from '../api/handlers.js';
import { created, idempotent } from '../api/idempotency.js';
import { writtenPage } from '../api/list-page.js';
import { changedFields } from '../api/omit-nulls.js';
import {
  checkPreconditions,
  isConditional,
  type Pieces,
  shown,
  tagged,
} from '../api/preconditions.js';
import { problem } from '../problems/problem.js';
import type { Project } from '../projects/projects.js';
import { findProject, inProject, lockProject } from '../projects/projects.js';
import type { Store } from '../store/index.js';
import {
  createChatbot,
  getChatbotJson,
  listChatbotIds,
  readChatbotsJson,
  removeChatbot,
  updateOrCreateChatbot,
} from './chatbot-rows.js';

type ChatbotOperations = Pick<
  Handlers,
  'listChatbots' | 'createChatbot' | 'getChatbot' | 'updateChatbot' | 'deleteChatbot'
>;
type Chatbot = components['schemas']['Chatbot'];
type ChatbotBody = components['schemas']['UpdateChatbotBody']['chatbot'];

export function chatbotOperations(store: Store): ChatbotOperations {
  return {
    listChatbots: async ({ caller, params, query, base, reply }) => {
      const project = await findProject(store, caller, params.project_name);
      const address = `${base}/projects/${project.name}/chatbots`;
      const page = await writtenPage<Chatbot>(address, query, {
        entries: (part) => listChatbotIds(store, project.id, part),
        written: (entries) => readChatbotsJson(store, entries),
      });
      return reply({ status: 200, ...page });
    },

    createChatbot: async ({ reply, ...request }) => {
      const { caller, params, body, base } = request;
      const answer = await idempotent<Chatbot>(store, 'createChatbot', request, async (tx) => {
        const project = await lockProject(tx, caller, params.project_name);
        const { name } = body.chatbot;
        const pieces = await createChatbot(tx, project.id, { ...fieldsOf(body.chatbot), name });
        return { pieces, location: locationOf(base, project, name) };
      });
      return reply(answer);
    },

    getChatbot: async ({ caller, params, headers, reply }) => {
      const project = await findProject(store, caller, params.project_name);
      const chatbot = await findChatbot(store, project, params.chatbot_name);
      return reply(await shown<Chatbot>(chatbot, headers));
    },

    updateChatbot: ({ caller, params, headers, body, base, reply }) =>
      inProject(store, caller, params.project_name, async (tx, project) => {
        const address = params.chatbot_name;
        if (isConditional(headers)) {
          await checkPreconditions(headers, await getChatbotJson(tx, project.id, address));
        }
        const change = fieldsOf(body.chatbot);
        const { chatbot, created: isNew } = await updateOrCreateChatbot(
          tx,
          project.id,
          address,
          change,
        );
        if (!isNew) return reply({ status: 200, ...(await tagged<Chatbot>(chatbot)) });
        const location = locationOf(base, project, change.name ?? address);
        return reply(await created<Chatbot>({ pieces: chatbot, location }));
      }),

    deleteChatbot: ({ caller, params, headers, reply }) =>
      inProject(store, caller, params.project_name, async (tx, project) => {
        const name = params.chatbot_name;
        if (isConditional(headers)) {
          await checkPreconditions(headers, await findChatbot(tx, project, name));
        }
        if (!(await removeChatbot(tx, project.id, name))) {
          throw chatbotNotFound(name, project);
        }
        return reply({ status: 204 });
      }),
  };
}

function locationOf(base: string, project: Project, name: string): string {
  return `${base}/projects/${project.name}/chatbots/${name}`;
}

/** The fields that null removes. */
const REMOVABLE = ['agent_id', 'agent_name', 'model_name', 'database_name'] as const;

function fieldsOf(body: ChatbotBody) {
  const { agent_id, agent_name, settings, params, ...fields } = changedFields(body, REMOVABLE);
  const isRemoved = agent_id === null || agent_name === null;
  // Either may name the agent, whatever the other is.
  const agent = agent_id ?? agent_name ?? (isRemoved ? null : undefined);
  return {
    ...fields,
    ...(agent === undefined ? {} : { agent }),
    settings: settings ?? params ?? {},
  };
}

async function findChatbot(store: Store, project: Project, name: string): Promise<Pieces> {
  const chatbot = await getChatbotJson(store, project.id, name);
  if (!chatbot) throw chatbotNotFound(name, project);
  return chatbot;
}

/** Returns the problem of a chatbot that the project does not have. */
export function chatbotNotFound(name: string, project: Project) {
  return problem(
    '/problems/chatbot-not-found',
    `There is no chatbot with the name "${name}" in the project "${project.name}".`,
  );
}
