import type { Handlers } from '../pipeline/handlers.js';
import { problem } from '../problems/problem.js';
import { type Contents, LimitReachedError, NameTakenError, type Store } from '../store/index.js';
import { heedConditions, shown } from './conditions.js';
import { listPage } from './list-page.js';
import { once } from './once.js';
import { inProject, projectNamed } from './resource.js';

type ProjectOperations = Pick<
  Handlers,
  'listProjects' | 'createProject' | 'getProject' | 'deleteProject'
>;

export function projectOperations(store: Store): ProjectOperations {
  return {
    listProjects: async ({ caller, query, base, reply }) => {
      const page = await listPage(`${base}/projects`, query, (part) =>
        store.projects.list(caller.owner, part),
      );
      return reply({ status: 200, ...page });
    },

    createProject: async ({ reply, base, ...request }) => {
      const { caller, body } = request;
      const { name } = body.project;
      const answer = await once(store, 'createProject', request, async (store) => {
        const project = await allowed(name, () => store.projects.create(caller.owner, name));
        return { resource: project, location: `${base}/projects/${name}` };
      });
      return reply(answer);
    },

    getProject: async ({ caller, params, headers, reply }) =>
      reply(shown(await projectNamed(store, caller, params.project_name), headers)),

    deleteProject: ({ caller, params, headers, reply }) =>
      inProject(store, caller, params.project_name, async (store, project) => {
        await heedConditions(headers, async () => project);
        const contents = await store.projects.remove(project);
        if (!contents) return reply({ status: 204 });
        throw problem(
          '/problems/project-not-empty',
          `The project "${project.name}" still holds ${counted(contents)}; delete them first.`,
        );
      }),
  };
}

/** Runs the creation of a project, and says why it may not be in words for the caller. */
async function allowed<T>(name: string, create: () => Promise<T>): Promise<T> {
  try {
    return await create();
  } catch (error) {
    if (error instanceof NameTakenError) {
      throw problem(
        '/problems/name-taken',
        `There is already a project named "${name}"; choose another name, or use that one.`,
      );
    }
    if (!(error instanceof LimitReachedError)) throw error;
    throw problem(
      '/problems/limit-reached',
      `There are ${error.most} projects already, the most that there may be; delete some.`,
    );
  }
}

const list = new Intl.ListFormat('en');

/** Such as "2 skills and 1 model". */
function counted(contents: Contents): string {
  return list.format(
    Object.entries(contents)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => `${count} ${count === 1 ? kind.slice(0, -1) : kind}`),
  );
}
