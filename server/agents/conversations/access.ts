import type { Caller } from '../../auth/caller.js';
import { problem } from '../../problems/problem.js';
import type { Project } from '../../projects/projects.js';
import { findProject } from '../../projects/projects.js';
import { chatbots } from '../../resources/chatbots.js';
import type { Store } from '../../store/index.js';
import { type ConversationSettings, conversationSettings } from './conversation-settings.js';

/** A chatbot as its conversations need it. */
export interface ConversingChatbot {
  readonly id: string;
  readonly name: string;
  /** The id of its agent; null asks the language model alone. */
  readonly agent_id: string | null;
  readonly model_name: string | null;
  readonly settings: ConversationSettings;
}

interface ChatbotAddress {
  readonly project_name: string;
  readonly chatbot_name: string;
}

/**
 * Finds a chatbot in a project of the caller.
 * @throws {ProblemError} if the caller has no such project, or the project has no such chatbot
 */
export async function findIn(
  store: Store,
  caller: Caller,
  { project_name, chatbot_name }: ChatbotAddress,
): Promise<{ project: Project; chatbot: ConversingChatbot }> {
  const project = await findProject(store, caller, project_name);
  return { project, chatbot: await findChatbot(store, project, chatbot_name) };
}

/** @throws {ProblemError} if the project has no such chatbot */
export async function findChatbot(
  store: Store,
  project: Project,
  name: string,
): Promise<ConversingChatbot> {
  const chatbot = await chatbots.find(store, project.id, name);
  if (!chatbot) throw chatbots.notFound(name, project);
  const { id, agent_id, model_name, settings } = chatbot;
  return { id, name, agent_id, model_name, settings: conversationSettings(settings) };
}

/**
 * Finds a conversation of a chatbot; returns its id as it is stored.
 * @throws {ProblemError} if there is none
 */
export async function findConversation(
  store: Store,
  chatbot: ConversingChatbot,
  id: string,
): Promise<string> {
  const found = await store.conversations.find(chatbot.id, id);
  if (found === undefined) throw conversationNotFound(chatbot, id);
  return found;
}

export function conversationNotFound({ name }: ConversingChatbot, id: string) {
  return problem(
    '/problems/conversation-not-found',
    `There is no conversation "${id}" of the chatbot "${name}".`,
  );
}

/** Returns the address of a chatbot's conversations, as the caller used it. */
export function addressOf(base: string, project: Project, chatbot: ConversingChatbot): string {
  return `${base}/projects/${project.name}/chatbots/${chatbot.name}/conversations`;
}
