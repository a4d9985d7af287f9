import type { Logger } from 'pino';
import type { Caller } from '../auth/caller.js';
import type { ChatConfig } from '../config.js';
import type { Project } from '../projects/projects.js';
import type { AnsweringAgent } from '../resources/agents.js';
import { findAnsweringAgent } from '../resources/agents.js';
import type { Answering, HistoryMessage, Step } from './answer.js';
import { answer, type Chat } from './answer-loop.js';
import { answerSettings } from './answer-settings.js';
import { type AnswerBounds, DEFAULT_LIMITS } from './bounds.js';
import type { ChatMessage } from './chat/messages.js';
import { ChatNotConfiguredError, UnknownAgentError, UnknownChatModelError } from './errors.js';
import { type AnswerObserver, observe } from './observer.js';
import { fillTemplate, hasQuestion, type MissingTool, systemPrompt } from './prompt.js';
import { ToolBox } from './tool-box.js';
import { type ToolKit, type ToolServices, toolKit } from './tools/tool-kit.js';

/** A question to an agent, or to the language model alone. */
export interface Question {
  readonly caller: Caller;
  readonly project: Project;
  /** The agent; null asks the language model alone. */
  readonly agent: AnsweringAgent | null;
  /** The language model, where there is no agent. */
  readonly modelName?: string | null;
  /** Instructions beside those of the agent, such as a chatbot's. */
  readonly instructions?: string | undefined;
  /** The messages so far, the oldest first; the last one is the question. */
  readonly messages: readonly HistoryMessage[];
  readonly traceId: string;
  readonly signal: AbortSignal;
}

/** The chat server, and the language models that it has for agents. */
export interface ChatServer extends Pick<ChatConfig, 'model' | 'models'> {
  readonly client: Chat;
}

const NO_SKILLS: ToolKit = { tools: [], types: new Set(), plain: [], missing: [] };

/** Answers questions with the help of a chat server and the skills of agents. */
export class Agents {
  /** @param chat the chat server; undefined if there is none, and nothing can be asked */
  constructor(
    private readonly services: ToolServices,
    private readonly chat: ChatServer | undefined,
    private readonly observer: AnswerObserver,
    private readonly log: Pick<Logger, 'error'>,
    private readonly bounds: AnswerBounds = DEFAULT_LIMITS,
  ) {}

  /**
   * Finds an agent by name or identifier, with what it takes to ask it.
   * @throws {UnknownAgentError} if the project has no such agent
   */
  async find({ id, name }: Project, nameOrId: string): Promise<AnsweringAgent> {
    const agent = await findAnsweringAgent(this.services.store, id, nameOrId);
    if (!agent) throw new UnknownAgentError(nameOrId, name);
    return agent;
  }

  /**
   * Prepares an answer; nothing is sent to the chat server before its first event is requested.
   * @throws {ChatNotConfiguredError | UnknownChatModelError} if nothing can be asked
   * @throws the reason of the question's `signal`
   */
  async prepare(question: Question): Promise<Answering> {
    const { agent, caller, project, messages, traceId, signal } = question;
    const { client, model } = this.#serverFor(agent, question.modelName ?? null);
    const kit = agent
      ? await toolKit(agent.skills, this.services, caller, project, this.bounds, signal)
      : NO_SKILLS;
    const settings = agent && answerSettings(agent);
    const template = settings?.template ?? '';
    const prepared = {
      ...{ model, temperature: settings?.temperature },
      messages: [
        systemMessage(agent, kit, [hasQuestion(template) ? '' : template, question.instructions]),
        ...inTurns(withTemplate(messages, template)),
      ],
      tools: new ToolBox(kit.tools, this.bounds),
      firstSteps: kit.missing.map(unusable),
      returnsContext: settings?.returnsContext ?? false,
    };
    const about = { agent: agent?.name ?? null, model, traceId, owner: caller.owner };
    return observe(answer(client, prepared, this.bounds, signal), about, this.observer);
  }

  /** Reports the cause of an answer that failed inside the service. */
  noteFailure(cause: unknown, traceId: string): void {
    this.log.error({ err: cause, trace_id: traceId }, 'an answer failed');
  }

  /** Chooses the language model. Without a list of models, every agent uses the same. */
  #serverFor(agent: AnsweringAgent | null, modelName: string | null) {
    if (!this.chat) throw new ChatNotConfiguredError();
    const { client, model, models } = this.chat;
    const wanted = agent ? (agent.model_name ?? agent.model?.model_name ?? null) : modelName;
    if (models === undefined || wanted === null) return { client, model };
    if (models.includes(wanted)) return { client, model: wanted };
    const who = agent ? `agent "${agent.name}"` : 'chatbot';
    throw new UnknownChatModelError(who, wanted, models);
  }
}

function systemMessage(
  agent: AnsweringAgent | null,
  kit: ToolKit,
  instructions: readonly (string | undefined)[],
): ChatMessage {
  const content = systemPrompt({
    agent: agent?.name ?? null,
    toolTypes: kit.types,
    plainSkills: kit.plain,
    missingTools: kit.missing,
    instructions: instructions.flatMap((text) => (text ? [text] : [])),
  });
  return { role: 'system', content };
}

/** Fills the last question into a template that has a place for it. */
function withTemplate(
  messages: readonly HistoryMessage[],
  template: string,
): readonly HistoryMessage[] {
  if (!hasQuestion(template)) return messages;
  return messages.map((message, index) =>
    index === messages.length - 1
      ? { ...message, content: fillTemplate(template, message.content) }
      : message,
  );
}

/** Joins messages of one role that follow each other: templates of chats ask for turns. */
function inTurns(messages: readonly HistoryMessage[]): HistoryMessage[] {
  const turns: HistoryMessage[] = [];
  for (const { role, content } of messages) {
    const last = turns.at(-1);
    if (last?.role !== role) turns.push({ role, content });
    else turns[turns.length - 1] = { role, content: `${last.content}\n\n${content}` };
  }
  return turns;
}

/** Returns the step of a skill that cannot be used, so that callers see why. */
function unusable({ skill, reason }: MissingTool): Step {
  return { skill, tool: skill, input: null, result: null, error: reason, milliseconds: 0 };
}
