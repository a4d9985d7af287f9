import type { Handlers } from '../api/handlers.js';
import { idempotent } from '../api/idempotency.js';
import { listPage } from '../api/list-page.js';
import { checkPreconditions, isConditional, shown } from '../api/preconditions.js';
import { problem } from '../problems/problem.js';
import type { Contents, Project, Store } from '../store/index.js';
import { findProject, inProject } from './project-access.js';

type ProjectOperations = Pick<
  Handlers,
  'listProjects' | 'createProject' | 'getProject' | 'deleteProject'
>;

export function projectOperations(store: Store): ProjectOperations {
  return {
    listProjects: async ({ caller, query, base, reply }) => {
      const page = await listPage(
        `${base}/projects`,
        query,
        (part) => store.projects.list(caller.owner, part),
        (project) => project,
      );
      return reply({ status: 200, ...page });
    },

    createProject: async ({ reply, ...request }) => {
      const { caller, body, base } = request;
      const answer = await idempotent<Project>(store, 'createProject', request, async (tx) => {
        const { name } = body.project;
        const project = await tx.projects.create(caller.owner, name);
        return { pieces: jsonOf(project), location: `${base}/projects/${name}` };
      });
      return reply(answer);
    },

    getProject: async ({ caller, params, headers, reply }) => {
      const project = await findProject(store, caller, params.project_name);
      return reply(await shown<Project>(jsonOf(project), headers));
    },

    deleteProject: ({ caller, params, headers, reply }) =>
      inProject(store, caller, params.project_name, async (tx, project) => {
        if (isConditional(headers)) await checkPreconditions(headers, jsonOf(project));
        const contents = await tx.projects.remove(project);
        if (!contents) return reply({ status: 204 });
        throw problem(
          '/problems/project-not-empty',
          `The project "${project.name}" still holds ${counted(contents)}; delete them first.`,
        );
      }),
  };
}

const jsonOf = (project: Project) => [JSON.stringify(project)];

const list = new Intl.ListFormat('en');

/** Formats counts, such as "2 skills and 1 model". */
function counted(contents: Contents): string {
  return list.format(
    Object.entries(contents)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => `${count} ${count === 1 ? kind.slice(0, -1) : kind}`),
  );
}
