import type { Agent, components } from 'roster-client';
import { href } from '../router/route.js';
import { readList } from '../session/read-list.js';
import { roster } from '../session/roster.js';
import { useLoaded } from '../session/use-loaded.js';
import { count } from '../ui/format.js';
import { Loading } from '../ui/loading.js';
import { CHANGED, ifMatch, type Kind, nameColumn, toBody } from './kind.js';
import { NameLinks } from './name-links.js';
import { SKILLS } from './skills.js';

type Schemas = components['schemas'];

const LIST = '/projects/{project_name}/agents';
const ONE = '/projects/{project_name}/agents/{agent_name}';

/** Agents: their requests, and what the console says of them. */
export const AGENTS: Kind<Agent> = {
  name: 'agent',
  plural: 'agents',
  purpose: 'An agent answers questions with a language model and its skills.',
  next: 'Create its skills first, or add them later. Then talk to it here.',
  columns: (project) => [
    nameColumn(project, 'agents'),
    { head: 'Language model', text: describeModel },
    { head: 'Skills', text: describeSkills },
    CHANGED,
  ],
  choices: { skills: { label: 'Skills', what: 'skills', list: SKILLS.list } },
  leftOut: [],
  address: ({ id }) => id,
  list: (project, signal) => (query) =>
    roster.GET(LIST, { params: { path: { project_name: project }, query }, signal }),
  get: (project, name, signal) =>
    roster.GET(ONE, { params: { path: { project_name: project, agent_name: name } }, ...(signal && { signal }) }),
  create: (project, values) =>
    roster.POST(LIST, {
      params: { path: { project_name: project } },
      body: { agent: toBody<Schemas['CreateAgentBody']['agent']>(values) },
    }),
  update: (project, name, etag, values) =>
    roster.PUT(ONE, {
      params: { path: { project_name: project, agent_name: name }, header: ifMatch(etag) },
      body: { agent: toBody<Schemas['UpdateAgentBody']['agent']>(values) },
    }),
  remove: (project, name, etag) =>
    roster.DELETE(ONE, { params: { path: { project_name: project, agent_name: name }, header: ifMatch(etag) } }),
  views: (project, { name }) => [{ href: href(['projects', project, 'agents', name, 'talk']), text: 'Talk to it' }],
  Consequences: ({ project, resource }) => (
    <>
      Its skills stay. <LeftChatbots project={project} agent={resource} />
    </>
  ),
};

function describeModel({ model_name, provider, model }: Agent): string {
  const name = model_name ?? model?.model_name;
  const from = provider ?? model?.provider;
  return [name, from].filter(Boolean).join(' · ') || '–';
}

/** The most skills to name in a row of the list. */
const MAX_NAMED = 3;

function describeSkills({ skills }: Agent): string {
  const names = skills.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = skills.length - names.length;
  return [...names, ...(more > 0 ? [count(more, 'other')] : [])].join(', ') || '–';
}

/** The most chatbots to name; the others are counted. */
const MAX_NAMED_CHATBOTS = 10;

/** Says which chatbots stay without an agent. */
function LeftChatbots({ project, agent }: { project: string; agent: Agent }) {
  const { loaded, reload } = useLoaded(
    async (signal) => {
      const path = { project_name: project };
      const chatbots = await readList((query) =>
        roster.GET('/projects/{project_name}/chatbots', { params: { path, query }, signal }),
      );
      return chatbots.filter(({ agent_id }) => agent_id === agent.id).map(({ name }) => name);
    },
    [project, agent.id],
  );
  return (
    <Loading loaded={loaded} what="its chatbots" retry={reload}>
      {(names) =>
        names.length === 0 ? (
          'No chatbot uses it.'
        ) : (
          <>
            {names.length === 1 ? 'A chatbot stays' : `${count(names.length, 'chatbot')} stay`} without an agent:{' '}
            <NameLinks
              project={project}
              kind="chatbots"
              names={names.slice(0, MAX_NAMED_CHATBOTS)}
              more={names.length - MAX_NAMED_CHATBOTS}
            />
          </>
        )
      }
    </Loading>
  );
}
