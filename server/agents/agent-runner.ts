import type { Logger } from 'pino';
import type { RateLimits } from '../api/limits/rate-limits.js';
import type { Caller } from '../auth/caller.js';
import { invalidRequest, problem } from '../problems/problem.js';
import type { Project } from '../projects/projects.js';
import { type AnsweringAgent, findAnsweringAgent } from '../resources/agents.js';
import { answerQuestion, type TokenCounter } from './answer-loop.js';
import type { AnswerObserver, AnswerStream } from './answer-stream.js';
import type { ChatClient } from './chat/chat-client.js';
import type { ChatMessage, ForcedTool } from './chat/messages.js';
import type { AnswerForm } from './form/answer-form.js';
import { askForJson, fillTemplate, hasQuestion, systemPrompt } from './prompt.js';
import type { AgentTools, CallerTool } from './tools/tool.js';
import { buildTools, ToolRegistry, type ToolServices } from './tools/tools.js';

export interface Question {
  readonly caller: Caller;
  readonly project: Project;
  /** The agent; null asks the language model alone. */
  readonly agent: AnsweringAgent | null;
  /** The language model, where there is no agent. */
  readonly modelName?: string | null;
  /** Instructions beside those of the agent, such as a chatbot's. */
  readonly instructions?: string | undefined;
  /** The messages so far, the oldest first; the last one is the question, or the result of a tool of the caller. */
  readonly messages: readonly ChatMessage[];
  /** Tools that the caller runs; their calls end the answer. */
  readonly callerTools?: readonly CallerTool[] | undefined;
  /** The tool that the language model must call first, if the caller forces one. */
  readonly forcedTool?: ForcedTool | undefined;
  /** False for an answer without any tool. */
  readonly usesTools?: boolean | undefined;
  /** In place of the agent's own, from 0 to 2. */
  readonly temperature?: number | undefined;
  /** The most tokens that the language model may write for the answer. */
  readonly maxTokens?: number | undefined;
  /** The form of the answer; any text if it is left out. */
  readonly form?: AnswerForm | undefined;
  readonly traceId: string;
  /** The agents that have asked one another up to this question, through MCP servers; 0 by default. */
  readonly depth?: number | undefined;
  readonly signal: AbortSignal;
}

export interface ChatServer {
  readonly client: Pick<ChatClient, 'stream'>;
  /** The language model of agents that name none. */
  readonly model: string;
  /** The language models that agents may name; undefined if every agent uses the same. */
  readonly models?: readonly string[] | undefined;
}

const NO_TOOLS: AgentTools = { tools: [], types: new Set(), plainSkills: [], missing: [] };

export class AgentRunner {
  /** @param chat the chat server; undefined if there is none, and nothing can be asked */
  constructor(
    private readonly services: ToolServices,
    private readonly chat: ChatServer | undefined,
    private readonly observer: AnswerObserver,
    private readonly log: Pick<Logger, 'error'>,
    private readonly rates: Pick<RateLimits, 'spend' | 'settle'>,
  ) {}

  /** True if there is a chat server to ask. */
  get canAnswer(): boolean {
    return this.chat !== undefined;
  }

  /** @throws {ProblemError} if the project has no such agent */
  find(project: Project, nameOrId: string): Promise<AnsweringAgent> {
    return findAnsweringAgent(this.services.store, project, nameOrId);
  }

