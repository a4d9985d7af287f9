import { DEPTH_HEADER } from '../agents/mcp/wire.js';
import type { Handlers, Input } from '../api/handlers.js';
import type { Caller } from '../auth/caller.js';
import { findDefaultProject, findProject, type Project } from '../projects/projects.js';
import { WhileUnchanged } from '../store/while-unchanged.js';
import { answerMessage, type McpReply, type McpServer } from './protocol.js';
import { ProjectResources } from './resources.js';
import { type McpServices, ProjectTools } from './tools.js';

type Request = Pick<
  Input<'callMcp'>,
  'caller' | 'query' | 'headers' | 'body' | 'requestId' | 'signal' | 'joinAnswers'
>;

/** @param version of the service */
export function mcpOperations(
  services: McpServices,
  version: string,
): Pick<Handlers, 'callMcp' | 'callMcpOfProject'> {
  const { store } = services;
  const projects = new WhileUnchanged<Project>(store);
  // Those who are bound to a project see another one than the owner does.
  const find = (
    { owner, projectId = '' }: Caller,
    name: string,
    ask: () => Promise<Project>,
  ): Project | Promise<Project> => projects.get([owner, projectId, name].join('\0'), ask);
  const answer = (request: Request, project: Project): Promise<McpReply> =>
    answerMessage(request.body, request.headers, serve(services, version, project, request));
  return {
    callMcp: async (request) => {
      const { caller } = request;
      const project = await find(caller, '', () => findDefaultProject(store, caller));
      return request.reply(await answer(request, project));
    },
    callMcpOfProject: async (request) => {
      const { caller, params } = request;
      const { project_name: name } = params;
      const project = await find(caller, name, () => findProject(store, caller, name));
      return request.reply(await answer(request, project));
    },
  };
}

function serve(
  services: McpServices,
  version: string,
  project: Project,
  request: Request,
): McpServer {
  const { tools: names } = request.query;
  const chosen = names === undefined ? undefined : [...new Set(names.split(','))];
  const { [DEPTH_HEADER]: depth = 0 } = request.headers;
  const tools = () => new ProjectTools(services, project, request, { chosen, depth });
  const resources = new ProjectResources(services.store, project, request.caller);
  return {
    version,
    instructions: `Roster answers for the project "${project.name}". A prediction is a value with an interval, or a class with a set of classes, that holds at its confidence: tell both. Leave out inputs that are not known, and tell what did not fit.`,
    listTools: () => tools().list(),
    callTool: (name, input) => tools().call(name, input),
    listResources: (cursor) => resources.list(cursor),
    listResourceTemplates: () => ({ resourceTemplates: resources.templates }),
    readResource: (uri) => resources.read(uri),
  };
}
