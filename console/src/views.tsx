import type { ComponentChildren } from 'preact';
import { KeyView } from './key/key-view.js';
import { ModelList } from './models/model-list.js';
import { StartView } from './models/start-view.js';
import { AGENTS } from './resources/agents.js';
import { CHATBOTS } from './resources/chatbots.js';
import { ProjectsView } from './resources/projects-view.js';
import { ResourceView } from './resources/resource-view.js';
import { ResourcesView } from './resources/resources-view.js';
import { SKILLS } from './resources/skills.js';
import { href, type Route } from './router/route.js';
import { Later, type Views } from './ui/later.js';
import { View } from './ui/view.js';

/** The names of the project, of its resource, and of a part of that; empty where an address has none. */
type Names = readonly [project: string, name: string, part: string];
type ViewOf = (names: Names, route: Route) => ComponentChildren;

/** A view whose code is loaded when it is opened. */
const later =
  (show: (views: Views, names: Names) => ComponentChildren): ViewOf =>
  (names) => <Later>{(views) => show(views, names)}</Later>;

/**
 * Views by their address. A segment that begins with `:` stands for any name; `~new`, which cannot
 * be a name, for what does not exist yet.
 */
const VIEWS: Readonly<Record<string, ViewOf>> = {
  '': () => <StartView />,
  key: () => <KeyView />,
  projects: () => <ProjectsView />,
  'projects/:project': ([project]) => <ModelList project={project} />,
  'projects/:project/models': ([project]) => <ModelList project={project} />,
  // With `?name=`, the next version of a model.
  'projects/:project/models/~new': later(({ TrainView }, [project]) => <TrainView project={project} />),
  'projects/:project/models/:model': later(({ ModelView }, [project, model]) => (
    <ModelView project={project} model={model} />
  )),
  'projects/:project/models/:model/try': later(({ TryRowView }, [project, model]) => (
    <TryRowView project={project} model={model} />
  )),
  'projects/:project/models/:model/predict': later(({ PredictFileView }, [project, model]) => (
    <PredictFileView project={project} model={model} />
  )),
  'projects/:project/models/:model/report': later(({ Quality, ReportView }, [project, model]) => (
    <ReportView project={project} model={model}>
      {(shown) => <Quality project={project} model={shown} isFile />}
    </ReportView>
  )),
  'projects/:project/models/:model/record': later(({ RecordView }, [project, model]) => (
    <RecordView project={project} model={model} />
  )),
  'projects/:project/models/:model/versions': later(({ VersionsView }, [project, model]) => (
    <VersionsView project={project} model={model} />
  )),
  'projects/:project/:kind': ([project, kind]) => <ResourcesView project={project} kind={kind} />,
  'projects/:project/skills/:skill': ([project, name]) => <ResourceView kind={SKILLS} project={project} name={name} />,
  'projects/:project/skills/:skill/documents': later(({ DocumentsView }, [project, skill]) => (
    <DocumentsView project={project} skill={skill} />
  )),
  'projects/:project/skills/:skill/documents/:document': later(({ DocumentView }, [project, skill, name]) => (
    <DocumentView project={project} skill={skill} name={name} />
  )),
  'projects/:project/agents/:agent': ([project, name]) => <ResourceView kind={AGENTS} project={project} name={name} />,
  'projects/:project/agents/:agent/talk': later(({ AgentView }, [project, agent]) => (
    <AgentView project={project} agent={agent} />
  )),
  'projects/:project/chatbots/:chatbot': ([project, name]) => (
    <ResourceView kind={CHATBOTS} project={project} name={name} />
  ),
  'projects/:project/chatbots/:chatbot/conversations': later(({ ConversationsView }, [project, chatbot]) => (
    <ConversationsView project={project} chatbot={chatbot} />
  )),
  'projects/:project/chatbots/:chatbot/conversations/:conversation': later(
    ({ ConversationView }, [project, chatbot, id]) => <ConversationView project={project} chatbot={chatbot} id={id} />,
  ),
};

export function chooseView(route: Route): ComponentChildren {
  for (const [pattern, view] of Object.entries(VIEWS)) {
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
function match(pattern: string, segments: readonly string[]): Names | undefined {
  const parts = pattern.split('/').filter(Boolean);
  if (parts.length !== segments.length) return undefined;
  const isMatch = parts.every((part, index) => {
    const segment = segments[index] ?? '';
    return part.startsWith(':') ? !NOT_A_NAME.has(segment) : part === segment;
  });
  if (!isMatch) return undefined;
  const [project = '', name = '', part = ''] = segments.filter((_, index) => parts[index]?.startsWith(':'));
  return [project, name, part];
}
