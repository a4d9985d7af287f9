import { type Agent, answered } from 'roster-client';
import { NameLinks } from '../resources/name-links.js';
import { href } from '../router/route.js';
import { roster } from '../session/roster.js';
import { useSignal } from '../session/signal.js';
import { useLoaded } from '../session/use-loaded.js';
import { Loading } from '../ui/loading.js';
import { View } from '../ui/view.js';
import { Conversing } from './conversing.js';
import type { Exchange } from './exchange.js';
import { type Ask, type Thread, threadAt } from './thread.js';

const ONE = '/projects/{project_name}/agents/{agent_name}';

/** The most exchanges that are sent with a question, so that a long talk fits into a request. */
const MAX_HISTORY = 20;

/** The view `talk` of an agent. The page alone keeps what was said. */
export function AgentView({ project, agent }: { project: string; agent: string }) {
  const path = { project_name: project, agent_name: agent };
  const { loaded, reload } = useLoaded(
    (signal) => answered(roster.GET(ONE, { params: { path }, signal })),
    [project, agent],
  );
  const thread = threadAt(JSON.stringify(path), askAgent(path));
  return (
    <View
      title={`Talk to ${agent}`}
      up={{ href: href(['projects', project, 'agents', agent]), text: agent }}
      actions={<Clear thread={thread} />}
    >
      <Loading loaded={loaded} what="the agent" retry={reload}>
        {(found) => (
          <>
            <SkillLine project={project} agent={found} />
            <Conversing thread={thread} project={project} />
          </>
        )}
      </Loading>
    </View>
  );
}

function Clear({ thread }: { thread: Thread }) {
  const isEmpty = useSignal(thread.exchanges).length === 0;
  if (isEmpty) return null;
  return (
    <button type="button" onClick={() => thread.clear()}>
      Begin anew
    </button>
  );
}

/** The most skills to name; the others are counted. */
const MAX_NAMED = 10;

function SkillLine({ project, agent: { skills } }: { project: string; agent: Agent }) {
  const names = skills.slice(0, MAX_NAMED).map(({ name }) => name);
  return (
    <p class="faint lead">
      {names.length === 0 ? (
        'This agent has no skills.'
      ) : (
        <>
          Skills: <NameLinks project={project} kind="skills" names={names} more={skills.length - names.length} />
        </>
      )}
    </p>
  );
}

function askAgent(path: { project_name: string; agent_name: string }): Ask {
  return (exchange, before, signal) => {
    const history = before.filter(({ state }) => state === 'answered').slice(-MAX_HISTORY);
    const messages = [...history.flatMap(writeMessages), writeMessage('user', exchange.question)];
    return (streamed) =>
      roster.POST(`${ONE}/completions/stream`, { ...streamed, params: { path }, body: { messages }, signal });
  };
}

const writeMessages = ({ question, text }: Exchange) => [
  writeMessage('user', question),
  writeMessage('assistant', text),
];

const writeMessage = (role: 'user' | 'assistant', content: string | null) => ({ role, content: content ?? '' });
