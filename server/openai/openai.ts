import { v7 as uuidv7 } from 'uuid';
import type { components } from '../../generated/openapi.js';
import { type AgentRunner, type Question, readSettings } from '../agents/agent-runner.js';
import type { AnswerStream } from '../agents/answer-stream.js';
import type { CallerTool } from '../agents/tools/tool.js';
import type { Handlers, Input } from '../api/handlers.js';
import { decodeCursor, linkAfter } from '../api/list-page.js';
import { checkPreconditions, conditionalGet, isConditional } from '../api/preconditions.js';
import { EventStream } from '../api/reply/send.js';
import type { Caller } from '../auth/caller.js';
import { ProblemError } from '../problems/problem.js';
import { findProject, type Project, requireImpliedProject } from '../projects/projects.js';
import type { AnsweringAgent } from '../resources/agents.js';
import type { Store } from '../store/index.js';
import { paginate } from '../store/rows.js';
import { streamChunks, writeCompletion } from './chat-completions.js';
import { readChatForm, readResponseForm, writeForm } from './form.js';
import { keepRead, readFunctionTools, readItems } from './items.js';
import { readForcedTool, readMaxTokens, readMessages, readTools } from './messages.js';
import { type Chain, findResponse, keepResponse, readChain, removeResponse } from './response-rows.js';
import { beginResponse, type KeepResponse, streamResponse, writeResponse } from './responses.js';
import { isInterfaceTask, type ReadMessages } from './transcript.js';

type Response = components['schemas']['OpenaiResponse'];
type OpenaiHandlers = Pick<
  Handlers,
  'getOpenaiModels' | 'getOpenaiModel' | 'completeChat' | 'completeResponse' | 'getResponse' | 'deleteResponse'
>;
type Asking = Input<'completeChat'> | Input<'completeResponse'>;

/** The most agents of an answer, as the contract says. */
const MAX_LISTED = 1000;

const NO_CHAIN: Chain = { ids: [], items: [] };

