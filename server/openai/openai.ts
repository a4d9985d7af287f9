import type { AgentRunner } from '../agents/agent-runner.js';
import type { Handlers, Input } from '../api/handlers.js';
import { EventStream } from '../api/reply/send.js';
import { findDefaultProject, findProject } from '../projects/projects.js';
import type { Store } from '../store/index.js';
import { streamChunks, writeCompletion } from './chat-completions.js';
import { isInterfaceTask, readMessages, readTools } from './messages.js';

/** The most agents in a list, as the contract says. */
const MAX_LISTED = 1000;

/** The operations that clients of OpenAI's API call, with agents as models. */
export function openaiOperations(
  store: Store,
  agents: AgentRunner,
): Pick<Handlers, 'getOpenaiModels' | 'completeChat'> {
  return {
    getOpenaiModels: async ({ caller, reply }) => {
      const rows = await store.reads
        .selectFrom('agents')
        .innerJoin('projects', 'projects.id', 'agents.project_id')
        .select(['projects.name as project', 'agents.name as agent', 'agents.created_at'])
        .where('projects.owner', '=', caller.owner)
        .orderBy('projects.name')
        .orderBy('agents.name')
        .limit(MAX_LISTED)
        .execute();
      const data = rows.map(({ project, agent, created_at }) => ({
        ...{ id: `${project}/${agent}`, object: 'model' as const, owned_by: 'roster' as const },
        created: toUnixTime(Date.parse(created_at)),
      }));
      return reply({ status: 200, body: { object: 'list', data } });
    },

    completeChat: async (request) => {
      const { caller, body, requestId: traceId, signal, reply } = request;
      const { project, agent } = await findModel(store, agents, request);
      const { instructions, messages } = readMessages(body.messages);
      const callerTools = readTools(body.tools);
      const isTask = callerTools.length === 0 && isInterfaceTask(messages);
      const stream = await agents.prepare({
        ...{ caller, project, agent, messages, instructions, traceId, signal },
        callerTools,
        usesTools: body.tool_choice !== 'none' && !isTask,
        temperature: body.temperature ?? undefined,
      });
      const facts = {
        ...{ id: `chatcmpl-${traceId}`, created: toUnixTime(Date.now()) },
        model: body.model,
      };
      if (!body.stream) {
        return reply({ status: 200, body: await writeCompletion(stream, facts) });
      }
      const chunks = streamChunks(stream, facts, {
        includesUsage: body.stream_options?.include_usage === true,
        logFailure: (cause) => agents.logFailure(cause, traceId),
      });
      return reply({ status: 200, body: new EventStream(chunks) });
    },
  };
}

/**
 * Finds the agent that a model is: `project/agent`, or an agent of the default project.
 * @throws {ProblemError} if there is none
 */
async function findModel(
  store: Store,
  agents: AgentRunner,
  { caller, body }: Pick<Input<'completeChat'>, 'caller' | 'body'>,
) {
  const [first = '', second] = body.model.split('/');
  const project =
    second === undefined
      ? await findDefaultProject(store, caller)
      : await findProject(store, caller, first);
  return { project, agent: await agents.find(project, second ?? first) };
}

function toUnixTime(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
