import type { components } from '../../generated/openapi.js';
import { EventStream, type Handlers, type Input } from '../api/handlers.js';
import { type FieldError, invalidRequest } from '../problems/problem.js';
import { findProject } from '../projects/projects.js';
import type { Store } from '../store/index.js';
import { agentEvents, waitForAnswer } from './agent-events.js';
import type { Agents } from './agents.js';
import type { Answering, HistoryMessage } from './answer.js';

type CompletionOperations = Pick<Handlers, 'completeAgent' | 'streamAgent'>;
type Messages = components['schemas']['CompletionBody']['messages'];
type QuestionMessage = components['schemas']['QuestionMessage'];
type RoleMessage = components['schemas']['RoleMessage'];

export function completionOperations(store: Store, agents: Agents): CompletionOperations {
  return {
    completeAgent: async (request) => {
      const { answering } = await prepared(store, agents, request);
      const { text, steps, usage, passages } = await waitForAnswer(answering);
      const message = {
        ...{ role: 'assistant' as const, content: text, trace_id: request.requestId },
        ...(passages && { context: [...passages] }),
      };
      return request.reply({ status: 200, body: { message, steps: [...steps], usage } });
    },

    streamAgent: async (request) => {
      const { answering, prompt } = await prepared(store, agents, request);
      const traceId = request.requestId;
      const noteFailure = (cause: unknown) => agents.noteFailure(cause, traceId);
      const events = agentEvents(answering, { prompt, traceId, noteFailure });
      return request.reply({ status: 200, body: new EventStream(events) });
    },
  };
}

type Request = Pick<
  Input<'completeAgent' | 'streamAgent'>,
  'caller' | 'params' | 'body' | 'requestId' | 'signal'
>;

async function prepared(
  store: Store,
  agents: Agents,
  request: Request,
): Promise<{ answering: Answering; prompt: string }> {
  const { caller, params, body, requestId } = request;
  const project = await findProject(store, caller, params.project_name);
  const agent = await agents.find(project, params.agent_name);
  const messages = historyOf(body.messages);
  const answering = await agents.prepare({
    ...{ caller, project, agent, messages },
    ...{ traceId: requestId, signal: request.signal },
  });
  return { answering, prompt: messages.at(-1)?.content ?? '' };
}

/**
 * Returns messages in the form of chat servers.
 * @throws {ProblemError} if the last message is not a question
 */
function historyOf(messages: Messages): HistoryMessage[] {
  return isQuestions(messages) ? historyOfQuestions(messages) : historyOfRoles(messages);
}

function isQuestions(messages: Messages): messages is QuestionMessage[] {
  const [first] = messages;
  return first !== undefined && 'question' in first;
}

function historyOfQuestions(messages: readonly QuestionMessage[]): HistoryMessage[] {
  const last = messages.length - 1;
  if (messages[last]?.answer) {
    throw noQuestion(last, 'answer', 'must be null: the last message is the question');
  }
  return messages.flatMap(({ question, answer }) => [
    { role: 'user' as const, content: question },
    ...(answer ? [{ role: 'assistant' as const, content: answer }] : []),
  ]);
}

function historyOfRoles(messages: readonly RoleMessage[]): HistoryMessage[] {
  const last = messages.length - 1;
  if (messages[last]?.role !== 'user') {
    throw noQuestion(last, 'role', "must be 'user': the last message is the question");
  }
  return [...messages];
}

function noQuestion(index: number, field: string, message: string) {
  const error: FieldError = { pointer: `/body/messages/${index}/${field}`, message };
  return invalidRequest([error]);
}