  /**
   * Prepares an answer; nothing is sent to the chat server before its first event is requested.
   * @throws {ProblemError} if nothing can be asked
   * @throws the reason of the question's `signal`
   */
  async prepare(question: Question): Promise<AnswerStream> {
    const { agent, caller, project, traceId, signal } = question;
    const { usesTools = true, callerTools = [], depth = 0, maxTokens, form } = question;
    const { client, model } = this.#serverFor(agent, question.modelName ?? null);
    const tokens: TokenCounter = {
      require: () => this.rates.spend(caller, 'tokens', 0),
      count: (used) => this.rates.settle(caller, 'tokens', used),
    };
    await tokens.require();
    const built =
      agent && usesTools ? await buildTools(agent.skills, this.services, { caller, project, depth }, signal) : NO_TOOLS;
    const tools = new ToolRegistry(built.tools, usesTools ? callerTools : []);
    const forcedTool = usesTools ? question.forcedTool : undefined;
    if (forcedTool) refuseUnknown(forcedTool, tools);
    const settings = readSettings(agent);
    const { returnsContext, template } = settings;
    const { temperature = settings.temperature } = question;
    const ownInstructions = hasQuestion(template) ? '' : template;
    const jsonRule = form ? askForJson(form.schema) : '';
    const instructions = [ownInstructions, question.instructions ?? '', jsonRule].filter((text) => text !== '');
    const messages = fillQuestion(question.messages, template);
    const prepared = {
      chat: client,
      model,
      temperature,
      maxTokens,
      form,
      returnsContext,
      traceId,
      messages: [
        {
          role: 'system' as const,
          content: systemPrompt(agent?.name ?? null, built, instructions, tools.definitions.length > 0),
        },
        ...joinTurns(messages),
      ],
      tools,
      forcedTool,
      tokens,
      // Callers see why a skill cannot be used.
      firstSteps: built.missing.map(({ skill, reason }) => ({
        skill,
        tool: skill,
        input: null,
        result: null,
        error: reason,
        milliseconds: 0,
      })),
    };
    const facts = { agent: agent?.name ?? null, model, traceId, owner: caller.owner };
    return answerQuestion(prepared, () => this.observer(facts), signal);
  }

  readonly logFailure = (cause: unknown, traceId: string): void => {
    this.log.error({ err: cause, trace_id: traceId }, 'an answer failed');
  };

  /** Chooses the language model. Without a list of models, every agent uses the same. */
  #serverFor(agent: AnsweringAgent | null, modelName: string | null) {
    if (!this.chat) {
      throw problem(
        '/problems/chat-not-configured',
        'This service has no chat server, so its agents cannot answer; those who run it can set CHAT_URL and CHAT_MODEL.',
      );
    }
    const { client, model, models } = this.chat;
    const wanted = agent ? (agent.model_name ?? agent.model?.model_name ?? null) : modelName;
    if (models === undefined || wanted === null) return { client, model };
    if (models.includes(wanted)) return { client, model: wanted };
    const who = agent ? `agent "${agent.name}"` : 'chatbot';
    throw problem(
      '/problems/unknown-chat-model',
      `The ${who} has the model_name "${wanted}", which is not a chat model of this service; set it to ${models.join(' or ')}, or to null.`,
    );
  }
}

function refuseUnknown(forced: ForcedTool, { definitions }: ToolRegistry): void {
  if (definitions.some(({ name }) => forced === 'any' || forced.name === name)) return;
  const message =
    forced === 'any'
      ? "must be 'auto' or 'none': there is no tool to call"
      : `must name one of the tools; "${forced.name}" is none of them`;
  throw invalidRequest([{ pointer: '/body/tool_choice', message }]);
}

/**
 * Reads the settings of an agent that answers use. Values of another type count as missing; the
 * template is empty then. Existing clients send `prompt_template` among the settings.
 */
export function readSettings(agent: AnsweringAgent | null) {
  const { temperature, return_context, prompt_template: older } = agent?.settings ?? {};
  const isTemperature = typeof temperature === 'number' && temperature >= 0 && temperature <= 2;
  return {
    temperature: isTemperature ? temperature : undefined,
    returnsContext: return_context === true,
    template: agent?.prompt_template ?? (typeof older === 'string' ? older : ''),
  };
}

/** Fills the last question into a template that has a place for it. */
function fillQuestion(messages: readonly ChatMessage[], template: string): readonly ChatMessage[] {
  const place = messages.findLastIndex(({ role }) => role === 'user');
  const question = messages[place];
  if (question?.role !== 'user' || !hasQuestion(template)) return messages;
  return messages.with(place, { ...question, content: fillTemplate(template, question.content) });
}

/** Joins messages of one role that follow each other: templates of chats ask for turns. */
function joinTurns(messages: readonly ChatMessage[]): ChatMessage[] {
  const turns: ChatMessage[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last && isText(last) && isText(message) && last.role === message.role) {
      const images = [...listImages(last), ...listImages(message)];
      const content = `${last.content}\n\n${message.content}`;
      turns[turns.length - 1] = { ...last, content, ...(images.length > 0 && { images }) };
    } else turns.push(message);
  }
  return turns;
}

function listImages(message: ChatMessage): readonly string[] {
  return message.role === 'user' ? (message.images ?? []) : [];
}

/** True for a message that is its text and images: neither a call of a tool nor a result. */
function isText(message: ChatMessage): boolean {
  return message.role !== 'tool' && !(message.role === 'assistant' && message.tool_calls?.length);
}
