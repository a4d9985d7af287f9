import { answered } from 'roster-client';
import { href } from '../router/route.js';
import { roster } from '../session/roster.js';
import { useLoaded } from '../session/use-loaded.js';
import { Loading } from '../ui/loading.js';
import { View } from '../ui/view.js';
import { ModelList } from './model-list.js';

/** The view at the start: the models of the project that every service begins with, or of the first one. */
export function StartView() {
  const { loaded, reload } = useLoaded(findProject, []);
  if (loaded.state === 'ready' && loaded.value !== undefined) {
    return <ModelList project={loaded.value} />;
  }
  return (
    <View title="Models">
      <Loading loaded={loaded} what="the projects" retry={reload}>
        {() => (
          <p>
            There is no project yet. <a href={href(['projects'])}>Create a project</a> for your models.
          </p>
        )}
      </Loading>
    </View>
  );
}

async function findProject(signal: AbortSignal): Promise<string | undefined> {
  const projects = await answered(roster.GET('/projects', { params: { query: { limit: 1000 } }, signal }));
  return (projects.find(({ name }) => name === 'default') ?? projects[0])?.name;
}
