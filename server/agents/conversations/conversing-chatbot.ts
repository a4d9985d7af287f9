import type { Project } from '../../projects/projects.js';
import { chatbots } from '../../resources/chatbots.js';
import { jsonMembers } from '../../resources/merge-json.js';
import type { Store } from '../../store/index.js';

/** A chatbot as its conversations need it. */
export interface ConversingChatbot {
  readonly id: string;
  readonly name: string;
  /** The id of its agent; null asks the language model alone. */
  readonly agent_id: string | null;
  readonly model_name: string | null;
  readonly settings: ConversationSettings;
}

/** The settings of a chatbot that shape its conversations. */
interface ConversationSettings {
  /** The first message of every conversation; undefined for none. */
  readonly greeting: string | undefined;
  /** Instructions for the language model beside those of the agent. */
  readonly instructions: string | undefined;
  /** The number of earlier messages that are sent with a question. */
  readonly history: number;
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
  return { id, name, agent_id, model_name, settings: readSettings(settings) };
}

const DEFAULT_HISTORY = 20;
const MAX_HISTORY = 100;

/**
 * Reads the settings of a chatbot, and ignores those of another type, which were stored before they
 * had a meaning. The other members, which may be a mebibyte, are not parsed.
 * @param json an object as `JSON.stringify` writes it
 */
function readSettings(json: string): ConversationSettings {
  const members = new Map(jsonMembers(json));
  const parse = (name: string): unknown => JSON.parse(members.get(name) ?? 'null');
  const history = parse('history');
  const isHistory =
    typeof history === 'number' &&
    Number.isInteger(history) &&
    history >= 0 &&
    history <= MAX_HISTORY;
  return {
    greeting: nonEmptyText(parse('greeting')),
    instructions: nonEmptyText(parse('instructions')),
    history: isHistory ? history : DEFAULT_HISTORY,
  };
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
