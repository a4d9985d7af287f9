import { jsonMembers } from '../../resources/merge-json.js';

/** The settings of a chatbot that shape its conversations. */
export interface ConversationSettings {
  /** The first message of every conversation; undefined for none. */
  readonly greeting: string | undefined;
  /** Instructions for the language model beside those of the agent. */
  readonly instructions: string | undefined;
  /** The number of earlier messages that are sent with a question. */
  readonly history: number;
}

const DEFAULT_HISTORY = 20;

/**
 * Reads the settings of a chatbot, and ignores those of another type, which were stored before they
 * had a meaning. The other members, which may be a mebibyte, are not parsed.
 * @param json an object as `JSON.stringify` writes it
 */
export function conversationSettings(json: string): ConversationSettings {
  const members = new Map(jsonMembers(json));
  const settingOf = (name: string): unknown => JSON.parse(members.get(name) ?? 'null');
  const history = settingOf('history');
  return {
    greeting: textIn(settingOf('greeting')),
    instructions: textIn(settingOf('instructions')),
    history: isCount(history) ? history : DEFAULT_HISTORY,
  };
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 100;
}
