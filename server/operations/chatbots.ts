import type { components } from '../../generated/openapi.js';
import { type Handlers, JsonText } from '../pipeline/handlers.js';
import { invalidRequest, problem } from '../problems/problem.js';
import { OtherNameError, type Project, type Store, UnknownReferenceError } from '../store/index.js';
import { heedConditions, type InPieces, shownPieces, taggedPieces } from './conditions.js';
import { writtenPage } from './list-page.js';
import { created, once } from './once.js';
import { holding, inProject, projectNamed, sent, written } from './resource.js';

type ChatbotOperations = Pick<
  Handlers,
  'listChatbots' | 'createChatbot' | 'getChatbot' | 'updateChatbot' | 'deleteChatbot'
>;
type Chatbot = components['schemas']['Chatbot'];
type ChatbotBody = components['schemas']['UpdateChatbotBody']['chatbot'];

export function chatbotOperations(store: Store): ChatbotOperations {
  return {
    listChatbots: async ({ caller, params, query, base, reply }) => {
      const project = await projectNamed(store, caller, params.project_name);
      const address = `${base}/projects/${project.name}/chatbots`;
      const page = await writtenPage<Chatbot>(address, query, {
        entries: (part) => store.chatbots.entries(project.id, part),
        written: (entries) => store.chatbots.written(entries),
      });
      return reply({ status: 200, ...page });
    },

    createChatbot: async ({ reply, base, ...request }) => {
      const { caller, params, body } = request;
      const { name } = body.chatbot;
      const answer = await once(store, 'createChatbot', request, (store) =>
        holding(store, caller, params.project_name, async (store, project) => {
          const chatbot = await referring(body.chatbot, () =>
            written({ kind: 'chatbot', project, name, sent: body.chatbot }, () =>
              store.chatbots.create(project.id, { ...fieldsOf(body.chatbot), name }),
            ),
          );
          return {
            resource: new JsonText<Chatbot, readonly string[]>(chatbot),
            location: `${base}/projects/${project.name}/chatbots/${name}`,
          };
        }),
      );
      return reply(answer);
    },

    getChatbot: async ({ caller, params, headers, reply }) => {
      const project = await projectNamed(store, caller, params.project_name);
      const chatbot = await chatbotNamed(store, project, params.chatbot_name);
      return reply(await shownPieces(chatbot, headers));
    },

    updateChatbot: ({ caller, params, headers, body, base, reply }) =>
      inProject(store, caller, params.project_name, async (store, project) => {
        const { chatbot_name } = params;
        await heedConditions(headers, async () => {
          const stored = await store.chatbots.show(project.id, chatbot_name);
          return stored && new JsonText(stored);
        });
        const change = fieldsOf(body.chatbot);
        const name = change.name ?? chatbot_name;
        const { chatbot: pieces, created: isNew } = await referring(body.chatbot, () =>
          written({ kind: 'chatbot', project, name, sent: body.chatbot }, () =>
            store.chatbots.updateOrCreate(project.id, chatbot_name, change),
          ),
        );
        const chatbot = new JsonText<Chatbot, readonly string[]>(pieces);
        return isNew
          ? reply(
              await created({
                resource: chatbot,
                location: `${base}/projects/${project.name}/chatbots/${name}`,
              }),
            )
          : reply({ status: 200, ...(await taggedPieces(chatbot)) });
      }),

    deleteChatbot: ({ caller, params, headers, reply }) =>
      inProject(store, caller, params.project_name, async (store, project) => {
        await heedConditions(headers, () => chatbotNamed(store, project, params.chatbot_name));
        const removed = await store.chatbots.remove(project.id, params.chatbot_name);
        if (!removed) throw notFound(params.chatbot_name, project);
        return reply({ status: 204 });
      }),
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

async function chatbotNamed(
  store: Store,
  project: Project,
  name: string,
): Promise<InPieces<Chatbot>> {
  const chatbot = await store.chatbots.show(project.id, name);
  if (!chatbot) throw notFound(name, project);
  return new JsonText(chatbot);
}

function notFound(name: string, project: Project) {
  return problem(
    '/problems/chatbot-not-found',
    `There is no chatbot with the name "${name}" in the project "${project.name}".`,
  );
}
