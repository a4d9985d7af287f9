import type { Handlers } from '../contract/handlers.js';
import { problem } from '../contract/problems.js';
import { type Contents, NameTakenError, type Store } from '../store/index.js';
import { listPage } from './list-page.js';
import { nameTaken, projectNamed } from './resource.js';

type ProjectOperations = Pick<
  Handlers,
  'listProjects' | 'createProject' | 'getProject' | 'deleteProject'
>;

export function projectOperations(store: Store): ProjectOperations {
  return {
    listProjects: async ({ query, base, reply }) => {
      const page = await listPage(`${base}/projects`, query, (part) =>
        store.projects.list('local', part),
      );
      return reply({ status: 200, ...page });
    },

    createProject: async ({ body, base, reply }) => {
      const { name } = body.project;
      const project = await store.projects.create('local', name).catch((error: unknown) => {
        throw error instanceof NameTakenError ? nameTaken(`a project named "${name}"`) : error;
      });
      return reply({
        status: 201,
        body: project,
        headers: { Location: `${base}/projects/${name}` },
      });
    },

    getProject: async ({ params, reply }) =>
      reply({ status: 200, body: await projectNamed(store, params.project_name) }),

    deleteProject: async ({ params, reply }) => {
      const project = await projectNamed(store, params.project_name);
      const contents = await store.transaction(async (store) => {
        const held = await store.projects.hold('local', project.name);
        return held && store.projects.remove(held);
      });
      if (!contents) return reply({ status: 204 });
      throw problem(
        '/problems/project-not-empty',
        `The project "${project.name}" still holds ${counted(contents)}; delete them first.`,
      );
    },
  };
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
