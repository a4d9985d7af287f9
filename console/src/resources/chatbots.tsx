import type { Chatbot, components } from 'roster-client';
import { href } from '../router/route.js';
import { roster } from '../session/roster.js';
import { AGENTS } from './agents.js';
import { CHANGED, ifMatch, type Kind, nameColumn, toBody } from './kind.js';

type Schemas = components['schemas'];

const LIST = '/projects/{project_name}/chatbots';
const ONE = '/projects/{project_name}/chatbots/{chatbot_name}';

/** Chatbots: their requests, and what the console says of them. */
export const CHATBOTS: Kind<Chatbot> = {
  name: 'chatbot',
  plural: 'chatbots',
  purpose: 'A chatbot puts an agent in front of people, and keeps their conversations.',
  next: 'Choose the agent that answers, and begin a conversation here.',
  columns: (project) => [
    nameColumn(project, 'chatbots'),
    {
      head: 'Agent',
      text: ({ agent_name }) => agent_name ?? '–',
      href: ({ agent_name }) => (agent_name === null ? undefined : href(['projects', project, 'agents', agent_name])),
    },
    { head: 'Connection', text: ({ database_name }) => database_name ?? '–' },
    CHANGED,
  ],
  choices: { agent_name: { label: 'Agent', what: 'agents', list: AGENTS.list } },
  leftOut: ['agent_id'],
  address: ({ name }) => name,
  list: (project, signal) => (query) =>
    roster.GET(LIST, { params: { path: { project_name: project }, query }, signal }),
  get: (project, name, signal) =>
    roster.GET(ONE, { params: { path: { project_name: project, chatbot_name: name } }, ...(signal && { signal }) }),
  create: (project, values) =>
    roster.POST(LIST, {
      params: { path: { project_name: project } },
      body: { chatbot: toBody<Schemas['CreateChatbotBody']['chatbot']>(values) },
    }),
  update: (project, name, etag, values) =>
    roster.PUT(ONE, {
      params: { path: { project_name: project, chatbot_name: name }, header: ifMatch(etag) },
      body: { chatbot: toBody<Schemas['UpdateChatbotBody']['chatbot']>(values) },
    }),
  remove: (project, name, etag) =>
    roster.DELETE(ONE, { params: { path: { project_name: project, chatbot_name: name }, header: ifMatch(etag) } }),
  views: (project, { name }) => [
    { href: href(['projects', project, 'chatbots', name, 'conversations']), text: 'Conversations' },
  ],
  Consequences: () => <>Its agent stays.</>,
};
