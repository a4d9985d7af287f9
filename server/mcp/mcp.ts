import { DEPTH_HEADER } from '../agents/mcp/wire.js';
import type { Handlers, Input } from '../api/handlers.js';
import type { Caller } from '../auth/caller.js';
import { WhileUnchanged } from '../common/lru-cache.js';
import { problem } from '../problems/problem.js';
import { findProject, type Project, requireImpliedProject } from '../projects/projects.js';
import { storeProblem } from '../store/database/unavailable.js';
import { ProjectPrompts } from './prompts.js';
import { answerMessage, type McpReply } from './protocol.js';
import { ProjectResources } from './resources.js';
import type { CallId, RunningCalls } from './running-calls.js';
import type { CallContext, Completable, McpServer } from './server.js';
import { type McpServices, ProjectTools, type RunCall } from './tools.js';

type Request = Pick<
  Input<'callMcp'>,
  'caller' | 'resource' | 'query' | 'headers' | 'body' | 'requestId' | 'signal' | 'accepts' | 'joinAnswers'
>;

interface Services extends McpServices {
  readonly calls: RunningCalls;
}

/** @param version of the service */
export function mcpOperations(services: Services, version: string): Pick<Handlers, 'callMcp' | 'callMcpOfProject'> {
  const { store } = services;
  const projects = new WhileUnchanged<Project>(store.mark);
  // Those who are bound to a project see another one than the owner does.
  const find = (
    { owner, projectId = '' }: Caller,
    name: string,
    ask: () => Promise<Project>,
  ): Project | Promise<Project> => projects.get([owner, projectId, name].join('\0'), ask);
  const answer = async (request: Request, project: Project): Promise<McpReply> => {
    // Only progress makes a stream of an answer.
    if (!request.accepts('application/json')) {
      const detail =
        'This operation answers with application/json, or with text/event-stream too; the Accept header must allow the first.';
      throw problem('/problems/not-acceptable', detail);
    }
    return answerMessage(request, new ProjectServer(services, version, project, request));
  };
  return {
    callMcp: async (request) => {
      const { caller } = request;
      const project = await find(caller, '', () => requireImpliedProject(store, caller));
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

/** A project, as a request sees it. */
class ProjectServer implements McpServer {
  constructor(
    private readonly services: Services,
    readonly version: string,
    private readonly project: Project,
    private readonly request: Request,
  ) {}

  get instructions(): string {
    return `Roster answers for the project "${this.project.name}". A prediction is a value with an interval, or a class with a set of classes, that holds at its confidence: tell both. Leave out inputs that are not known, and tell what did not fit.`;
  }

  listTools() {
    return this.#tools.list();
  }

  callTool(name: string, input: unknown, { cancelId, report }: CallContext) {
    const run: RunCall =
      cancelId === undefined
        ? (signal, work) => work(signal)
        : (signal, work) => this.services.calls.run(this.#callId(cancelId), signal, work);
    return this.#tools.call(name, input, { run, report });
  }

  cancel(id: string | number): Promise<void> {
    return this.services.calls.cancel(this.#callId(id));
  }

  #callId(request: string | number): CallId {
    const { caller, headers } = this.request;
    return { caller, session: headers['Mcp-Session-Id'], request };
  }

  listResources(cursor: string | undefined) {
    return this.#resources.list(cursor);
  }

  listResourceTemplates() {
    return { resourceTemplates: this.#resources.templates };
  }

  readResource(uri: string) {
    return this.#resources.read(uri);
  }

  listPrompts() {
    return this.#prompts.list();
  }

  getPrompt(name: string, input: Readonly<Record<string, unknown>>) {
    return this.#prompts.get(name, input);
  }

  complete(wanted: Completable) {
    const { of } = wanted;
    return 'prompt' in of
      ? this.#prompts.complete(of.prompt, wanted)
      : this.#resources.complete(of.uriTemplate, wanted);
  }

  explain(error: unknown): string {
    const known = storeProblem(error);
    if (!known) this.services.agents.logFailure(error, this.request.requestId);
    return (
      known?.detail ?? 'Something went wrong inside the service. Its log has the cause under the id of the request.'
    );
  }

  /** The names of the tools that the address chooses; undefined for all. */
  get #chosen(): readonly string[] | undefined {
    const { tools: names } = this.request.query;
    return names === undefined ? undefined : [...new Set(names.split(','))];
  }

  get #prompts(): ProjectPrompts {
    const { services, project, request } = this;
    return new ProjectPrompts(services.store, project, request, this.#chosen);
  }

  get #tools(): ProjectTools {
    const { services, project, request } = this;
    const chosen = this.#chosen;
    const { [DEPTH_HEADER]: depth = 0 } = request.headers;
    return new ProjectTools(services, project, request, { chosen, depth });
  }

  get #resources(): ProjectResources {
    return new ProjectResources(this.services.store, this.project, this.request);
  }
}
