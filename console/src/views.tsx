import type { ComponentChildren } from 'preact';
import { KeyView } from './key/key-view.js';
import { ModelList } from './models/model-list.js';
import { ModelView, Quality } from './models/model-view.js';
import { StartView } from './models/start-view.js';
import { TrainView } from './models/train-view.js';
import { TryRowView } from './models/try-row-view.js';
import { AGENTS } from './resources/agents.js';
import { CHATBOTS } from './resources/chatbots.js';
import { ProjectsView } from './resources/projects-view.js';
import { ResourceView } from './resources/resource-view.js';
import { ResourcesView } from './resources/resources-view.js';
import { SKILLS } from './resources/skills.js';
import { href, type Route } from './router/route.js';
import { Later } from './ui/later.js';
import { View } from './ui/view.js';

type Names = readonly string[];

/**
 * Views by their address. A segment that begins with `:` stands for any name; `~new`, which cannot
 * be a name, for what does not exist yet.
 */
const VIEWS: readonly (readonly [string, (names: Names, route: Route) => ComponentChildren])[] = [
  ['', () => <StartView />],
  ['key', () => <KeyView />],
  ['projects', () => <ProjectsView />],
  ['projects/:project', ([project = '']) => <ModelList project={project} />],
  ['projects/:project/models', ([project = '']) => <ModelList project={project} />],
  [
    'projects/:project/models/~new',
    // With `?name=`, the next version of a model.
    ([project = ''], { query }) => <TrainView project={project} model={query.get('name')} />,
  ],
  [
    'projects/:project/models/:model',
    ([project = '', model = '']) => <ModelView project={project} model={model} />,
  ],
  [
    'projects/:project/models/:model/try',
    ([project = '', model = '']) => <TryRowView project={project} model={model} />,
  ],
  [
    'projects/:project/models/:model/predict',
    ([project = '', model = '']) => (
      <Later isPage>
        {({ PredictFileView }) => <PredictFileView project={project} model={model} />}
      </Later>
    ),
  ],
  [
    'projects/:project/models/:model/report',
    ([project = '', model = '']) => (
      <Later isPage>
        {({ ReportView }) => (
          <ReportView project={project} model={model}>
            {(shown) => <Quality project={project} model={shown} />}
          </ReportView>
        )}
      </Later>
    ),
  ],
  [
    'projects/:project/models/:model/record',
    ([project = '', model = '']) => (
      <Later isPage>{({ RecordView }) => <RecordView project={project} model={model} />}</Later>
    ),
  ],
  [
    'projects/:project/models/:model/versions',
    ([project = '', model = '']) => (
      <Later isPage>{({ VersionsView }) => <VersionsView project={project} model={model} />}</Later>
    ),
  ],
  [
    'projects/:project/:kind',
    ([project = '', kind = '']) => <ResourcesView project={project} kind={kind} />,
  ],
  [
    'projects/:project/skills/:skill',
    ([project = '', name = '']) => <ResourceView kind={SKILLS} project={project} name={name} />,
  ],
  [
    'projects/:project/skills/:skill/documents',
    ([project = '', skill = '']) => (
      <Later isPage>
        {({ DocumentsView }) => <DocumentsView project={project} skill={skill} />}
      </Later>
    ),
  ],
  [
    'projects/:project/skills/:skill/documents/:document',
    ([project = '', skill = '', name = '']) => (
      <Later isPage>
        {({ DocumentView }) => <DocumentView project={project} skill={skill} name={name} />}
      </Later>
    ),
  ],
  [
    'projects/:project/agents/:agent/talk',
    ([project = '', agent = '']) => (
      <Later isPage>{({ AgentView }) => <AgentView project={project} agent={agent} />}</Later>
    ),
  ],
  [
    'projects/:project/chatbots/:chatbot/conversations',
    ([project = '', chatbot = '']) => (
      <Later isPage>
        {({ ConversationsView }) => <ConversationsView project={project} chatbot={chatbot} />}
      </Later>
    ),
  ],
  [
    'projects/:project/chatbots/:chatbot/conversations/:conversation',
    ([project = '', chatbot = '', id = '']) => (
      <Later isPage>
        {({ ConversationView }) => <ConversationView project={project} chatbot={chatbot} id={id} />}
      </Later>
    ),
  ],
  [
    'projects/:project/agents/:agent',
    ([project = '', name = '']) => <ResourceView kind={AGENTS} project={project} name={name} />,
  ],
  [
    'projects/:project/chatbots/:chatbot',
    ([project = '', name = '']) => <ResourceView kind={CHATBOTS} project={project} name={name} />,
  ],
];

export function viewOf(route: Route): ComponentChildren {
  for (const [pattern, view] of VIEWS) {
    const names = match(pattern, route.segments);
    if (names) return view(names, route);
  }
  return <NotFoundView />;
}

/** The view of an address that no other view has. */
function NotFoundView() {
  return (
    <View title="Not found">
      <p>
        <a href={href([])}>Go to the start page</a>
      </p>
    </View>
  );
}

/** Segments that a URL resolves, so that a request would reach another address. */
const NOT_A_NAME = new Set(['.', '..']);

/** Returns the names at the places of a pattern, or undefined if it does not match. */
function match(pattern: string, segments: Names): Names | undefined {
  const parts = pattern.split('/').filter(Boolean);
  if (parts.length !== segments.length) return undefined;
  const isMatch = parts.every((part, index) => {
    const segment = segments[index] ?? '';
    return part.startsWith(':') ? !NOT_A_NAME.has(segment) : part === segment;
  });
  return isMatch ? segments.filter((_, index) => parts[index]?.startsWith(':')) : undefined;
}