/** The operations that clients of OpenAI's API call, with agents as models. */
export function openaiOperations(store: Store, agents: AgentRunner): OpenaiHandlers {
  /**
   * Asks the agent that the model of a request is.
   * @throws {ProblemError} if it cannot be asked
   */
  function ask(
    { caller, body, requestId: traceId, signal }: Asking,
    { project, agent }: Model,
    { messages, instructions }: ReadMessages,
    callerTools: readonly CallerTool[],
    { maxTokens, form }: Pick<Question, 'maxTokens' | 'form'>,
  ): Promise<AnswerStream> {
    const isTask = callerTools.length === 0 && isInterfaceTask(messages);
    return agents.prepare({
      caller,
      project,
      agent,
      messages,
      instructions,
      traceId,
      signal,
      callerTools,
      usesTools: body.tool_choice !== 'none' && !isTask,
      forcedTool: readForcedTool(body.tool_choice),
      temperature: body.temperature ?? undefined,
      maxTokens,
      form,
    });
  }

  return {
    getOpenaiModels: async ({ caller, query, base, reply }) => {
      const { limit = MAX_LISTED, cursor } = query;
      const isPage = query.limit !== undefined || cursor !== undefined;
      const all = store.reads
        .selectFrom('agents')
        .innerJoin('projects', 'projects.id', 'agents.project_id')
        .select(['projects.name as project', 'agents.name as agent', 'agents.id', 'agents.created_at'])
        .where('projects.owner', '=', caller.owner)
        .$if(caller.projectId !== undefined, (own) => own.where('projects.id', '=', caller.projectId ?? ''));
      const after = cursor === undefined ? undefined : decodeCursor(cursor);
      const rows = await (isPage
        ? paginate(all, 'agents.id', { limit: limit + 1, after })
        : all.orderBy('projects.name').orderBy('agents.name').limit(limit)
      ).execute();
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const data = page.map(({ project, agent, created_at }) => writeModel(`${project}/${agent}`, created_at));
      const hasMore = rows.length > limit && last !== undefined;
      const headers = hasMore ? { Link: linkAfter(`${base}/v1/models`, query, last.id) } : {};
      return reply({ status: 200, body: { object: 'list', data }, headers });
    },

    getOpenaiModel: async ({ caller, params, reply }) => {
      const { openai_model: id } = params;
      const { project, agent } = await findModel(store, agents, caller, id);
      const { created_at } = await store.reads
        .selectFrom('agents')
        .select('created_at')
        .where('project_id', '=', project.id)
        .where('name', '=', agent.name)
        .executeTakeFirstOrThrow();
      return reply({ status: 200, body: writeModel(id, created_at) });
    },

    completeChat: async (request) => {
      const { body, requestId, reply } = request;
      const model = await findModel(store, agents, request.caller, request.body.model);
      const asked = readMessages(body.messages);
      const bounds = { maxTokens: readMaxTokens(body), form: readChatForm(body.response_format) };
      const stream = await ask(request, model, asked, readTools(body.tools), bounds);
      const facts = { id: `chatcmpl-${requestId}`, created: toUnixTime(Date.now()), model: body.model };
      if (!body.stream) {
        return reply({ status: 200, body: await writeCompletion(stream, facts) });
      }
      const chunks = streamChunks(stream, facts, {
        includesUsage: body.stream_options?.include_usage === true,
        requestId,
        logFailure: agents.logFailure,
      });
      return reply({ status: 200, body: new EventStream(chunks) });
    },

    completeResponse: async (request) => {
      const { caller, body, requestId, reply } = request;
      const { previous_response_id: previous = null, store: kept, instructions = null } = body;
      const { max_output_tokens = null } = body;
      const { owner, act } = caller;
      const model = await findModel(store, agents, request.caller, request.body.model);
      const { project } = model;
      const chain = previous === null ? NO_CHAIN : await readChain(store, owner, project.id, previous);
      const read = readItems(chain.items, body.input);
      const own = [instructions ?? '', read.instructions].filter((text) => text !== '');
      const asked = { messages: read.messages, instructions: own.join('\n\n') };
      const tools = readFunctionTools(body.tools);
      const form = readResponseForm(body.text);
      const stream = await ask(request, model, asked, tools, { maxTokens: max_output_tokens ?? undefined, form });
      const begun = beginResponse({
        id: `resp_${uuidv7().replaceAll('-', '')}`,
        created_at: toUnixTime(Date.now()),
        model: body.model,
        previous_response_id: previous,
        instructions,
        metadata: body.metadata ?? {},
        store: kept ?? true,
        max_output_tokens,
        text: { format: writeForm(form) },
        tools: (body.tools ?? []).map(writeTool),
        tool_choice: body.tool_choice ?? 'auto',
        temperature: body.temperature ?? readSettings(model.agent).temperature ?? 1,
      });
      const input = keepRead(body.input);
      const keep: KeepResponse = async (response) => {
        if (!response.store) return response;
        const isKept = await keepIfRoom(store, { owner, act, project, chain, input, response });
        return { ...response, store: isKept };
      };
      if (!body.stream) {
        return reply({ status: 200, body: await writeResponse(stream, begun, keep) });
      }
      const failure = { requestId, logFailure: agents.logFailure };
      const events = streamResponse(stream, begun, keep, failure);
      return reply({ status: 200, body: new EventStream(events, true) });
    },

    getResponse: async ({ caller, params, headers, reply }) => {
      const text = await findResponse(store, caller, params.response_id);
      return reply(await conditionalGet<Response>([text], headers));
    },

    deleteResponse: async ({ caller, params, headers, reply }) => {
      await removeResponse(store, caller, params.response_id, async (body) => {
        if (isConditional(headers)) await checkPreconditions(headers, [body]);
      });
      return reply({ status: 204 });
    },
  };
}

/** Keeps a response, and returns whether the owner had room for it: the answer is worth more than its copy. */
async function keepIfRoom(...kept: Parameters<typeof keepResponse>): Promise<boolean> {
  try {
    await keepResponse(...kept);
    return true;
  } catch (error) {
    if (error instanceof ProblemError && error.type === '/problems/limit-reached') return false;
    throw error;
  }
}

/** Returns a tool of the caller with all of its members. */
function writeTool({ type, name, description = null, parameters = null, strict = null }: Response['tools'][number]) {
  return { type, name, description, parameters, strict };
}

function writeModel(id: string, createdAt: string) {
  const created = toUnixTime(Date.parse(createdAt));
  return { id, object: 'model' as const, owned_by: 'roster' as const, created };
}

interface Model {
  readonly project: Project;
  readonly agent: AnsweringAgent;
}

/**
 * Finds the agent that a model is: `project/agent`, or an agent of the default project.
 * @throws {ProblemError} if there is none
 */
async function findModel(store: Store, agents: AgentRunner, caller: Caller, model: string): Promise<Model> {
  const [first = '', second] = model.split('/');
  const project =
    second === undefined ? await requireImpliedProject(store, caller) : await findProject(store, caller, first);
  return { project, agent: await agents.find(project, second ?? first) };
}

function toUnixTime(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
