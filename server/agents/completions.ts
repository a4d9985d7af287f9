import type { components } from '../../generated/openapi.js';
import type { Handlers, Input } from '../api/handlers.js';
import { EventStream } from '../api/reply/send.js';
import { invalidRequest } from '../problems/problem.js';
import { findProject } from '../projects/projects.js';
import type { Store } from '../store/index.js';
import type { AgentRunner } from './agent-runner.js';
import { type AnswerStream, agentEvents, type HistoryMessage, waitForAnswer } from './answer-stream.js';

type CompletionOperations = Pick<Handlers, 'completeAgent' | 'streamAgent'>;
type Messages = components['schemas']['CompletionBody']['messages'];
type QuestionMessage = components['schemas']['QuestionMessage'];

export function completionOperations(store: Store, agents: AgentRunner): CompletionOperations {
  return {
    completeAgent: async (request) => {
      const { stream } = await ask(store, agents, request);
      const { text, steps, usage, passages } = await waitForAnswer(stream);
      const message = {
        role: 'assistant' as const,
        content: text,
        trace_id: request.requestId,
        ...(passages && { context: [...passages] }),
      };
      return request.reply({ status: 200, body: { message, steps: [...steps], usage } });
    },

    streamAgent: async (request) => {
      const { stream, prompt } = await ask(store, agents, request);
      const { logFailure } = agents;
      const events = agentEvents(stream, { prompt, traceId: request.requestId, logFailure });
      return request.reply({ status: 200, body: new EventStream(events) });
    },
  };
}

type Request = Pick<Input<'completeAgent' | 'streamAgent'>, 'caller' | 'params' | 'body' | 'requestId' | 'signal'>;

async function ask(
  store: Store,
  agents: AgentRunner,
  { caller, params, body, requestId: traceId, signal }: Request,
): Promise<{ stream: AnswerStream; prompt: string }> {
  const project = await findProject(store, caller, params.project_name);
  const agent = await agents.find(project, params.agent_name);
  const messages = readHistory(body.messages);
  const stream = await agents.prepare({ caller, project, agent, messages, traceId, signal });
  return { stream, prompt: messages.at(-1)?.content ?? '' };
}

/**
 * Returns messages in the form of chat servers.
 * @throws {ProblemError} if the last message is not a question
 */
function readHistory(messages: Messages): HistoryMessage[] {
  const last = messages.length - 1;
  if (areQuestions(messages)) {
    if (messages[last]?.answer) {
      throw notAQuestion(last, 'answer', 'must be null: the last message is the question');
    }
    return messages.flatMap(({ question, answer }) => [
      { role: 'user' as const, content: question },
      ...(answer ? [{ role: 'assistant' as const, content: answer }] : []),
    ]);
  }
  if (messages[last]?.role !== 'user') {
    throw notAQuestion(last, 'role', "must be 'user': the last message is the question");
  }
  return [...messages];
}

function areQuestions(messages: Messages): messages is QuestionMessage[] {
  const [first] = messages;
  return first !== undefined && 'question' in first;
}

function notAQuestion(index: number, field: string, message: string) {
  return invalidRequest([{ pointer: `/body/messages/${index}/${field}`, message }]);
}
