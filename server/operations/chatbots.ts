import type { components } from '../../generated/openapi.js';
import type { Handlers } from '../contract/handlers.js';
import { invalidRequest, problem } from '../contract/problems.js';
import { OtherNameError, type Store, UnknownReferenceError } from '../store/index.js';
import { listPage } from './list-page.js';
import { inProject, projectNamed, sent, written } from './resource.js';

type ChatbotOperations = Pick<
  Handlers,
  'listChatbots' | 'createChatbot' | 'getChatbot' | 'updateChatbot' | 'deleteChatbot'
>;
type ChatbotBody = components['schemas']['UpdateChatbotBody']['chatbot'];

export function chatbotOperations(store: Store): ChatbotOperations {
  return {
    listChatbots: async ({ params, query, base, reply }) => {
      const project = await projectNamed(store, params.project_name);
      const page = await listPage(`${base}/projects/${project.name}/chatbots`, query, (part) =>
        store.chatbots.list(project.id, part),
      );
      return reply({ status: 200, ...page });
    },

    createChatbot: async ({ params, body, base, reply }) => {
      const project = await projectNamed(store, params.project_name);
      const { name } = body.chatbot;
      const chatbot = await referring(body.chatbot, () =>
        written(store, { kind: 'chatbot', project, name, sent: body.chatbot }, (store) =>
          store.chatbots.create(project.id, { ...fieldsOf(body.chatbot), name }),
        ),
      );
      return reply({
        status: 201,
        body: chatbot,
        headers: { Location: `${base}/projects/${project.name}/chatbots/${name}` },
      });
    },

    getChatbot: async ({ params, reply }) => {
      const project = await projectNamed(store, params.project_name);
      const chatbot = await store.chatbots.find(project.id, params.chatbot_name);
      if (!chatbot) throw notFound(params.chatbot_name, project.name);
      return reply({ status: 200, body: chatbot });
    },

    updateChatbot: async ({ params, body, base, reply }) => {
      const project = await projectNamed(store, params.project_name);
      const change = fieldsOf(body.chatbot);
      const { chatbot, created } = await referring(body.chatbot, () =>
        written(
          store,
          { kind: 'chatbot', project, name: change.name, sent: body.chatbot },
          (store) => store.chatbots.updateOrCreate(project.id, params.chatbot_name, change),
        ),
      );
      if (!created) return reply({ status: 200, body: chatbot });
      return reply({
        status: 201,
        body: chatbot,
        headers: { Location: `${base}/projects/${project.name}/chatbots/${chatbot.name}` },
      });
    },

    deleteChatbot: async ({ params, reply }) => {
      const project = await projectNamed(store, params.project_name);
      const removed = await inProject(store, project.name, (store) =>
        store.chatbots.remove(project.id, params.chatbot_name),
      );
      if (!removed) throw notFound(params.chatbot_name, project.name);
      return reply({ status: 204 });
    },
  };
}

function fieldsOf(body: ChatbotBody) {
  const { agent_id, agent_name, settings, params, ...fields } = sent(body);
  const agent = agent_id ?? agent_name;
  return {
    ...fields,
    ...(agent === undefined ? {} : { agent }),
    settings: settings ?? params ?? {},
  };
}

/** Runs a write that may name an agent, and says what is wrong with it in words for the caller. */
async function referring<T>(body: ChatbotBody, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof UnknownReferenceError) {
      const [field, what] = sent(body).agent_id
        ? ['agent_id', 'identifier']
        : ['agent_name', 'name'];
      throw problem(
        '/problems/unknown-agent',
        'The agent that the chatbot should use does not exist in the project; nothing was changed.',
        {
          errors: [
            {
              pointer: `/body/chatbot/${field}`,
              message: `there is no agent with the ${what} "${error.named[0]}"; create it first, or mend the name`,
            },
          ],
        },
      );
    }
    if (error instanceof OtherNameError) {
      throw invalidRequest([
        {
          pointer: '/body/chatbot/name',
          message:
            'must be the name of the address, because there is no such chatbot yet; leave it out, or create the chatbot first',
        },
      ]);
    }
    throw error;
  }
}

function notFound(name: string, project: string) {
  return problem(
    '/problems/chatbot-not-found',
    `There is no chatbot with the name "${name}" in the project "${project}".`,
  );
}
